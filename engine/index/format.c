#include "engine/index/format.h"

#include "base/bytes.h"

const char *ws_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        "?",         "META",      "TERM_HASH", "TERM_BLOCKS", "DOC_IDS", "TF",
        "BLOCK_DIR", "POS",       "POS_DIR",   "NORMS",       "STORED",  "STORED_DIR",
        "TOKEN_MAP", "ID_MAP",    "DOC_KEY",   "COLUMN",      "ZONE",    "WINDOW_MAX",
        "SUPER_MAX", "CHAMPIONS", "PAIRS",     "BLOCK_SUMS",
    };
    return kind < WS_ARRAY_LEN(names) ? names[kind] : names[0];
}
