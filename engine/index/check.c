/* The directory: manifests, files, segments, live bits, epoch sums. */
#include "engine/index/check.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"

typedef struct {
    const char *dir;
    uint32_t level;
    ws_check_fn callback;
    void *ctx;
    const ws_budget *budget;
    ws_status first; /* the first finding */
} checker;

static void report(checker *c, const char *path, const char *section, ws_status status,
                   const ws_error *error)
{
    const char *message = error && error->message[0] ? error->message : ws_status_text(status);
    ws_check_item item = {path, section, status ? message : "ok",
                          status && error ? error->offset : 0, status};
    if (c->callback)
        c->callback(c->ctx, &item);
    if (status && !c->first)
        c->first = status;
}

static void pass_on(void *ctx, const ws_check_item *item)
{
    checker *c = ctx;
    if (c->callback)
        c->callback(c->ctx, item);
    if (item->status && !c->first)
        c->first = item->status;
}

/* What is no finding about the files: the examination cannot go on. */
static int stops(ws_status status)
{
    return status == WS_ERR_NOMEM || status == WS_ERR_CANCELLED;
}

/* --- files --- */

/* Opens a segment and compares it with its entry; *segment NULL when that is a finding. */
static ws_status open_segment(checker *c, const ws_manifest_segment *entry, ws_segment **segment)
{
    char name[64], path[4096];
    ws_error error = {0};
    ws_segment_options options = {WS_ACCESS_MMAP, WS_VERIFY_LAZY, 0};
    *segment = NULL;
    ws_segment_file_name(name, entry->id);
    WS_TRY(ws_path_join(path, sizeof path, c->dir, name));
    ws_status status = ws_segment_open(segment, path, &options, &error);
    const ws_segment_file *file = *segment ? &(*segment)->file : NULL;
    if (file && (file->tail_hash != entry->tail_hash || file->n_docs != entry->n_docs ||
                 file->id != entry->id || file->map.size != entry->length)) {
        ws_segment_unref(*segment);
        *segment = NULL;
        status = ws_error_set(&error, WS_ERR_CORRUPT, "not the segment that MANIFEST names");
    }
    report(c, path, "structure", status, &error);
    return stops(status) ? status : WS_OK;
}

static ws_status check_live(checker *c, const ws_manifest_segment *entry)
{
    char name[64], path[4096];
    ws_live live;
    ws_error error = {0};
    if (!entry->live_generation)
        return WS_OK;
    ws_live_file_name(name, entry->id, entry->live_generation);
    WS_TRY(ws_path_join(path, sizeof path, c->dir, name));
    ws_status status = ws_live_read(&live, c->dir, entry->id, entry->live_generation, entry->n_docs,
                                    entry->n_deleted, entry->live_hash, &error);
    report(c, path, "live bits", status, &error);
    if (!status)
        ws_live_fini(&live);
    return stops(status) ? status : WS_OK;
}

/* --- the statistics epoch --- */

/* Segments join an epoch when it is renewed and may only leave it: what is left cannot exceed what
 * it says. */
static void check_stream(checker *c, const ws_manifest *m, ws_segment **segments,
                         const ws_manifest_stream *stream)
{
    uint64_t docs = 0, length = 0;
    ws_error error = {0};
    for (uint32_t i = 0; i < m->n_segments; i++) {
        const ws_stream_meta *meta = ws_segment_stream(segments[i], stream->field, stream->stream);
        if (meta && m->segments[i].in_epoch) {
            docs += meta->n_docs;
            length += meta->sum_length;
        }
    }
    if (docs <= stream->n_docs && length <= stream->sum_length)
        return;
    ws_error_set(&error, WS_ERR_CORRUPT,
                 "field %u, stream %u: %llu documents in segments, %llu in the epoch",
                 stream->field, stream->stream, (unsigned long long)docs,
                 (unsigned long long)stream->n_docs);
    report(c, "MANIFEST", "epoch", WS_ERR_CORRUPT, &error);
}

