/* The public writer: one ingest with one worker, its generations published to the index handle. */
#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "indexer/ingest.h"
#include "indexer/jsonl.h"

#define DEFAULT_MEMORY (256ull << 20)
#define DOC_VALUES_MAX 1024u

/* --- documents --- */

typedef struct {
    ws_str field, value;
} doc_value;

struct ws_doc {
    ws_arena arena;
    doc_value values[DOC_VALUES_MAX];
    uint32_t n;
};

ws_status ws_doc_new(ws_doc **out)
{
    *out = ws_calloc(1, sizeof **out);
    if (!*out)
        return WS_ERR_NOMEM;
    ws_arena_init(&(*out)->arena);
    return WS_OK;
}

void ws_doc_free(ws_doc *doc)
{
    if (!doc)
        return;
    ws_arena_fini(&doc->arena);
    ws_free(doc);
}

void ws_doc_reset(ws_doc *doc)
{
    ws_arena_reset(&doc->arena);
    doc->n = 0;
}

ws_status ws_doc_set(ws_doc *doc, ws_str field, ws_str value)
{
    doc_value v;
    if (doc->n == DOC_VALUES_MAX)
        return WS_ERR_LIMIT;
    WS_TRY(ws_arena_str(&doc->arena, field, &v.field));
    WS_TRY(ws_arena_str(&doc->arena, value, &v.value));
    doc->values[doc->n++] = v;
    return WS_OK;
}

/* --- the writer --- */

struct ws_writer {
    ws_index *index;
    ws_ingest *ingest;
    ws_ingest_worker *worker;
    ws_jsonl *parser;  /* made at the first put_json */
    uint64_t sequence; /* documents put since the last commit */
};

static ws_status claim(ws_index *index, ws_error *error)
{
    ws_status status = WS_OK;
    pthread_mutex_lock(&index->mutex);
    if (index->writer_open)
        status = ws_error_set(error, WS_ERR_LOCKED, "this handle has a writer already (pid %ld)",
                              (long)getpid());
    else
        index->writer_open = 1;
    pthread_mutex_unlock(&index->mutex);
    return status;
}

static void release(ws_index *index)
{
    pthread_mutex_lock(&index->mutex);
    index->writer_open = 0;
    pthread_mutex_unlock(&index->mutex);
}

static ws_status open_ingest(ws_writer *w, uint64_t memory, ws_error *error)
{
    uint64_t document_bytes;
    WS_TRY(ws_index_get_limit(w->index, WS_LIMIT_DOCUMENT_BYTES, &document_bytes));
    ws_ingest_options options = {
        .dir = w->index->dir[0] ? w->index->dir : NULL,
        .schema = &w->index->schema,
        .memory = memory ? memory : DEFAULT_MEMORY,
        .n_workers = 1,
        .document_bytes = document_bytes,
    };
    WS_TRY(ws_ingest_open(&w->ingest, &options, error));
    return ws_ingest_worker_new(&w->worker, w->ingest, error);
}

ws_status ws_writer_open(ws_writer **out, ws_index *index, const ws_writer_options *options,
                         ws_error *error)
{
    ws_writer_options o = WS_WRITER_OPTIONS_INIT;
    *out = NULL;
    WS_TRY(ws_api_read_options(&o, sizeof o, options, "ws_writer_options", error));
    WS_TRY(ws_index_check_process(index));
    WS_TRY(claim(index, error));
    ws_writer *w = ws_calloc(1, sizeof *w);
    ws_status status = w ? WS_OK : ws_error_set(error, WS_ERR_NOMEM, "no memory for the writer");
    if (!status) {
        w->index = index;
        status = open_ingest(w, o.memory, error);
    }
    if (status < 0) {
        if (w)
            ws_writer_close(w);
        else
            release(index);
        return status;
    }
    *out = w;
    return status;
}

void ws_writer_close(ws_writer *w)
{
    if (!w)
        return;
    ws_jsonl_free(w->parser);
    ws_ingest_worker_free(w->worker);
    ws_ingest_close(w->ingest);
    release(w->index);
    ws_free(w);
}

