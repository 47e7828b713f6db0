/* Live bits of a segment: which documents are not deleted. The file format is in docs/format.md
 * section 7. */
#ifndef WS_INDEX_LIVE_H
#define WS_INDEX_LIVE_H

#include "base/file.h"
#include "engine/index/format.h"

typedef struct {
    uint64_t segment_id, generation;
    uint32_t n_docs, n_deleted;
    /* ceil(n_docs / 64), set = live, unused bits 0; NULL = all live (n_deleted 0) */
    uint64_t *words;
} ws_live;

/* All live, words allocated. */
ws_status ws_live_init(ws_live *live, uint64_t segment_id, uint32_t n_docs);
ws_status ws_live_copy(ws_live *to, const ws_live *from);
void ws_live_fini(ws_live *live);

static inline int ws_live_test(const ws_live *live, uint32_t doc)
{
    return !live->words || (live->words[doc / 64] >> (doc % 64) & 1);
}

int ws_live_delete(ws_live *live, uint32_t doc); /* 1 when it was live (words must be allocated) */

/* Writes DIR/del-<segment>-<generation>.wsd durably but for its name; *hash for the manifest. */
ws_status ws_live_write(const ws_live *live, const char *dir, uint64_t *hash, ws_error *error);

/* Reads and validates: segment, generation, n_docs and n_deleted, popcount, unused bits, hash all
 * as the manifest says. */
ws_status ws_live_read(ws_live *live, const char *dir, uint64_t segment_id, uint64_t generation,
                       uint32_t n_docs, uint32_t n_deleted, uint64_t hash, ws_error *error);

#endif
