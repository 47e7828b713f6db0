#include "indexer/import_checkpoint.h"

#include <inttypes.h>
#include <stdio.h>

#define VERSION 1

void ws_checkpoint_set_path(ws_checkpoint *c, const char *path)
{
    size_t n = strlen(path), room = sizeof c->path - 1;
    snprintf(c->path, sizeof c->path, "%s", n > room ? path + (n - room) : path);
}

void ws_checkpoint_encode(const ws_checkpoint *c, char out[WS_CHECKPOINT_BYTES])
{
    snprintf(out, WS_CHECKPOINT_BYTES,
             "%d %" PRIu64 " %016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s", VERSION,
             c->identity.size, c->identity.hash, c->offset, c->lines, c->documents, c->path);
}

ws_status ws_checkpoint_decode(ws_checkpoint *c, ws_str text)
{
    char copy[WS_CHECKPOINT_BYTES];
    int version = 0, path_at = 0;
    memset(c, 0, sizeof *c);
    if (text.len >= sizeof copy)
        return WS_ERR_SYNTAX;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = 0;
    int n = sscanf(copy, "%d %" SCNu64 " %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %n",
                   &version, &c->identity.size, &c->identity.hash, &c->offset, &c->lines,
                   &c->documents, &path_at);
    if (n != 6 || version != VERSION)
        return WS_ERR_SYNTAX;
    snprintf(c->path, sizeof c->path, "%s", copy + path_at);
    return WS_OK;
}