static ws_status check_process(const ws_writer *w, ws_error *error)
{
    if (ws_index_check_process(w->index))
        return ws_error_set(error, WS_ERR_STATE, "the writer was opened before a fork");
    return WS_OK;
}

static ws_status put_values(ws_writer *w, const ws_ingest_document *document, uint32_t flags,
                            ws_error *error)
{
    if ((flags & WS_PUT_CREATE) && ws_ingest_exists(w->ingest, w->worker, document->id))
        return ws_error_set(error, WS_ERR_CONFLICT, "document " WS_STR_FMT " exists",
                            WS_STR_ARG(document->id));
    WS_TRY(ws_ingest_worker_add(w->worker, document, w->sequence, error));
    w->sequence++;
    return WS_OK;
}

ws_status ws_writer_put(ws_writer *w, ws_str id, const ws_doc *doc, uint32_t flags, ws_error *error)
{
    ws_ingest_value values[DOC_VALUES_MAX];
    const ws_schema *schema = ws_ingest_schema(w->ingest);
    WS_TRY(check_process(w, error));
    for (uint32_t i = 0; i < doc->n; i++) {
        int field = ws_schema_find(schema, doc->values[i].field);
        if (field < 0)
            return ws_error_set(error, WS_ERR_SCHEMA, "no field " WS_STR_FMT,
                                WS_STR_ARG(doc->values[i].field));
        values[i] = (ws_ingest_value){(uint32_t)field, doc->values[i].value};
    }
    return put_values(w, &(ws_ingest_document){id, values, doc->n}, flags, error);
}

ws_status ws_writer_put_json(ws_writer *w, ws_str json, uint32_t flags, ws_error *error)
{
    ws_ingest_document document;
    WS_TRY(check_process(w, error));
    if (!w->parser) {
        ws_status status = ws_jsonl_new(&w->parser, ws_ingest_schema(w->ingest));
        if (status)
            return ws_error_set(error, status, "no memory for a JSON parser");
    }
    WS_TRY(ws_jsonl_parse(w->parser, json,
                          ws_ingest_manifest(w->ingest)->next_doc_key + w->sequence, &document,
                          error));
    ws_status status = put_values(w, &document, flags, error);
    ws_jsonl_reset(w->parser);
    return status;
}

ws_status ws_writer_delete(ws_writer *w, ws_str id, ws_error *error)
{
    WS_TRY(check_process(w, error));
    return ws_ingest_delete(w->ingest, w->worker, id, error);
}

/* Makes what was committed the current generation of the index handle. */
static ws_status publish(ws_writer *w, ws_error *error)
{
    ws_snapshot *snapshot;
    if (w->index->dir[0])
        return ws_index_refresh(w->index, NULL, error);
    WS_TRY(ws_ingest_snapshot(w->ingest, &snapshot, error));
    ws_index_publish(w->index, snapshot);
    return WS_OK;
}

ws_status ws_writer_commit(ws_writer *w, const ws_commit_options *options, uint64_t *generation,
                           ws_error *error)
{
    ws_commit_options o = WS_COMMIT_OPTIONS_INIT;
    if (generation)
        *generation = 0;
    WS_TRY(check_process(w, error));
    WS_TRY(ws_api_read_options(&o, sizeof o, options, "ws_commit_options", error));
    WS_TRY(ws_ingest_worker_flush(w->worker, error));
    WS_TRY(ws_ingest_commit(w->ingest, w->sequence, o.pairs, o.n_pairs, generation, error));
    w->sequence = 0;
    return publish(w, error);
}

ws_status ws_writer_merge(ws_writer *w, const ws_merge_options *options, const ws_budget *budget,
                          ws_error *error)
{
    ws_merge_options o = WS_MERGE_OPTIONS_INIT;
    WS_TRY(ws_api_read_options(&o, sizeof o, options, "ws_merge_options", error));
    WS_TRY(ws_writer_commit(w, NULL, NULL, error));
    ws_status status = ws_ingest_merge(w->ingest, o.max_segments, budget, NULL, error);
    ws_status published = publish(w, status ? NULL : error);
    return status ? status : published;
}
