/* One generation, opened: segments with their live bits and the statistics of the epoch. Immutable,
 * reference-counted, [any]. */
#ifndef WS_INDEX_SNAPSHOT_H
#define WS_INDEX_SNAPSHOT_H

#include "engine/index/dictionary.h"
#include "engine/index/live.h"
#include "engine/index/manifest.h"
#include "engine/index/segment.h"

typedef struct {
    ws_segment *segment;
    ws_live live;
    uint32_t in_epoch;
    /* sum of n_docs of the segments before: a number unique over the snapshot */
    uint32_t first_doc;
} ws_snapshot_segment;

typedef struct ws_snapshot {
    _Atomic uint32_t references;
    ws_manifest manifest;
    ws_snapshot_segment *segments; /* manifest.n_segments */
    uint64_t n_docs, n_deleted;    /* all, deleted among them */
    uint32_t fallback;             /* opened from MANIFEST.prev */
} ws_snapshot;

/* Opens the generation in DIR. `previous` (NULL allowed) lends segments that are still in use, so
 * that a refresh opens new files only. WS_FALLBACK as ws_manifest_read. When a file is missing
 * because a writer moved on, the manifest is read again (up to 3 times); a MANIFEST that names
 * damaged or missing files falls back to MANIFEST.prev too. */
ws_status ws_snapshot_open(ws_snapshot **out, const char *dir, const ws_segment_options *options,
                           ws_snapshot *previous, ws_error *error);

/* From parts, for memory indexes and writers: takes over the manifest and segments (references
 * move), live bits included. */
ws_status ws_snapshot_make(ws_snapshot **out, ws_manifest *manifest, ws_snapshot_segment *segments);

ws_snapshot *ws_snapshot_ref(ws_snapshot *s);
void ws_snapshot_unref(ws_snapshot *s);

/* Document frequency of a term key at the epoch (docs/format.md section 7): over in-epoch segments,
 * over all when that is 0. infos (NULL allowed, n_segments entries) gets each segment's term, df =
 * 0 where it has none: one lookup serves both. */
ws_status ws_snapshot_find_term(const ws_snapshot *s, ws_str key, ws_term_info *infos,
                                uint64_t *df);

/* Live document with this id: segment index and document; WS_ERR_NOT_FOUND. Newest segment
 * first. */
ws_status ws_snapshot_find_id(const ws_snapshot *s, ws_str id, uint32_t *segment, uint32_t *doc);

#endif
