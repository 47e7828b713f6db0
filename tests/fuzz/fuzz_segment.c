/* A segment changed by the input: opened, read in every way, examined. Nothing but a status may
 * come of it.
 *
 *   | which u8 | edit * |     edit = place u24 little-endian, value u8
 *
 * Bits of `which`: 0-1 the segment, 2 repair the hashes (so that the decoders get to see the
 * edits), 3 scalar decoders, 4 cut the file at the first edit's place instead of changing the byte.
 */
#include "engine/index/check.h"
#include "tests/support/sample_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEGMENTS 4u
#define EDIT     4u

typedef struct {
    uint8_t *bytes;
    size_t size;
} base;

static const base *bases(void)
{
    static base made[SEGMENTS];
    static const uint32_t n_docs[SEGMENTS] = {1, 5, 30, 330}, words[SEGMENTS] = {3, 80, 300, 12};
    for (uint32_t i = 0; i < SEGMENTS && !made[i].bytes; i++)
        made[i].bytes = sample_segment(n_docs[i], 200 + i, words[i], &made[i].size);
    return made;
}

static void must(int condition)
{
    if (!condition)
        abort();
}

static int is_expected(ws_status status)
{
    return status == WS_OK || status == WS_ERR_CORRUPT || status == WS_ERR_VERSION;
}

static void examine(ws_segment *s)
{
    ws_schema schema = sample_schema();
    ws_error error = {0};
    must(is_expected(sample_read(s).status));
    ws_status status = ws_check_segment(s, &schema, WS_CHECK_DEEP, NULL, NULL, NULL, &error);
    must(is_expected(status) && (status == WS_OK || error.code == status));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const base *from = &bases()[data[0] & 3];
    size_t length = from->size;
    uint8_t *bytes = ws_malloc(length);
    must(bytes != NULL);
    memcpy(bytes, from->bytes, length);
    for (size_t at = 1; at + EDIT <= size; at += EDIT) {
        size_t place = (size_t)(ws_load_u32le(data + at) & 0xffffff) % from->size;
        if (at == 1 && data[0] & 16)
            length = place;
        else if (place < length)
            bytes[place] = data[at + 3];
    }
    if (data[0] & 4)
        sample_rehash(bytes, length);
    ws_segment *s;
    ws_segment_options options = {0, 0, data[0] & 8 ? 1 : 0};
    ws_error error = {0};
    ws_status status = ws_segment_open_memory(&s, bytes, length, &options, &error);
    must(is_expected(status) && (status == WS_OK || error.message[0]));
    if (status)
        return 0;
    examine(s);
    ws_segment_unref(s);
    return 0;
}
