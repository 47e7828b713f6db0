/* The index handle: opening, following generations, limits, counts. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/api/describe.h"

/* --- analyzers --- */

static ws_analyzer *take_idle(ws_index *index)
{
    pthread_mutex_lock(&index->mutex);
    ws_analyzer *a = index->n_analyzers ? index->analyzers[--index->n_analyzers] : NULL;
    pthread_mutex_unlock(&index->mutex);
    return a;
}

ws_status ws_index_lend_analyzer(ws_index *index, ws_analyzer **analyzer)
{
    *analyzer = take_idle(index);
    return *analyzer ? WS_OK : ws_analyzer_new(analyzer, NULL);
}

void ws_index_give_back(ws_index *index, ws_analyzer *analyzer)
{
    if (!analyzer)
        return;
    pthread_mutex_lock(&index->mutex);
    int kept = index->n_analyzers < WS_ANALYZER_POOL;
    if (kept)
        index->analyzers[index->n_analyzers++] = analyzer;
    pthread_mutex_unlock(&index->mutex);
    if (!kept)
        ws_analyzer_free(analyzer);
}

/* --- the current snapshot --- */

ws_snapshot *ws_index_pin(ws_index *index)
{
    pthread_mutex_lock(&index->mutex);
    ws_snapshot *s = ws_snapshot_ref(index->snapshot);
    pthread_mutex_unlock(&index->mutex);
    return s;
}

void ws_index_publish(ws_index *index, ws_snapshot *snapshot)
{
    ws_snapshot *old = snapshot;
    pthread_mutex_lock(&index->mutex);
    if (snapshot->manifest.generation > index->snapshot->manifest.generation) {
        old = index->snapshot;
        index->snapshot = snapshot;
        index->analysis_ok = snapshot->manifest.fingerprint == index->fingerprint;
    }
    pthread_mutex_unlock(&index->mutex);
    ws_snapshot_unref(old);
}

/* --- opening --- */

static ws_status check_options(const ws_index_options *options, ws_error *error)
{
    if (options->access > WS_ACCESS_READ || options->verify > WS_VERIFY_OFF)
        return ws_error_set(error, WS_ERR_ARG, "ws_index_options: unknown access or verify");
    return WS_OK;
}

static void set_options(ws_index *index, const ws_index_options *options)
{
    static const uint64_t limits[WS_LIMITS] = {0, 1024, 64, 10000, 8u << 20};
    memcpy(index->limits, limits, sizeof limits);
    index->options = (ws_segment_options){options->access, options->verify, options->isa};
    index->pid = getpid();
}

static ws_status read_fingerprint(ws_index *index, ws_error *error)
{
    ws_analyzer *analyzer;
    ws_status status = ws_index_lend_analyzer(index, &analyzer);
    if (status)
        return ws_error_set(error, status, "cannot make an analyzer: %s", ws_status_text(status));
    status = ws_analyzer_fingerprint(analyzer, &index->fingerprint);
    ws_index_give_back(index, analyzer);
    return status;
}

/* A snapshot of generation 0: no segments. */
static ws_status start_empty(ws_index *index, const ws_schema *schema, ws_error *error)
{
    ws_manifest manifest;
    ws_snapshot_segment *segments = ws_calloc(1, sizeof *segments);
    if (!segments)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for the index");
    ws_manifest_init(&manifest);
    manifest.schema = *schema;
    manifest.fingerprint = index->fingerprint;
    ws_status status = ws_snapshot_make(&index->snapshot, &manifest, segments);
    if (status)
        return ws_error_set(error, status, "no memory for the index");
    return WS_OK;
}

static ws_status open_directory(ws_index *index, const ws_schema *schema, ws_error *error)
{
    ws_status status = ws_snapshot_open(&index->snapshot, index->dir, &index->options, NULL, error);
    if (status == WS_ERR_NOT_FOUND && schema) {
        WS_TRY(ws_dir_create(index->dir, error));
        return start_empty(index, schema, error);
    }
    WS_TRY(status);
    if (schema && !ws_schema_equal(schema, &index->snapshot->manifest.schema))
        return ws_error_at(error, WS_ERR_SCHEMA, index->dir, 0, "the index has another schema");
    return status;
}

static ws_status open_any(ws_index *index, const char *dir, const ws_schema *schema,
                          ws_error *error)
{
    WS_TRY(read_fingerprint(index, error));
    ws_status status;
    if (dir && strlen(dir) >= sizeof index->dir)
        return ws_error_set(error, WS_ERR_LIMIT, "the path is too long");
    if (dir) {
        memcpy(index->dir, dir, strlen(dir) + 1);
        status = open_directory(index, schema, error);
    } else {
        status = schema ? start_empty(index, schema, error)
                        : ws_error_set(error, WS_ERR_ARG, "an index in memory needs a schema");
    }
    WS_TRY(status);
    index->schema = index->snapshot->manifest.schema;
    index->analysis_ok = index->snapshot->manifest.fingerprint == index->fingerprint;
    return status;
}

ws_status ws_index_open(ws_index **out, const char *dir, const ws_schema *schema,
                        const ws_index_options *options, ws_error *error)
{
    *out = NULL;
    ws_index_options o = WS_INDEX_OPTIONS_INIT;
    WS_TRY(ws_api_read_options(&o, sizeof o, options, "ws_index_options", error));
    WS_TRY(check_options(&o, error));
    ws_index *index = ws_calloc(1, sizeof *index);
    if (!index)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for the index");
    pthread_mutex_init(&index->mutex, NULL);
    set_options(index, &o);
    ws_status status = open_any(index, dir, schema, error);
    if (status < 0) {
        ws_index_close(index);
        return status;
    }
    *out = index;
    return status;
}

