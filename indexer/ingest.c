#include "indexer/ingest.h"

#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/index/id_table.h"
#include "engine/index/snapshot.h"
#include "indexer/ingest_int.h"

#define LEAST_MEMORY (16u << 20)

/* --- members --- */

void ws_member_fini(ws_ingest *ingest, ws_member *member)
{
    if (ingest->dir[0])
        ws_id_table_free(member->ids);
    else
        ws_segment_unref(member->ids);
    ws_live_fini(&member->live);
    ws_free(member->sequences);
    memset(member, 0, sizeof *member);
}

ws_status ws_ingest_add_member(ws_ingest *ingest, const ws_member *member)
{
    ws_status status = WS_OK;
    pthread_mutex_lock(&ingest->mutex);
    if (ingest->n_members == ingest->members_cap) {
        uint32_t cap = ingest->members_cap ? ingest->members_cap * 2 : 16;
        ws_member *grown = ws_reallocarray(ingest->members, cap, sizeof *grown);
        if (grown) {
            ingest->members = grown;
            ingest->members_cap = cap;
        } else {
            status = WS_ERR_NOMEM;
        }
    }
    if (!status) {
        uint32_t at = ingest->n_members++;
        for (; at > 0 && ingest->members[at - 1].entry.id > member->entry.id; at--)
            ingest->members[at] = ingest->members[at - 1];
        ingest->members[at] = *member;
    }
    pthread_mutex_unlock(&ingest->mutex);
    return status;
}

ws_status ws_member_delete(ws_member *member, uint32_t doc)
{
    if (!member->live.words)
        WS_TRY(ws_live_init(&member->live, member->entry.id, member->entry.n_docs));
    if (ws_live_delete(&member->live, doc)) {
        member->entry.n_deleted = member->live.n_deleted;
        member->live_changed = 1;
    }
    return WS_OK;
}

int ws_member_find(const ws_member *member, ws_str id, uint32_t *doc)
{
    return ws_segment_find_id(member->ids, id, doc) == WS_OK && ws_live_test(&member->live, *doc);
}

ws_status ws_ingest_segment_path(const ws_ingest *ingest, uint64_t id, char *path, size_t cap)
{
    char name[64];
    path[0] = 0;
    if (!ingest->dir[0])
        return WS_OK;
    ws_segment_file_name(name, id);
    return ws_path_join(path, cap, ingest->dir, name);
}

ws_status ws_ingest_open_output(ws_ingest *ingest, ws_segment_out *out, uint64_t id,
                                uint64_t length, uint64_t tail_hash, ws_member *member,
                                ws_error *error)
{
    memset(member, 0, sizeof *member);
    if (ingest->dir[0]) {
        char path[4096];
        WS_TRY(ws_ingest_segment_path(ingest, id, path, sizeof path));
        WS_TRY(ws_id_table_open(&member->ids, path, error));
    } else {
        uint8_t *data;
        size_t size;
        ws_segment_options options = {0, 0, 0};
        WS_TRY(ws_segment_out_take(out, &data, &size));
        WS_TRY(ws_segment_open_memory(&member->ids, data, size, &options, error));
    }
    member->entry.id = id;
    member->entry.length = length;
    member->entry.tail_hash = tail_hash;
    member->entry.n_docs = member->ids->meta.n_docs;
    return WS_OK;
}

/* --- opening --- */

static ws_status load_member(ws_ingest *ingest, const ws_manifest_segment *entry, ws_error *error)
{
    char path[4096];
    ws_member member = {.entry = *entry};
    WS_TRY(ws_ingest_segment_path(ingest, entry->id, path, sizeof path));
    WS_TRY(ws_id_table_open(&member.ids, path, error));
    ws_status status = WS_OK;
    if (member.ids->file.tail_hash != entry->tail_hash || member.ids->meta.n_docs != entry->n_docs)
        status = ws_error_at(error, WS_ERR_CORRUPT, path, 0, "not the segment that MANIFEST names");
    if (!status && entry->live_generation)
        status = ws_live_read(&member.live, ingest->dir, entry->id, entry->live_generation,
                              entry->n_docs, entry->n_deleted, entry->live_hash, error);
    if (!status)
        status = ws_ingest_add_member(ingest, &member);
    if (status)
        ws_member_fini(ingest, &member);
    return status;
}

