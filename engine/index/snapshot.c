#include "engine/index/snapshot.h"

#include <sched.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/index/id_map.h"

#define ATTEMPTS 3 /* a writer may have moved on between reading MANIFEST and opening its files */

static void close_segments(ws_snapshot *s)
{
    for (uint32_t i = 0; s->segments && i < s->manifest.n_segments; i++) {
        ws_segment_unref(s->segments[i].segment);
        ws_live_fini(&s->segments[i].live);
    }
    ws_free(s->segments);
    s->segments = NULL;
}

ws_snapshot *ws_snapshot_ref(ws_snapshot *s)
{
    atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
    return s;
}

void ws_snapshot_unref(ws_snapshot *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1)
        return;
    close_segments(s);
    ws_manifest_fini(&s->manifest);
    ws_free(s);
}

static void count_documents(ws_snapshot *s)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < s->manifest.n_segments; i++) {
        s->segments[i].first_doc = first;
        s->segments[i].in_epoch = s->manifest.segments[i].in_epoch;
        first += s->manifest.segments[i].n_docs;
        s->n_docs += s->manifest.segments[i].n_docs;
        s->n_deleted += s->manifest.segments[i].n_deleted;
    }
}

ws_status ws_snapshot_make(ws_snapshot **out, ws_manifest *manifest, ws_snapshot_segment *segments)
{
    ws_snapshot *s = ws_calloc(1, sizeof *s);
    *out = s;
    if (!s) {
        ws_snapshot lent = {.manifest = *manifest, .segments = segments};
        close_segments(&lent);
        ws_manifest_fini(manifest);
        return WS_ERR_NOMEM;
    }
    atomic_store(&s->references, 1);
    s->manifest = *manifest;
    s->segments = segments;
    count_documents(s);
    return WS_OK;
}

/* --- opening a generation --- */

static ws_segment *borrow(const ws_snapshot *previous, const ws_manifest_segment *entry)
{
    for (uint32_t i = 0; previous && i < previous->manifest.n_segments; i++)
        if (previous->manifest.segments[i].id == entry->id &&
            previous->manifest.segments[i].tail_hash == entry->tail_hash)
            return ws_segment_ref(previous->segments[i].segment);
    return NULL;
}

static ws_status open_segment(const char *dir, const ws_manifest_segment *entry,
                              const ws_segment_options *options, const ws_snapshot *previous,
                              ws_segment **out, ws_error *error)
{
    char name[64], path[4096];
    if ((*out = borrow(previous, entry)) != NULL)
        return WS_OK;
    ws_segment_file_name(name, entry->id);
    WS_TRY(ws_path_join(path, sizeof path, dir, name));
    WS_TRY(ws_segment_open(out, path, options, error));
    const ws_segment *s = *out;
    if (s->file.tail_hash == entry->tail_hash && s->file.map.size == entry->length &&
        s->file.id == entry->id && s->meta.n_docs == entry->n_docs)
        return WS_OK;
    ws_segment_unref(*out);
    *out = NULL;
    return ws_error_at(error, WS_ERR_CORRUPT, path, 0, "not the segment that MANIFEST names");
}

static ws_status open_live(const char *dir, const ws_manifest_segment *entry, ws_live *live,
                           ws_error *error)
{
    *live = (ws_live){.segment_id = entry->id, .n_docs = entry->n_docs};
    if (!entry->live_generation)
        return WS_OK;
    return ws_live_read(live, dir, entry->id, entry->live_generation, entry->n_docs,
                        entry->n_deleted, entry->live_hash, error);
}

