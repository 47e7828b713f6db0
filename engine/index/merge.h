/* Merging segments: deleted documents are dropped, the rest keep their order. [1].
 *
 * Memory: 4 bytes a document of the inputs, spools, one posting block and one position list per
 * input; the inputs themselves are as they were opened (mapped).
 */
#ifndef WS_INDEX_MERGE_H
#define WS_INDEX_MERGE_H

#include "engine/index/live.h"
#include "engine/index/segment.h"
#include "engine/index/segment_file.h"
#include "engine/index/stored.h"
#include "wikisearch/budget.h"

#define WS_MERGE_MAX_INPUTS 64u

typedef struct {
    ws_segment *segment;
    const ws_live *live; /* NULL = all live */
} ws_merge_input;

/* Merges inputs in the order given into `out` (fresh; not finished by this call). The dictionary
 * for stored text is that of the first input that has one.
 *   n_docs  out: documents of the result; 0 = all were deleted, `out` is then unusable
 * Errors: WS_ERR_CANCELLED, WS_ERR_PARTIAL does not occur; WS_ERR_CORRUPT of an input,
 * WS_ERR_NOMEM, WS_ERR_IO. */
ws_status ws_merge_segments(const ws_merge_input *inputs, uint32_t n, const ws_schema *schema,
                            const char *dir, ws_segment_out *out, uint32_t *n_docs,
                            const ws_budget *budget);

/* Which segments to merge next: the tiers.
 * Sizes are bytes weighted down by the share deleted. Eight segments of one tier (within a factor
 * of 8 of the smallest of them) merge; a segment with more than 30 % deleted is rewritten alone
 * first. max_bytes = most bytes in one merge. picks[] gets indexes ascending; returns how many, 0 =
 * nothing to do. */
uint32_t ws_merge_pick(const uint64_t *bytes, const uint32_t *docs, const uint32_t *deleted,
                       uint32_t n, uint64_t max_bytes, uint32_t *picks);

#endif