static ws_status take_dictionary(ws_ingest *ingest, ws_error *error)
{
    char path[4096];
    ws_segment *segment;
    ws_segment_options options = {0, 0, 0};
    if (ingest->n_members == 0)
        return WS_OK;
    WS_TRY(ws_ingest_segment_path(ingest, ingest->members[0].entry.id, path, sizeof path));
    WS_TRY(ws_segment_open(&segment, path, &options, error));
    ws_status status = ws_stored_dictionary_from_segment(&ingest->dictionary, segment);
    ws_segment_unref(segment);
    return status;
}

static ws_status check_schema(ws_ingest *ingest, const ws_schema *schema, ws_error *error)
{
    if (schema && !ws_schema_equal(schema, &ingest->manifest.schema))
        return ws_error_at(error, WS_ERR_SCHEMA, ingest->dir, 0, "the index has another schema");
    if (ingest->manifest.fingerprint != ingest->fingerprint)
        return ws_error_at(
            error, WS_ERR_ANALYSIS, ingest->dir, 0,
            "the index was analysed by different rules (it has %016llx, this library %016llx)",
            (unsigned long long)ingest->manifest.fingerprint,
            (unsigned long long)ingest->fingerprint);
    return WS_OK;
}

static void start_new(ws_ingest *ingest, const ws_schema *schema)
{
    if (schema)
        ingest->manifest.schema = *schema;
    else
        ws_schema_init_default(&ingest->manifest.schema);
    ingest->manifest.fingerprint = ingest->fingerprint;
    ingest->manifest.next_segment_id = 1;
}

static ws_status lock_directory(ws_ingest *ingest, ws_error *error)
{
    char path[4096];
    WS_TRY(ws_dir_create(ingest->dir, error));
    WS_TRY(ws_path_join(path, sizeof path, ingest->dir, "LOCK"));
    return ws_lock_acquire(&ingest->lock, path, error);
}

/* Returns WS_FALLBACK when MANIFEST was damaged: the next commit then replaces it. */
static ws_status load_directory(ws_ingest *ingest, const ws_schema *schema, ws_error *error)
{
    ws_status found = ws_manifest_read(&ingest->manifest, ingest->dir, error);
    ingest->fell_back = found == WS_FALLBACK;
    if (found == WS_ERR_NOT_FOUND) {
        start_new(ingest, schema);
        return ws_manifest_sweep(ingest->dir, error);
    }
    WS_TRY(found);
    WS_TRY(check_schema(ingest, schema, error));
    WS_TRY(ws_manifest_sweep(ingest->dir, error));
    for (uint32_t i = 0; i < ingest->manifest.n_segments; i++)
        WS_TRY(load_member(ingest, &ingest->manifest.segments[i], error));
    WS_TRY(take_dictionary(ingest, error));
    return found;
}

static ws_status read_fingerprint(uint64_t *fingerprint, ws_error *error)
{
    ws_analyzer *analyzer;
    WS_TRY(ws_analyzer_new(&analyzer, error));
    ws_status status = ws_analyzer_fingerprint(analyzer, fingerprint);
    ws_analyzer_free(analyzer);
    return status;
}

static ws_status open_base(ws_ingest *ingest, const ws_ingest_options *options, ws_error *error)
{
    WS_TRY(read_fingerprint(&ingest->fingerprint, error));
    ws_status status = WS_OK;
    if (ingest->dir[0]) {
        WS_TRY(lock_directory(ingest, error));
        status = load_directory(ingest, options->schema, error);
    } else {
        start_new(ingest, options->schema);
    }
    ingest->next_segment_id = ingest->manifest.next_segment_id;
    return status;
}

ws_status ws_ingest_open(ws_ingest **out, const ws_ingest_options *options, ws_error *error)
{
    *out = NULL;
    if (options->memory < LEAST_MEMORY || options->n_workers < 1 || options->n_workers > 64)
        return ws_error_set(error, WS_ERR_RANGE, "memory must be at least 16 MiB, workers 1 to 64");
    ws_ingest *ingest = ws_calloc(1, sizeof *ingest);
    if (!ingest)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for the writer");
    ingest->lock = -1;
    ingest->pid = getpid();
    ingest->memory = options->memory;
    ingest->n_workers = options->n_workers;
    ingest->document_bytes = options->document_bytes ? options->document_bytes : 8u << 20;
    ws_manifest_init(&ingest->manifest);
    pthread_mutex_init(&ingest->mutex, NULL);
    ws_status status = WS_OK;
    if (options->dir && strlen(options->dir) >= sizeof ingest->dir)
        status = ws_error_set(error, WS_ERR_LIMIT, "the path is too long");
    else if (options->dir)
        memcpy(ingest->dir, options->dir, strlen(options->dir) + 1);
    if (!status)
        status = open_base(ingest, options, error);
    if (status < 0) {
        ws_ingest_close(ingest);
        return status;
    }
    *out = ingest;
    return status;
}