/* Opens what `manifest` names; takes it over on success. */
static ws_status open_manifest(ws_snapshot **out, const char *dir, ws_manifest *manifest,
                               const ws_segment_options *options, ws_snapshot *previous,
                               ws_error *error)
{
    ws_snapshot lent = {.manifest = *manifest};
    ws_status status = WS_OK;
    lent.segments = ws_calloc(manifest->n_segments + 1u, sizeof *lent.segments);
    if (!lent.segments)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a snapshot");
    for (uint32_t i = 0; !status && i < manifest->n_segments; i++) {
        status = open_segment(dir, &manifest->segments[i], options, previous,
                              &lent.segments[i].segment, error);
        if (!status)
            status = open_live(dir, &manifest->segments[i], &lent.segments[i].live, error);
    }
    if (status) {
        close_segments(&lent);
        return status;
    }
    return ws_snapshot_make(out, manifest, lent.segments);
}

/* The files of the current generation are damaged: the generation before, if that is whole. */
static ws_status fall_back(ws_snapshot **out, const char *dir, const ws_segment_options *options,
                           ws_snapshot *previous)
{
    ws_manifest m;
    WS_TRY(ws_manifest_read_previous(&m, dir, NULL));
    ws_status status = open_manifest(out, dir, &m, options, previous, NULL);
    if (status) {
        ws_manifest_fini(&m);
        return status;
    }
    (*out)->fallback = 1;
    return WS_FALLBACK;
}

static int is_damage(ws_status status)
{
    return status == WS_ERR_CORRUPT || status == WS_ERR_NOT_FOUND;
}

/* One attempt. WS_ERR_CORRUPT and WS_ERR_NOT_FOUND leave *generation = the one that could not be
 * opened. */
static ws_status attempt(ws_snapshot **out, const char *dir, const ws_segment_options *options,
                         ws_snapshot *previous, uint64_t *generation, ws_error *error)
{
    ws_manifest m;
    *generation = 0;
    ws_status found = ws_manifest_read(&m, dir, error);
    WS_TRY(found);
    *generation = m.generation;
    ws_status status = open_manifest(out, dir, &m, options, previous, error);
    if (status) {
        ws_manifest_fini(&m);
        return status;
    }
    (*out)->fallback = found == WS_FALLBACK;
    return found;
}

ws_status ws_snapshot_open(ws_snapshot **out, const char *dir, const ws_segment_options *options,
                           ws_snapshot *previous, ws_error *error)
{
    ws_error why = {0};
    uint64_t generation, failed = 0;
    ws_status status = WS_OK;
    *out = NULL;
    for (int i = 0; i < ATTEMPTS; i++) {
        status = attempt(out, dir, options, previous, &generation, &why);
        /* Twice the same generation: no writer moved on, its files are damaged. */
        if (!is_damage(status) || generation == 0 || generation == failed)
            break;
        failed = generation;
        sched_yield();
    }
    if (is_damage(status) && generation && fall_back(out, dir, options, previous) == WS_FALLBACK)
        status = WS_FALLBACK;
    if (status && error)
        *error = why;
    return status;
}

/* --- questions --- */

ws_status ws_snapshot_find_term(const ws_snapshot *s, ws_str key, ws_term_info *infos, uint64_t *df)
{
    uint64_t in_epoch = 0, all = 0;
    *df = 0;
    for (uint32_t i = 0; i < s->manifest.n_segments; i++) {
        ws_term_info info = {0};
        ws_status status = ws_dictionary_find(s->segments[i].segment, key, &info);
        if (status && status != WS_ERR_NOT_FOUND)
            return status;
        if (status)
            info.df = 0;
        all += info.df;
        in_epoch += s->segments[i].in_epoch ? info.df : 0;
        if (infos)
            infos[i] = info;
    }
    *df = in_epoch ? in_epoch : all;
    return WS_OK;
}

ws_status ws_snapshot_find_id(const ws_snapshot *s, ws_str id, uint32_t *segment, uint32_t *doc)
{
    for (uint32_t i = s->manifest.n_segments; i-- > 0;) {
        ws_status status = ws_segment_find_id(s->segments[i].segment, id, doc);
        if (status && status != WS_ERR_NOT_FOUND)
            return status;
        if (!status && ws_live_test(&s->segments[i].live, *doc)) {
            *segment = i;
            return WS_OK;
        }
    }
    return WS_ERR_NOT_FOUND;
}
