/* Examination of a segment and of a whole directory (wikisearch check). */
#ifndef WS_INDEX_CHECK_H
#define WS_INDEX_CHECK_H

#include "engine/index/snapshot.h"

/* Walks one open segment at `level` (WS_CHECK_*): payload hashes, then every term (order, hash
 * lookup finds it), posting (ascending, tf >= 1, norm > 0, df and cf match), position (ascending,
 * below the field's length bound), META totals, stored record (decompresses, valid UTF-8 where the
 * schema says text, token map ascending and in range), id (found again), key, column. Reports each
 * section once through `callback`. Returns the first error found or WS_OK. */
ws_status ws_check_segment(ws_segment *segment, const ws_schema *schema, uint32_t level,
                           ws_check_fn callback, void *ctx, const ws_budget *budget,
                           ws_error *error);

/* The directory: manifest(s), every file, segments, live bits, epoch sums. */
ws_status ws_check_directory(const char *dir, uint32_t level, ws_check_fn callback, void *ctx,
                             const ws_budget *budget, ws_error *error);

#endif
