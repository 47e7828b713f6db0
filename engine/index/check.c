/* The directory: manifest, files, segments, live bits, epoch sums. */
#include "engine/index/check.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"

typedef struct {
    ws_check_fn callback;
    void *ctx;
    ws_status first; /* the first finding */
} reporter;

static void report(reporter *r, const char *path, const char *section, ws_status status, const ws_error *error)
{
    ws_check_item item = {path, section, status ? (error && error->message[0] ? error->message : ws_status_text(status)) : "ok",
                          error && status ? error->offset : 0, status};
    if (r->callback)
        r->callback(r->ctx, &item);
    if (status && !r->first)
        r->first = status;
}

static void pass_on(void *ctx, const ws_check_item *item)
{
    reporter *r = ctx;
    if (r->callback)
        r->callback(r->ctx, item);
    if (item->status && !r->first)
        r->first = item->status;
}

/* Opens one segment that the manifest names and examines it; returns an error only when the examination cannot go on. */
static ws_status check_file(reporter *r, const char *dir, const ws_manifest *m, uint32_t i, uint32_t level,
                            const ws_budget *budget, ws_segment **kept)
{
    char name[64], path[4096];
    ws_segment *segment;
    ws_error error = {0};
    ws_segment_options options = {WS_ACCESS_MMAP, WS_VERIFY_LAZY, 0};
    const ws_manifest_segment *entry = &m->segments[i];
    ws_segment_file_name(name, entry->id);
    WS_TRY(ws_path_join(path, sizeof path, dir, name));
    ws_status status = ws_segment_open(&segment, path, &options, &error);
    if (!status && (segment->file.tail_hash != entry->tail_hash || segment->meta.n_docs != entry->n_docs)) {
        ws_segment_unref(segment);
        status = ws_error_set(&error, WS_ERR_CORRUPT, "not the segment that MANIFEST names");
    }
    report(r, path, "structure", status, &error);
    if (status)
        return status == WS_ERR_NOMEM ? status : WS_OK;
    status = ws_check_segment(segment, &m->schema, level, pass_on, r, budget, &error);
    *kept = segment;
    return status == WS_ERR_CORRUPT ? WS_OK : status;
}

static void check_live(reporter *r, const char *dir, const ws_manifest_segment *entry)
{
    char name[64];
    ws_live live;
    ws_error error = {0};
    if (!entry->live_generation)
        return;
    ws_live_file_name(name, entry->id, entry->live_generation);
    ws_status status = ws_live_read(&live, dir, entry->id, entry->live_generation, entry->n_docs, entry->n_deleted,
                                    entry->live_hash, &error);
    report(r, name, "live bits", status, &error);
    if (!status)
        ws_live_fini(&live);
}

/* Sums of the in-epoch segments cannot be less than what the epoch says: segments leave it only by merges, which renew it. */
static void check_epoch(reporter *r, const ws_manifest *m, ws_segment **segments)
{
    for (uint32_t i = 0; i < m->n_streams; i++) {
        uint64_t docs = 0;
        for (uint32_t k = 0; k < m->n_segments; k++) {
            const ws_stream_meta *meta =
                segments[k] ? ws_segment_stream(segments[k], m->streams[i].field, m->streams[i].stream) : NULL;
            docs += meta && m->segments[k].in_epoch ? meta->n_docs : 0;
        }
        if (docs > m->streams[i].n_docs) {
            ws_error error = {0};
            report(r, "MANIFEST", "epoch",
                   ws_error_set(&error, WS_ERR_CORRUPT, "field %u, stream %u: %llu documents in segments, %llu in the epoch",
                                m->streams[i].field, m->streams[i].stream, (unsigned long long)docs,
                                (unsigned long long)m->streams[i].n_docs),
                   &error);
        }
    }
}

static ws_status check_segments(reporter *r, const char *dir, const ws_manifest *m, uint32_t level, const ws_budget *budget)
{
    ws_segment *segments[WS_MAX_SEGMENTS] = {NULL};
    ws_status status = WS_OK;
    for (uint32_t i = 0; !status && i < m->n_segments; i++) {
        status = check_file(r, dir, m, i, level, budget, &segments[i]);
        check_live(r, dir, &m->segments[i]);
        if (!status && ws_budget_poll(budget, 0) == WS_ERR_CANCELLED)
            status = WS_ERR_CANCELLED;
    }
    if (!status && !r->first)
        check_epoch(r, m, segments);
    for (uint32_t i = 0; i < m->n_segments; i++)
        ws_segment_unref(segments[i]);
    return status;
}

ws_status ws_check_directory(const char *dir, uint32_t level, ws_check_fn callback, void *ctx, const ws_budget *budget,
                             ws_error *error)
{
    ws_manifest m;
    ws_error finding = {0};
    reporter r = {callback, ctx, WS_OK};
    ws_status status = ws_manifest_read(&m, dir, &finding);
    if (status < 0 && status != WS_ERR_CORRUPT) {
        if (error)
            *error = finding;
        return status;
    }
    report(&r, "MANIFEST", "manifest", status == WS_FALLBACK ? WS_ERR_CORRUPT : status, &finding);
    if (status < 0) {
        if (error)
            *error = finding;
        return status;
    }
    status = check_segments(&r, dir, &m, level, budget);
    ws_manifest_fini(&m);
    if (status)
        return ws_error_at(error, status, dir, 0, "the check could not go on: %s", ws_status_text(status));
    return r.first ? ws_error_at(error, WS_ERR_CORRUPT, dir, 0, "damage was found") : WS_OK;
}
