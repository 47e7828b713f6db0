#include "server/utf16.h"

void ws_utf16_begin(ws_utf16_walk *walk, ws_str text)
{
    *walk = (ws_utf16_walk){.text = text};
}

/* Bytes of the sequence that starts with `c`; continuation and invalid bytes count alone. */
static size_t lead_length(unsigned char c)
{
    return c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;
}

uint32_t ws_utf16_units(ws_utf16_walk *walk, size_t offset)
{
    if (offset > walk->text.len)
        offset = walk->text.len;
    if (offset < walk->byte)
        ws_utf16_begin(walk, walk->text);
    while (walk->byte < offset) {
        size_t n = lead_length((unsigned char)walk->text.ptr[walk->byte]);
        if (walk->byte + n > offset)
            break;
        walk->byte += n;
        walk->units += n == 4 ? 2 : 1;
    }
    return walk->units;
}
