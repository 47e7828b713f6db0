/* Text to the form that is indexed: NFKC with case folding, Hangul composed, keyboard jamo kept;
 * and the way back to the original bytes. [1].
 *
 * Keyboard jamo (U+3131 to U+318E) are set aside before NFKC, which would turn ㅎㅏㄴ into 하 +
 * U+1102; half-width jamo become keyboard jamo first. U+318D, U+00B7 and U+2027 become U+00B7.
 * Default-ignorables (soft hyphen, zero-width space and joiners) vanish. A byte that is no
 * UTF-8 becomes U+FFFD and is counted.
 *
 * ASCII, Hangul syllables and characters known to be unchanged take a fast path; the rest goes
 * through ICU one normalisation cluster at a time, so that a cluster maps to the bytes it came
 * from.
 */
#ifndef WS_TEXT_NORMALIZE_H
#define WS_TEXT_NORMALIZE_H

#include "base/buf.h"
#include "wikisearch/status.h"

/* Output bytes [out, next piece's out) came from original bytes [in, in + in_length). linear: byte
 * for byte. */
typedef struct {
    uint32_t out, in, in_length;
    uint32_t linear;
} ws_map_piece;

typedef struct {
    ws_buf text;      /* the normalised text */
    ws_buf pieces;    /* ws_map_piece[], ascending; the first has out = 0 */
    ws_buf facts;     /* one byte a BMP code point, found out lazily: does ICU change it */
    const void *nfkc; /* UNormalizer2 of ICU: a singleton, not owned */
    uint32_t n_replaced;
} ws_normalizer;

/* WS_ERR_STATE when ICU has no data, WS_ERR_NOMEM. */
ws_status ws_normalizer_init(ws_normalizer *n);
void ws_normalizer_fini(ws_normalizer *n);

/* Normalises into n->text and n->pieces; valid until the next run. */
ws_status ws_normalizer_run(ws_normalizer *n, ws_str text);

/* Original bytes [*start, *end) of the output bytes [from, to). *hint is a piece index to begin
 * from (0 at first; ascending calls make the walk linear in all). */
void ws_normalizer_original(const ws_normalizer *n, uint32_t from, uint32_t to, uint32_t *hint,
                            uint32_t *start, uint32_t *end);

size_t ws_normalizer_memory(const ws_normalizer *n);

#endif
