/* Any bytes as a text: the first byte picks the kind, the mode and how the analyzer's past looks,
 * the rest is the text. Whatever it is, its tokens keep the promises of engine/text/analyzer.h. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/text/jamo.h"
#include "engine/text/normalize.h"
#include "tests/support/token_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ws_analyzer *used; /* over all inputs */
static ws_normalizer normalizer;

static void must(int condition)
{
    if (!condition)
        abort();
}

static uint64_t run(ws_analyzer *analyzer, uint32_t kind, uint32_t mode, ws_str text)
{
    ws_tokens tokens;
    must(ws_analyzer_run(analyzer, kind, mode, text, &tokens) == WS_OK);
    must(ws_tokens_fault(text, kind, &tokens) == NULL);
    return ws_tokens_hash(&tokens);
}

/* What this analyzer has seen, in this process or just now, changes nothing. */
static void check_new(uint32_t kind, uint32_t mode, ws_str text, uint64_t want)
{
    ws_analyzer *analyzer;
    must(ws_analyzer_new(&analyzer, NULL) == WS_OK);
    must(run(analyzer, kind, mode, text) == want);
    ws_analyzer_free(analyzer);
}

/* A key is as long as its function says, whatever room there is. */
static void check_key(size_t (*fn)(ws_str, char *, size_t), ws_str text)
{
    size_t n = fn(text, NULL, 0);
    char *out = malloc(n + (n == 0));
    must(out && fn(text, out, n) == n);
    ws_jamo_is_chosung((ws_str){out, n});
    must(fn == ws_jamo_show || ws_jamo_show((ws_str){out, n}, NULL, 0) >= n);
    free(out);
}

/* Pieces tile the text; what they make is UTF-8. */
static void check_normaliser(ws_str text)
{
    must(ws_normalizer_run(&normalizer, text) == WS_OK);
    const ws_map_piece *p = (const ws_map_piece *)(const void *)normalizer.pieces.data;
    size_t n = normalizer.pieces.len / sizeof *p, in = 0;
    for (size_t i = 0; i < n; i++) {
        must(p[i].in == in && (i == 0 || p[i - 1].out <= p[i].out));
        must(p[i].out <= normalizer.text.len);
        in += p[i].in_length;
    }
    must(in == text.len && ws_utf8_valid(ws_buf_slice(&normalizer.text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (!used) {
        must(ws_analyzer_new(&used, NULL) == WS_OK);
        must(ws_normalizer_init(&normalizer) == WS_OK);
    }
    uint32_t kind = (data[0] & 3u) % 3, mode = data[0] >> 2 & 1;
    ws_str text = {(const char *)data + 1, size - 1};
    uint64_t hash = run(used, kind, mode, text);
    must(run(used, kind, !mode, text) == hash);
    if (data[0] & 0xf8)
        check_new(kind, mode, text, hash);
    check_normaliser(text);
    check_key(ws_jamo_key, text);
    check_key(ws_chosung_key, text);
    check_key(ws_jamo_compose, text);
    check_key(ws_jamo_to_qwerty, text);
    check_key(ws_qwerty_to_jamo, text);
    size_t half = ws_utf8_floor(text, text.len / 2);
    ws_chosung_match(ws_str_sub(text, 0, half), ws_str_sub(text, half, text.len));
    ws_chosung_match(ws_str_sub(text, 0, half), text);
    return 0;
}
