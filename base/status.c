#include "wikisearch/status.h"

const char *ws_status_text(ws_status code)
{
    switch (code) {
    case WS_OK:
        return "ok";
    case WS_PARTIAL:
        return "partial result: the budget ended";
    case WS_TRUNCATED:
        return "the input was clipped to a limit";
    case WS_FALLBACK:
        return "the previous generation was opened";
    case WS_ERR_ARG:
        return "invalid argument";
    case WS_ERR_UTF8:
        return "invalid UTF-8";
    case WS_ERR_SYNTAX:
        return "syntax error";
    case WS_ERR_RANGE:
        return "number out of range";
    case WS_ERR_SCHEMA:
        return "not in the schema";
    case WS_ERR_STATE:
        return "not allowed in this state";
    case WS_ERR_LOCKED:
        return "locked by another writer";
    case WS_ERR_CONFLICT:
        return "version conflict";
    case WS_ERR_NOT_FOUND:
        return "not found";
    case WS_ERR_CANCELLED:
        return "cancelled";
    case WS_ERR_IO:
        return "input/output error";
    case WS_ERR_NOSPC:
        return "no space left";
    case WS_ERR_FSYNC_FAILED:
        return "fsync failed: durability is unknown";
    case WS_ERR_CORRUPT:
        return "corrupt data";
    case WS_ERR_VERSION:
        return "unsupported format version";
    case WS_ERR_ANALYSIS:
        return "analysed by different rules";
    case WS_ERR_NOMEM:
        return "out of memory";
    case WS_ERR_LIMIT:
        return "a configured limit was reached";
    default:
        return "unknown status";
    }
}
