/* Stored documents by id, and the newest ones. */
#include "engine/query/document.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "engine/index/id_map.h"
#include "engine/query/filter.h"

#define LATEST_MAX          100u
#define SNIPPET_CODE_POINTS 160u

/* Hands the buffer over as a text. */
static ws_status give(ws_buf *buf, ws_status status, ws_text *out, ws_error *error)
{
    ws_buf_u8(buf, 0);
    if (!status)
        status = ws_buf_status(buf);
    if (status) {
        ws_buf_fini(buf);
        return ws_error_set(error, status, "cannot read the document: %s", ws_status_text(status));
    }
    out->ptr = (char *)buf->data;
    out->len = buf->len - 1;
    return WS_OK;
}

static ws_status write_by_id(ws_searcher *s, ws_str id, ws_json *j, ws_stored_reader *reader)
{
    uint32_t segment, doc;
    WS_TRY(ws_snapshot_find_id(s->snapshot, id, &segment, &doc));
    return ws_document_write(j, reader, &s->schema, s->snapshot->segments[segment].segment, doc);
}

ws_status ws_document_get(ws_searcher *s, ws_str id, ws_text *out, ws_error *error)
{
    ws_stored_reader *reader;
    ws_buf buf;
    ws_json j;
    *out = (ws_text){NULL, 0};
    ws_status status = ws_stored_reader_new(&reader);
    if (status)
        return ws_error_set(error, status, "no memory to read a document");
    ws_buf_init(&buf);
    ws_json_init(&j, &buf);
    status = write_by_id(s, id, &j, reader);
    ws_stored_reader_free(reader);
    if (status == WS_ERR_NOT_FOUND) {
        ws_buf_fini(&buf);
        return ws_error_set(error, status, "no document " WS_STR_FMT, WS_STR_ARG(id));
    }
    return give(&buf, status, out, error);
}

/* --- the newest --- */

typedef struct {
    ws_searcher *s;
    ws_arena arena;
    ws_query_predicate *predicates;
    uint32_t n_predicates;
    ws_top top; /* key = ~DOC_KEY, so that the newest comes first */
} latest;

static void offer_document(latest *l, uint32_t segment, uint32_t doc)
{
    ws_segment *in = l->s->snapshot->segments[segment].segment;
    ws_top_entry entry = {~ws_segment_doc_key(in, doc), 0, segment, doc};
    ws_top_offer(&l->top, entry);
}

static ws_status offer_segment(latest *l, uint32_t segment)
{
    ws_snapshot_segment *in = &l->s->snapshot->segments[segment];
    uint32_t n_docs = in->segment->meta.n_docs;
    size_t words = ((size_t)n_docs + 63) / 64;
    uint64_t *bits = ws_reallocarray(NULL, words * 2, sizeof *bits);
    if (!bits)
        return WS_ERR_NOMEM;
    ws_status status =
        ws_filter_match(in->segment, l->predicates, l->n_predicates, bits, bits + words);
    for (uint32_t d = 0; !status && d < n_docs; d++)
        if ((bits[d / 64] >> (d % 64) & 1) && ws_live_test(&in->live, d))
            offer_document(l, segment, d);
    ws_free(bits);
    return status;
}

static ws_status write_latest(latest *l, uint32_t offset, ws_json *j)
{
    ws_stored_reader *reader;
    ws_status status = WS_OK;
    for (uint32_t i = 0; !status && i < l->s->snapshot->manifest.n_segments; i++)
        status = offer_segment(l, i);
    WS_TRY(status);
    ws_top_sort(&l->top);
    WS_TRY(ws_stored_reader_new(&reader));
    ws_json_array(j);
    for (uint32_t i = offset; !status && i < l->top.n; i++) {
        const ws_top_entry *e = &l->top.entries[i];
        status = ws_document_write_brief(j, reader, &l->s->schema,
                                         l->s->snapshot->segments[e->segment].segment, e->doc,
                                         SNIPPET_CODE_POINTS);
    }
    ws_json_end_array(j);
    ws_stored_reader_free(reader);
    return status;
}

static ws_status check_window(const ws_searcher *s, uint32_t offset, uint32_t limit,
                              ws_error *error)
{
    if (limit < 1 || limit > LATEST_MAX ||
        (uint64_t)offset + limit > s->limits[WS_LIMIT_RESULT_WINDOW])
        return ws_error_set(error, WS_ERR_RANGE, "limit is 1 to %u, offset + limit at most %llu",
                            LATEST_MAX, (unsigned long long)s->limits[WS_LIMIT_RESULT_WINDOW]);
    return WS_OK;
}

ws_status ws_documents_latest(ws_searcher *s, uint32_t offset, uint32_t limit, ws_str filter,
                              ws_text *out, ws_error *error)
{
    latest l = {.s = s};
    ws_buf buf;
    ws_json j;
    *out = (ws_text){NULL, 0};
    WS_TRY(check_window(s, offset, limit, error));
    ws_arena_init(&l.arena);
    ws_buf_init(&buf);
    ws_json_init(&j, &buf);
    ws_status status =
        ws_filter_parse(&s->schema, filter, &l.arena, &l.predicates, &l.n_predicates, error);
    if (status) { /* the parser said where */
        ws_arena_fini(&l.arena);
        return status;
    }
    ws_top_entry *entries = ws_arena_calloc(&l.arena, offset + limit, sizeof *entries);
    ws_top_init(&l.top, entries, entries ? offset + limit : 0);
    status = entries ? write_latest(&l, offset, &j) : WS_ERR_NOMEM;
    ws_arena_fini(&l.arena);
    return give(&buf, status, out, error);
}