void ws_index_close(ws_index *index)
{
    if (!index)
        return;
    ws_snapshot_unref(index->snapshot);
    for (uint32_t i = 0; i < index->n_analyzers; i++)
        ws_analyzer_free(index->analyzers[i]);
    pthread_mutex_destroy(&index->mutex);
    ws_free(index);
}

/* --- following --- */

static ws_status open_newer(ws_index *index, ws_snapshot *current, ws_error *error)
{
    ws_snapshot *newer;
    ws_status status = ws_snapshot_open(&newer, index->dir, &index->options, current, error);
    if (status == WS_ERR_NOT_FOUND && current->manifest.generation == 0)
        return WS_OK; /* still nothing committed */
    WS_TRY(status);
    if (!ws_schema_equal(&newer->manifest.schema, &index->schema)) {
        ws_snapshot_unref(newer);
        return ws_error_at(error, WS_ERR_SCHEMA, index->dir, 0,
                           "the index was made anew with another schema");
    }
    ws_index_publish(index, newer);
    return status;
}

/* Looks at the number alone first; what is wrong with MANIFEST, opening it will tell. */
static ws_status look_for_newer(ws_index *index, ws_snapshot *current, ws_error *error)
{
    uint64_t on_disk;
    if (!index->dir[0])
        return WS_OK;
    ws_status status = ws_manifest_peek(index->dir, &on_disk, NULL);
    if (status == WS_ERR_NOMEM)
        return ws_error_set(error, status, "no memory for reading MANIFEST");
    if (!status && on_disk == current->manifest.generation)
        return WS_OK;
    return open_newer(index, current, error);
}

ws_status ws_index_refresh(ws_index *index, uint64_t *generation, ws_error *error)
{
    WS_TRY(ws_index_check_process(index));
    ws_snapshot *current = ws_index_pin(index);
    ws_status status = look_for_newer(index, current, error);
    ws_snapshot_unref(current);
    if (generation) {
        current = ws_index_pin(index);
        *generation = current->manifest.generation;
        ws_snapshot_unref(current);
    }
    return status;
}

/* --- counts and limits --- */

uint64_t ws_snapshot_bytes(const ws_snapshot *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->manifest.n_segments; i++) {
        const ws_manifest_segment *entry = &s->manifest.segments[i];
        bytes += entry->length;
        if (entry->live_generation) /* docs/format.md section 7 */
            bytes += 40 + ((uint64_t)entry->n_docs + 63) / 64 * 8;
    }
    return bytes;
}

ws_status ws_index_stats(ws_index *index, ws_index_stats_data *stats)
{
    WS_TRY(ws_index_check_process(index));
    ws_snapshot *s = ws_index_pin(index);
    const ws_manifest *m = &s->manifest;
    ws_index_stats_data full = {
        .n_segments = m->n_segments,
        .generation = m->generation,
        .n_docs = s->n_docs - s->n_deleted,
        .n_deleted = s->n_deleted,
        .bytes = ws_snapshot_bytes(s),
        .epoch = m->epoch,
        .next_doc_key = m->next_doc_key,
        .commit_time_s = m->commit_time_ns / 1000000000u,
        .fallback = s->fallback,
        .analysis_ok = m->fingerprint == index->fingerprint,
    };
    for (uint32_t i = 0; i < m->n_segments; i++)
        full.n_terms += s->segments[i].segment->meta.n_terms;
    ws_snapshot_unref(s);
    return ws_api_write_answer(stats, &full, sizeof full);
}

static int is_limit(uint32_t which)
{
    return which >= 1 && which < WS_LIMITS;
}

ws_status ws_index_get_limit(const ws_index *index, uint32_t which, uint64_t *value)
{
    ws_index *shared = (ws_index *)index; /* only its mutex is written */
    if (!is_limit(which))
        return WS_ERR_ARG;
    pthread_mutex_lock(&shared->mutex);
    *value = index->limits[which];
    pthread_mutex_unlock(&shared->mutex);
    return WS_OK;
}

ws_status ws_index_set_limit(ws_index *index, uint32_t which, uint64_t value)
{
    static const uint64_t most[WS_LIMITS] = {0, 1u << 20, 1u << 16, 1u << 24, 1u << 30};
    if (!is_limit(which))
        return WS_ERR_ARG;
    if (value < 1 || value > most[which])
        return WS_ERR_RANGE;
    pthread_mutex_lock(&index->mutex);
    index->limits[which] = value;
    pthread_mutex_unlock(&index->mutex);
    return WS_OK;
}

/* --- texts --- */

void ws_text_free(ws_text *text)
{
    if (!text)
        return;
    ws_free(text->ptr);
    text->ptr = NULL;
    text->len = 0;
}

ws_status ws_index_user_value(ws_index *index, const char *key, ws_text *out)
{
    ws_str value = {NULL, 0};
    *out = (ws_text){NULL, 0};
    WS_TRY(ws_index_check_process(index));
    ws_snapshot *s = ws_index_pin(index);
    ws_status status = ws_user_map_get(&s->manifest, ws_cstr(key), &value);
    if (status == WS_OK || status == WS_ERR_NOT_FOUND) {
        out->ptr = ws_memdup0(value.ptr ? value.ptr : "", value.len);
        out->len = out->ptr ? value.len : 0;
        status = out->ptr ? WS_OK : WS_ERR_NOMEM;
    }
    ws_snapshot_unref(s);
    return status;
}
