/* Commit and merge: members become a manifest, the manifest becomes the next generation. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/postings_writer.h"
#include "indexer/ingest_int.h"

/* --- duplicate ids --- */

/* The document of a pending member replaces those of the same id in committed members and in
 * pending ones of lower sequence. */
static ws_status replace_in(ws_ingest *ingest, ws_member *in, ws_str id, uint64_t sequence)
{
    uint32_t doc;
    if (!ws_member_find(in, id, &doc) || (in->pending && in->sequences[doc] > sequence))
        return WS_OK;
    atomic_fetch_add(&ingest->replaced, 1);
    return ws_member_delete(in, doc);
}

static ws_status resolve_member(ws_ingest *ingest, uint32_t which)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    ws_member *m = &ingest->members[which];
    for (uint32_t d = 0; d < m->entry.n_docs; d++) {
        if (!ws_live_test(&m->live, d))
            continue;
        WS_TRY(ws_segment_id(m->ids, d, buffer, &id));
        for (uint32_t i = 0; i < ingest->n_members; i++)
            if (i != which)
                WS_TRY(replace_in(ingest, &ingest->members[i], id, m->sequences[d]));
    }
    return WS_OK;
}

static ws_status resolve_duplicates(ws_ingest *ingest)
{
    for (uint32_t i = 0; i < ingest->n_members; i++)
        if (ingest->members[i].pending)
            WS_TRY(resolve_member(ingest, i));
    return WS_OK;
}

/* --- statistics epoch --- */

static ws_manifest_stream *stream_slot(ws_manifest *next, uint32_t field, uint32_t stream)
{
    for (uint32_t i = 0; i < next->n_streams; i++)
        if (next->streams[i].field == field && next->streams[i].stream == stream)
            return &next->streams[i];
    ws_manifest_stream *slot = &next->streams[next->n_streams++];
    *slot = (ws_manifest_stream){(uint8_t)field, (uint8_t)stream, 0, 0};
    return slot;
}

static int compare_streams(const void *a, const void *b)
{
    const ws_manifest_stream *x = a, *y = b;
    return x->field != y->field ? x->field - y->field : x->stream - y->stream;
}

static void sum_streams(const ws_ingest *ingest, ws_manifest *next)
{
    next->n_streams = 0;
    next->epoch_docs = 0;
    for (uint32_t i = 0; i < ingest->n_members; i++) {
        const ws_segment_meta *meta = &ingest->members[i].ids->meta;
        next->epoch_docs += meta->n_docs;
        for (uint32_t s = 0; s < meta->n_streams; s++) {
            ws_manifest_stream *slot =
                stream_slot(next, meta->streams[s].field, meta->streams[s].stream);
            slot->n_docs += meta->streams[s].n_docs;
            slot->sum_length += meta->streams[s].sum_length;
        }
    }
    qsort(next->streams, next->n_streams, sizeof *next->streams, compare_streams);
}

static int drifted(double was, double is)
{
    return was == 0 ? is != 0 : is / was > 1.01 || is / was < 0.99;
}

static double mean(const ws_manifest_stream *s)
{
    return s && s->n_docs ? (double)s->sum_length / (double)s->n_docs : 0;
}

/* True when scores by the old epoch would be off by more than docs/format.md section 7 allows. */
static int epoch_is_old(const ws_manifest *old, const ws_manifest *now)
{
    if (drifted((double)old->epoch_docs, (double)now->epoch_docs))
        return 1;
    for (uint32_t i = 0; i < now->n_streams; i++) {
        const ws_manifest_stream *s = &now->streams[i];
        if (drifted(mean(ws_manifest_find_stream(old, s->field, s->stream)), mean(s)))
            return 1;
    }
    return 0;
}

static void set_epoch(ws_ingest *ingest, ws_manifest *next, int merged)
{
    sum_streams(ingest, next);
    if (merged || ingest->dropped_in_epoch || epoch_is_old(&ingest->manifest, next)) {
        next->epoch = ingest->manifest.epoch + 1;
        for (uint32_t i = 0; i < ingest->n_members; i++)
            ingest->members[i].entry.in_epoch = 1;
        return;
    }
    next->epoch = ingest->manifest.epoch;
    next->epoch_docs = ingest->manifest.epoch_docs;
    next->n_streams = ingest->manifest.n_streams;
    memcpy(next->streams, ingest->manifest.streams, sizeof next->streams);
}

/* --- the commit --- */

static void drop_empty_members(ws_ingest *ingest)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ingest->n_members; i++) {
        ws_member *m = &ingest->members[i];
        if (m->entry.n_deleted != m->entry.n_docs) {
            ingest->members[kept++] = *m;
            continue;
        }
        /* Remembered until a commit stands: one that fails must not look like no change. */
        ingest->dropped = 1;
        ingest->dropped_in_epoch |= (uint8_t)m->entry.in_epoch;
        ws_member_fini(ingest, m);
    }
    ingest->n_members = kept;
}