static void check_epoch(checker *c, const ws_manifest *m, ws_segment **segments)
{
    for (uint32_t i = 0; i < m->n_segments; i++)
        if (!segments[i])
            return;
    for (uint32_t i = 0; i < m->n_streams; i++)
        check_stream(c, m, segments, &m->streams[i]);
}

/* --- one generation --- */

static ws_status check_segments(checker *c, const ws_manifest *m, ws_segment **segments)
{
    /* All are opened before the first slow walk: a writer beside may unlink them meanwhile. */
    for (uint32_t i = 0; i < m->n_segments; i++) {
        WS_TRY(open_segment(c, &m->segments[i], &segments[i]));
        WS_TRY(check_live(c, &m->segments[i]));
    }
    for (uint32_t i = 0; i < m->n_segments; i++) {
        ws_status status = segments[i] ? ws_check_segment(segments[i], &m->schema, c->level,
                                                          pass_on, c, c->budget, NULL)
                                       : WS_OK;
        if (stops(status))
            return status;
        if (ws_budget_poll(c->budget, 0))
            return WS_ERR_CANCELLED;
    }
    check_epoch(c, m, segments);
    return WS_OK;
}

static ws_status check_generation(checker *c, const ws_manifest *m)
{
    ws_segment **segments = ws_calloc(m->n_segments + 1u, sizeof *segments);
    if (!segments)
        return WS_ERR_NOMEM;
    ws_status status = check_segments(c, m, segments);
    for (uint32_t i = 0; i < m->n_segments; i++)
        ws_segment_unref(segments[i]);
    ws_free(segments);
    return status;
}

static int has_entry(const ws_manifest *m, const ws_manifest_segment *entry)
{
    for (uint32_t i = 0; i < m->n_segments; i++)
        if (m->segments[i].id == entry->id && m->segments[i].tail_hash == entry->tail_hash)
            return 1;
    return 0;
}

/* What MANIFEST.prev names must be there too, for the day it is needed: structure only, and only
 * what `current` does not name. */
static ws_status check_previous(checker *c, const ws_manifest *current)
{
    ws_manifest m;
    ws_error error = {0};
    ws_segment *segment;
    ws_status status = ws_manifest_read_previous(&m, c->dir, &error);
    if (status == WS_ERR_NOT_FOUND)
        return WS_OK; /* after a first commit */
    report(c, "MANIFEST.prev", "manifest", status, &error);
    if (status)
        return stops(status) ? status : WS_OK;
    for (uint32_t i = 0; i < m.n_segments && !status; i++) {
        if (has_entry(current, &m.segments[i]))
            continue;
        status = open_segment(c, &m.segments[i], &segment);
        ws_segment_unref(segment);
        if (!status)
            status = check_live(c, &m.segments[i]);
    }
    ws_manifest_fini(&m);
    return status;
}

static ws_status check_all(checker *c, const ws_manifest *m)
{
    WS_TRY(check_generation(c, m));
    return check_previous(c, m);
}

ws_status ws_check_directory(const char *dir, uint32_t level, ws_check_fn callback, void *ctx,
                             const ws_budget *budget, ws_error *error)
{
    ws_manifest m;
    ws_error finding = {0};
    checker c = {dir, level, callback, ctx, budget, WS_OK};
    ws_status status = ws_manifest_read(&m, dir, &finding);
    if (status == WS_OK || status == WS_FALLBACK || status == WS_ERR_CORRUPT)
        report(&c, "MANIFEST", "manifest", status == WS_OK ? WS_OK : WS_ERR_CORRUPT, &finding);
    if (status < 0) {
        if (error)
            *error = finding;
        return status;
    }
    status = check_all(&c, &m);
    ws_manifest_fini(&m);
    if (status)
        return ws_error_at(error, status, dir, 0, "the check could not go on: %s",
                           ws_status_text(status));
    return c.first ? ws_error_at(error, WS_ERR_CORRUPT, dir, 0, "damage was found") : WS_OK;
}
