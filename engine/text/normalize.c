#include "engine/text/normalize.h"

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"

#define BMP 65536u
#define CLUSTER_MAX                                                                                \
 64u /* UTF-16 units: longer clusters are cut (zalgo), each part normalised alone */
#define MIDDLE_DOT 0xb7u

/* Facts about a code point. */
#define UNKNOWN   0u
#define UNCHANGED 1u /* normalises to itself and begins a cluster */
#define CHANGED   2u /* begins a cluster */
#define ATTACHED  3u /* may combine with what is before it */

ws_status ws_normalizer_init(ws_normalizer *n)
{
    UErrorCode code = U_ZERO_ERROR;
    memset(n, 0, sizeof *n);
    n->nfkc = unorm2_getNFKCCasefoldInstance(&code);
    if (U_FAILURE(code))
        return WS_ERR_STATE;
    uint8_t *facts = ws_buf_extend(&n->facts, BMP);
    if (!facts)
        return WS_ERR_NOMEM;
    memset(facts, UNKNOWN, BMP);
    return WS_OK;
}

void ws_normalizer_fini(ws_normalizer *n)
{
    ws_buf_fini(&n->text);
    ws_buf_fini(&n->pieces);
    ws_buf_fini(&n->facts);
}

size_t ws_normalizer_memory(const ws_normalizer *n)
{
    return n->text.cap + n->pieces.cap + n->facts.cap;
}

/* --- pieces --- */

static void add_piece(ws_normalizer *n, size_t in, size_t in_length, uint32_t linear)
{
    ws_map_piece *last =
        n->pieces.len ? (ws_map_piece *)(void *)(n->pieces.data + n->pieces.len) - 1 : NULL;
    uint32_t out = (uint32_t)n->text.len;
    if (linear && last && last->linear && last->in + (out - last->out) == in) {
        last->in_length += (uint32_t)in_length;
        return;
    }
    ws_map_piece piece = {out, (uint32_t)in, (uint32_t)in_length, linear};
    ws_buf_append(&n->pieces, &piece, sizeof piece);
}

static void copy(ws_normalizer *n, ws_str text, size_t at, size_t length)
{
    add_piece(n, at, length, 1);
    ws_buf_append(&n->text, text.ptr + at, length);
}

static void replace(ws_normalizer *n, size_t in, size_t in_length, uint32_t code_point)
{
    char bytes[4];
    size_t length = ws_utf8_encode(code_point, bytes);
    add_piece(n, in, in_length, 0);
    ws_buf_append(&n->text, bytes, length);
}

/* --- what a code point needs --- */

static uint8_t find_fact(const ws_normalizer *n, uint32_t c)
{
    UErrorCode code = U_ZERO_ERROR;
    UChar in[2], out[24];
    int32_t length = 0;
    U16_APPEND_UNSAFE(in, length, (UChar32)c);
    if (!unorm2_hasBoundaryBefore(n->nfkc, (UChar32)c))
        return ATTACHED;
    int32_t made = unorm2_normalize(n->nfkc, in, length, out, 24, &code);
    return U_SUCCESS(code) && made == length && memcmp(in, out, (size_t)length * sizeof *in) == 0
               ? UNCHANGED
               : CHANGED;
}

static uint8_t fact(ws_normalizer *n, uint32_t c)
{
    if (c >= BMP)
        return find_fact(n, c);
    uint8_t *known = &n->facts.data[c];
    if (*known == UNKNOWN)
        *known = find_fact(n, c);
    return *known;
}

/* Keyboard jamo in either width, as the wide one; 0 for another code point. */
static uint32_t keyboard_jamo(uint32_t c)
{
    if (c >= 0x3131 && c <= 0x318e)
        return c;
    if (c >= 0xffa1 && c <= 0xffbe)
        return 0x3131 + (c - 0xffa1);
    if (c >= 0xffc2 && c <= 0xffc7)
        return 0x314f + (c - 0xffc2);
    if (c >= 0xffca && c <= 0xffcf)
        return 0x3155 + (c - 0xffca);
    if (c >= 0xffd2 && c <= 0xffd7)
        return 0x315b + (c - 0xffd2);
    return c >= 0xffda && c <= 0xffdc ? 0x3161 + (c - 0xffda) : 0;
}

static int is_dot(uint32_t c)
{
    return c == MIDDLE_DOT || c == 0x318d || c == 0x2027;
}

/* --- one cluster through ICU --- */

/* ICU would join some keyboard jamo to what stands before: they attach to nothing. */
static int begins_cluster(ws_normalizer *n, uint32_t c)
{
    return c < 0x80 || keyboard_jamo(c) || fact(n, c) != ATTACHED;
}

/* The end of the cluster that begins at `at`: the next code point that begins one. */
static size_t cluster_end(ws_normalizer *n, ws_str text, size_t at, UChar units[CLUSTER_MAX],
                          int32_t *n_units)
{
    *n_units = 0;
    for (int first = 1; at < text.len; first = 0) {
        uint32_t c;
        size_t length = ws_utf8_decode(text, at, &c);
        if ((!first && begins_cluster(n, c)) || *n_units + 2 > (int32_t)CLUSTER_MAX)
            break;
        U16_APPEND_UNSAFE(units, *n_units, (UChar32)c);
        at += length;
    }
    return at;
}

