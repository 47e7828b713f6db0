/* Writing dictionary and postings: terms in order of key, their postings in order of document. [1].
 * Sections 2 to 8 of docs/format.md.
 *
 * DOC_IDS is written straight into the segment file, the other sections grow in spools and are
 * appended by finish.
 */
#ifndef WS_INDEX_POSTINGS_WRITER_H
#define WS_INDEX_POSTINGS_WRITER_H

#include "engine/index/segment_file.h"

typedef struct ws_postings_writer ws_postings_writer;

/* `out` must be fresh (no section begun); `spool_dir` NULL = spools stay in memory; `spool_limit`
 * bytes per spool. Heap use: about 5 * spool_limit + 64 KiB + 4 bytes a term (hashes, for
 * TERM_HASH, themselves spooled: 8 bytes a term). */
ws_status ws_postings_writer_new(ws_postings_writer **w, ws_segment_out *out, const char *spool_dir,
                                 size_t spool_limit);
void ws_postings_writer_free(ws_postings_writer *w);

/* Begins a term; keys must strictly ascend (WS_ERR_ARG). `positions`: postings will bring
 * positions. */
ws_status ws_postings_writer_begin(ws_postings_writer *w, ws_str key, int positions);

/* One posting; documents strictly ascend. positions: tf absolute ascending numbers, NULL without
 * positions. */
ws_status ws_postings_writer_add(ws_postings_writer *w, uint32_t doc, uint32_t tf,
                                 const uint32_t *positions);

/* Ends the term; one without postings is dropped. */
ws_status ws_postings_writer_end(ws_postings_writer *w);

typedef struct {
    uint64_t n_terms, n_postings, n_positions;
} ws_postings_totals;

/* Writes all sections into `out`. Terms by stream are counted by the caller. */
ws_status ws_postings_writer_finish(ws_postings_writer *w, ws_postings_totals *totals);

#endif
