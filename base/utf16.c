#include "base/utf16.h"

#include "base/bytes.h"
#include "base/utf8.h"

void ws_utf16_begin(ws_utf16_walk *walk, ws_str text)
{
    *walk = (ws_utf16_walk){.text = text};
}

uint32_t ws_utf16_units(ws_utf16_walk *walk, size_t offset)
{
    if (offset > walk->text.len)
        offset = walk->text.len;
    if (offset < walk->byte)
        ws_utf16_begin(walk, walk->text);
    while (walk->byte < offset) {
        const uint8_t *at = (const uint8_t *)walk->text.ptr + walk->byte;
        size_t n = WS_MAX(ws_utf8_sequence(at, walk->text.len - walk->byte), (size_t)1);
        if (walk->byte + n > offset)
            break;
        walk->byte += n;
        walk->units += n == 4 ? 2 : 1;
    }
    return walk->units;
}