static ws_status append_units(ws_normalizer *n, const UChar *units, int32_t n_units)
{
    UErrorCode code = U_ZERO_ERROR;
    char bytes[CLUSTER_MAX * 18 * 3]; /* the longest NFKC expansion is 18 units for one */
    int32_t length = 0;
    u_strToUTF8(bytes, (int32_t)sizeof bytes, &length, units, n_units, &code);
    if (U_FAILURE(code))
        return WS_ERR_NOMEM;
    ws_buf_append(&n->text, bytes, (size_t)length);
    return WS_OK;
}

static ws_status run_cluster(ws_normalizer *n, ws_str text, size_t at, size_t *next)
{
    UErrorCode code = U_ZERO_ERROR;
    UChar in[CLUSTER_MAX], out[CLUSTER_MAX * 18];
    int32_t n_in;
    *next = cluster_end(n, text, at, in, &n_in);
    int32_t n_out = unorm2_normalize(n->nfkc, in, n_in, out, (int32_t)WS_ARRAY_LEN(out), &code);
    if (U_FAILURE(code))
        return WS_ERR_NOMEM;
    add_piece(n, at, *next - at, 0);
    return append_units(n, out, n_out);
}

/* --- the walk --- */

/* The first byte of the code point before `at` that was just copied, when the next one attaches to
 * it: it must be normalised again, together. */
static size_t take_back(ws_normalizer *n, ws_str text, size_t at)
{
    size_t from = ws_utf8_floor(text, at - 1);
    ws_map_piece *last = (ws_map_piece *)(void *)(n->pieces.data + n->pieces.len) - 1;
    if (!last->linear || from < last->in)
        return at; /* it came from a cluster: clusters end where the next begins */
    n->text.len -= at - from;
    last->in_length -= (uint32_t)(at - from);
    if (last->in_length == 0)
        n->pieces.len -= sizeof *last;
    return from;
}

static ws_status step(ws_normalizer *n, ws_str text, size_t *at)
{
    uint32_t c, jamo;
    size_t length = ws_utf8_decode(text, *at, &c), next;
    if (c == WS_REPLACEMENT && length == 1) {
        n->n_replaced++;
        replace(n, *at, 1, WS_REPLACEMENT);
    } else if (is_dot(c)) {
        replace(n, *at, length, MIDDLE_DOT);
    } else if ((jamo = keyboard_jamo(c)) != 0) {
        replace(n, *at, length, jamo);
    } else if (fact(n, c) == UNCHANGED) {
        copy(n, text, *at, length);
    } else {
        size_t from =
            fact(n, c) == ATTACHED && *at > 0 && n->pieces.len ? take_back(n, text, *at) : *at;
        WS_TRY(run_cluster(n, text, from, &next));
        *at = next;
        return WS_OK;
    }
    *at += length;
    return WS_OK;
}

/* Length of the run of ASCII from `at`, lower-cased into the output. */
static size_t run_ascii(ws_normalizer *n, ws_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && (uint8_t)text.ptr[end] < 0x80)
        end++;
    if (end == at)
        return 0;
    add_piece(n, at, end - at, 1);
    uint8_t *out = ws_buf_extend(&n->text, end - at);
    for (size_t i = at; out && i < end; i++) {
        uint8_t b = (uint8_t)text.ptr[i];
        *out++ = (uint8_t)(b + (b >= 'A' && b <= 'Z' ? 32 : 0));
    }
    return end - at;
}

/* Length of the run of Hangul syllables from `at`: EA B0 80 to ED 9E A3. */
static size_t run_hangul(ws_normalizer *n, ws_str text, size_t at)
{
    size_t end = at;
    while (end + 3 <= text.len) {
        uint32_t c;
        uint8_t lead = (uint8_t)text.ptr[end];
        if (lead < 0xea || lead > 0xed || ws_utf8_decode(text, end, &c) != 3 || !ws_is_syllable(c))
            break;
        end += 3;
    }
    if (end > at)
        copy(n, text, at, end - at);
    return end - at;
}

ws_status ws_normalizer_run(ws_normalizer *n, ws_str text)
{
    ws_buf_clear(&n->text);
    ws_buf_clear(&n->pieces);
    n->n_replaced = 0;
    WS_TRY(ws_buf_reserve(&n->text, text.len + 64));
    for (size_t at = 0; at < text.len;) {
        size_t ran = run_ascii(n, text, at);
        ran = ran ? ran : run_hangul(n, text, at);
        if (ran)
            at += ran;
        else
            WS_TRY(step(n, text, &at));
    }
    WS_TRY(ws_buf_status(&n->text));
    return ws_buf_status(&n->pieces);
}

void ws_normalizer_original(const ws_normalizer *n, uint32_t from, uint32_t to, uint32_t *hint,
                            uint32_t *start, uint32_t *end)
{
    const ws_map_piece *p = (const ws_map_piece *)(const void *)n->pieces.data;
    uint32_t n_pieces = (uint32_t)(n->pieces.len / sizeof *p), i = *hint;
    while (i > 0 && p[i].out > from)
        i--;
    while (i + 1 < n_pieces && p[i + 1].out <= from)
        i++;
    *hint = i;
    *start = p[i].in + (p[i].linear ? from - p[i].out : 0);
    while (i + 1 < n_pieces && p[i + 1].out < to)
        i++;
    *end = p[i].linear ? p[i].in + (to - p[i].out) : p[i].in + p[i].in_length;
}