static ws_status write_live(ws_ingest *ingest, ws_member *m, uint64_t generation, ws_error *error)
{
    if (!m->live_changed)
        return WS_OK;
    m->live.generation = generation;
    m->entry.live_generation = generation;
    return ingest->dir[0] ? ws_live_write(&m->live, ingest->dir, &m->entry.live_hash, error)
                          : WS_OK;
}

static ws_status list_segments(ws_ingest *ingest, ws_manifest *next)
{
    ws_manifest_segment *segments =
        ws_reallocarray(next->segments, ingest->n_members + 1u, sizeof *segments);
    if (!segments)
        return WS_ERR_NOMEM;
    next->segments = segments;
    next->n_segments = ingest->n_members;
    for (uint32_t i = 0; i < ingest->n_members; i++)
        segments[i] = ingest->members[i].entry;
    return WS_OK;
}

ws_status ws_ingest_next_manifest(const ws_ingest *ingest, ws_manifest *next)
{
    ws_manifest_init(next);
    ws_status status = ws_manifest_copy(next, &ingest->manifest);
    if (status) {
        ws_manifest_fini(next);
        return status;
    }
    next->previous_generation = ingest->manifest.generation;
    /* A reader may still hold the generation that was lost: its number is not used again. */
    next->generation = ingest->manifest.generation + 1 + ingest->fell_back;
    next->next_segment_id = ingest->next_segment_id;
    next->commit_time_ns = ws_wall_ns();
    return WS_OK;
}

static void settle(ws_ingest *ingest, ws_manifest *next)
{
    ws_manifest_fini(&ingest->manifest);
    ingest->manifest = *next;
    ingest->dropped = ingest->dropped_in_epoch = ingest->fell_back = 0;
    for (uint32_t i = 0; i < ingest->n_members; i++) {
        ws_member *m = &ingest->members[i];
        ws_free(m->sequences);
        m->sequences = NULL;
        m->pending = m->live_changed = 0;
    }
}

ws_status ws_ingest_commit_members(ws_ingest *ingest, ws_manifest *next, int merged,
                                   ws_error *error)
{
    drop_empty_members(ingest);
    set_epoch(ingest, next, merged);
    for (uint32_t i = 0; i < ingest->n_members; i++)
        WS_TRY(write_live(ingest, &ingest->members[i], next->generation, error));
    WS_TRY(list_segments(ingest, next));
    if (ingest->dir[0]) {
        ws_status status = ws_manifest_commit(next, ingest->dir, error);
        if (status == WS_ERR_FSYNC_FAILED)
            ingest->failed = status;
        WS_TRY(status);
    }
    settle(ingest, next);
    if (ingest->dir[0])
        ws_manifest_sweep(ingest->dir,
                          NULL); /* garbage that stays costs space only: the commit stands */
    return WS_OK;
}

static int has_changes(const ws_ingest *ingest)
{
    if (ingest->dropped)
        return 1;
    for (uint32_t i = 0; i < ingest->n_members; i++)
        if (ingest->members[i].pending || ingest->members[i].live_changed)
            return 1;
    return 0;
}

static ws_status set_pairs(ws_manifest *next, const ws_user_pair *pairs, uint32_t n_pairs,
                           ws_error *error)
{
    for (uint32_t i = 0; i < n_pairs; i++) {
        ws_status status = ws_user_map_set(next, ws_cstr(pairs[i].key), ws_cstr(pairs[i].value));
        if (status)
            return ws_error_set(error, status, "cannot set user value %s: %s", pairs[i].key,
                                ws_status_text(status));
    }
    return WS_OK;
}

ws_status ws_ingest_commit(ws_ingest *ingest, uint64_t n_sequences, const ws_user_pair *pairs,
                           uint32_t n_pairs, uint64_t *generation, ws_error *error)
{
    ws_manifest next;
    if (generation)
        *generation = 0;
    if (ingest->failed)
        return ws_error_set(error, ingest->failed,
                            "an earlier commit failed: its durability is unknown");
    WS_TRY(resolve_duplicates(ingest));
    if (!has_changes(ingest) && n_pairs == 0 && ingest->manifest.generation) {
        if (generation)
            *generation = ingest->manifest.generation;
        return WS_OK;
    }
    ws_status status = ws_ingest_next_manifest(ingest, &next);
    if (status)
        return ws_error_set(error, status, "no memory for the manifest");
    next.next_doc_key += n_sequences;
    status = set_pairs(&next, pairs, n_pairs, error);
    if (!status)
        status = ws_ingest_commit_members(ingest, &next, 0, error);
    if (status) {
        ws_manifest_fini(&next);
        return status;
    }
    if (generation)
        *generation = ingest->manifest.generation;
    return WS_OK;
}