void ws_ingest_close(ws_ingest *ingest)
{
    if (!ingest)
        return;
    for (uint32_t i = 0; i < ingest->n_members; i++)
        ws_member_fini(ingest, &ingest->members[i]);
    ws_free(ingest->members);
    ws_stored_dictionary_unref(ingest->dictionary);
    ws_manifest_fini(&ingest->manifest);
    /* In a forked child the files are the parent's. */
    if (ingest->dir[0] && ingest->lock >= 0 && ingest->pid == getpid())
        ws_manifest_sweep(ingest->dir, NULL); /* flushed but uncommitted segments */
    ws_lock_release(ingest->lock);
    pthread_mutex_destroy(&ingest->mutex);
    ws_free(ingest);
}

const ws_schema *ws_ingest_schema(const ws_ingest *ingest)
{
    return &ingest->manifest.schema;
}

const ws_manifest *ws_ingest_manifest(const ws_ingest *ingest)
{
    return &ingest->manifest;
}

/* --- dictionary --- */

#define TRAIN_BYTES      (1u << 20)
#define DICTIONARY_BYTES (64u << 10)
#define SAMPLE_BYTES     WS_STORED_CHUNK_MAX

static void add_sample(ws_buf *bytes, size_t *sizes, uint32_t *n, ws_str sample)
{
    size_t take = WS_MIN(sample.len, (size_t)SAMPLE_BYTES);
    if (take == 0 || bytes->len + take > TRAIN_BYTES)
        return;
    ws_buf_append(bytes, sample.ptr, take);
    sizes[(*n)++] = take;
}

ws_status ws_ingest_train(ws_ingest *ingest, const ws_str *samples, uint32_t n)
{
    ws_buf bytes;
    uint32_t used = 0;
    if (ingest->n_members || ingest->dictionary || n == 0 ||
        !ws_schema_stores_any(&ingest->manifest.schema))
        return WS_OK;
    size_t *sizes = ws_reallocarray(NULL, n, sizeof *sizes);
    if (!sizes)
        return WS_ERR_NOMEM;
    ws_buf_init(&bytes);
    for (uint32_t i = 0; i < n; i++)
        add_sample(&bytes, sizes, &used, samples[i]);
    ws_status status = ws_buf_status(&bytes);
    if (!status)
        status = ws_stored_dictionary_train(&ingest->dictionary, bytes.data, sizes, used,
                                            DICTIONARY_BYTES);
    ws_buf_fini(&bytes);
    ws_free(sizes);
    return status;
}

/* --- looking in from outside --- */

ws_status ws_ingest_snapshot(ws_ingest *ingest, ws_snapshot **out, ws_error *error)
{
    ws_manifest manifest;
    *out = NULL;
    ws_manifest_init(&manifest);
    uint32_t n = ingest->manifest.n_segments;
    ws_snapshot_segment *segments = ws_calloc(n + 1u, sizeof *segments);
    ws_status status = segments ? ws_manifest_copy(&manifest, &ingest->manifest) : WS_ERR_NOMEM;
    for (uint32_t i = 0, m = 0; !status && i < n; i++, m++) {
        while (ingest->members[m].entry.id != manifest.segments[i].id)
            m++;
        segments[i].segment = ws_segment_ref(ingest->members[m].ids);
        segments[i].in_epoch = manifest.segments[i].in_epoch;
        status = ws_live_copy(&segments[i].live, &ingest->members[m].live);
    }
    if (!status)
        return ws_snapshot_make(out, &manifest, segments);
    for (uint32_t i = 0; segments && i < n; i++) {
        ws_segment_unref(segments[i].segment);
        ws_live_fini(&segments[i].live);
    }
    ws_free(segments);
    ws_manifest_fini(&manifest);
    return ws_error_set(error, status, "cannot open the new generation: %s",
                        ws_status_text(status));
}

void ws_ingest_get_counts(const ws_ingest *ingest, ws_ingest_counts *counts)
{
    counts->documents = atomic_load(&ingest->documents);
    counts->replaced = atomic_load(&ingest->replaced);
    counts->truncated_terms = atomic_load(&ingest->truncated_terms);
    counts->replaced_utf8 = atomic_load(&ingest->replaced_utf8);
    counts->flushes = atomic_load(&ingest->flushes);
    counts->merges = atomic_load(&ingest->merges);
    counts->peak_memory = atomic_load(&ingest->peak);
}
