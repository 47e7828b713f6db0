/* What was understood of a query, as JSON. */
#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/query/parse.h"

/* The term of a list; of one that was too long for a key, its beginning. */
static ws_str term_of(const ws_query *q, uint32_t list)
{
    ws_str key = q->lists[list].key, term = ws_str_sub(key, 2, key.len);
    return term.len == WS_TERM_MAX ? ws_str_sub(term, 0, ws_utf8_floor(term, WS_TERM_KEPT)) : term;
}

/* Terms of the first alternative: of a word joined by - (k-pop reads as it was typed), of a phrase
 * by spaces. */
static void append_clause(const ws_query *q, const ws_query_clause *clause, ws_buf *out)
{
    const ws_query_alternative *a = &q->alternatives[clause->first_alternative];
    ws_buf_cstr(out, clause->negative ? "-" : "");
    ws_buf_cstr(out, clause->phrase ? "\"" : "");
    for (uint32_t i = 0, n = 0; i < a->n_places; i++) {
        uint32_t word = q->places[a->first_place + i].word;
        if (word == WS_NO_LIST)
            continue;
        ws_buf_cstr(out, n++ == 0 ? "" : clause->phrase ? " " : "-");
        ws_buf_str(out, term_of(q, word));
    }
    ws_buf_cstr(out, clause->phrase ? "\"" : "");
}

static void write_normalized(const ws_query *q, ws_json *j)
{
    ws_buf text;
    ws_buf_init(&text);
    for (uint32_t i = 0; i < q->n_clauses; i++) {
        ws_buf_cstr(&text, i ? " " : "");
        append_clause(q, &q->clauses[i], &text);
    }
    ws_json_kstr(j, "normalized", ws_buf_slice(&text));
    if (ws_buf_status(&text))
        j->buf->status = WS_ERR_NOMEM;
    ws_buf_fini(&text);
}

static void write_terms(const ws_query *q, ws_json *j)
{
    ws_json_key(j, "terms");
    ws_json_array(j);
    for (uint32_t i = 0; i < q->n_clauses; i++) {
        const ws_query_clause *c = &q->clauses[i];
        const ws_query_alternative *a = &q->alternatives[c->first_alternative];
        for (uint32_t p = 0; p < a->n_places && !c->negative; p++)
            if (q->places[a->first_place + p].word != WS_NO_LIST)
                ws_json_str(j, term_of(q, q->places[a->first_place + p].word));
    }
    ws_json_end_array(j);
}

static void write_ignored(const ws_query *q, ws_json *j)
{
    ws_json_key(j, "ignored");
    ws_json_array(j);
    for (uint32_t i = 0; i < q->n_ignored; i++)
        ws_json_str(j, q->ignored[i]);
    ws_json_end_array(j);
}

static void write_warning(ws_json *j, const char *code, const char *message)
{
    ws_json_object(j);
    ws_json_kcstr(j, "code", code);
    ws_json_kcstr(j, "message", message);
    ws_json_end_object(j);
}

static void write_limit(ws_json *j, const char *code, const char *what, uint64_t limit)
{
    ws_buf message;
    ws_buf_init(&message);
    ws_buf_printf(&message, "only the first %llu %s of the query were used",
                  (unsigned long long)limit, what);
    ws_buf_u8(&message, 0);
    if (!ws_buf_status(&message))
        write_warning(j, code, (const char *)message.data);
    else
        j->buf->status = WS_ERR_NOMEM;
    ws_buf_fini(&message);
}

static void write_warnings(const ws_query_request *request, uint32_t warnings, ws_json *j)
{
    ws_json_key(j, "warnings");
    ws_json_array(j);
    if (warnings & WS_QUERY_CLIPPED_TEXT)
        write_limit(j, "query_too_long", "characters", request->max_code_points);
    if (warnings & WS_QUERY_CLIPPED_CLAUSES)
        write_limit(j, "too_many_terms", "words and phrases", request->max_clauses);
    if (warnings & WS_QUERY_NO_POSITIONS)
        write_warning(j, "no_positions",
                      "a field without positions cannot answer a phrase and was left out of it");
    ws_json_end_array(j);
}

ws_status ws_query_write_description(ws_query *q, const ws_query_request *request,
                                     uint32_t warnings)
{
    ws_buf out;
    ws_json j;
    ws_buf_init(&out);
    ws_json_init(&j, &out);
    ws_json_object(&j);
    write_normalized(q, &j);
    write_terms(q, &j);
    write_ignored(q, &j);
    write_warnings(request, warnings, &j);
    ws_json_end_object(&j);
    ws_status status = ws_buf_status(&out);
    if (!status)
        status = ws_arena_str(&q->arena, ws_buf_slice(&out), &q->describe);
    ws_buf_fini(&out);
    return status;
}
