/* The key of a query: a hash of what is asked, after analysis, so that spellings which mean the
 * same are one entry of a cache. */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "engine/query/parse.h"

static void append_text(ws_buf *out, ws_str text)
{
    ws_buf_varint(out, text.len);
    ws_buf_str(out, text);
}

static void append_list(const ws_query *q, uint32_t list, ws_buf *out)
{
    if (list == WS_NO_LIST)
        ws_buf_varint(out, 0);
    else
        append_text(out, q->lists[list].key);
}

static void append_place(const ws_query *q, const ws_query_place *place, ws_buf *out)
{
    append_list(q, place->word, out);
    ws_buf_varint(out, place->n_bigrams);
    for (uint32_t i = 0; i < place->n_bigrams; i++)
        append_list(q, q->bigrams[place->first_bigram + i], out);
}

static void append_clause(const ws_query *q, const ws_query_clause *c, ws_buf *out)
{
    ws_buf_u8(out, c->phrase);
    ws_buf_u8(out, c->negative);
    ws_buf_varint(out, c->n_alternatives);
    for (uint32_t i = 0; i < c->n_alternatives; i++) {
        const ws_query_alternative *a = &q->alternatives[c->first_alternative + i];
        ws_buf_u8(out, a->field);
        ws_buf_varint(out, a->n_places);
        for (uint32_t p = 0; p < a->n_places; p++)
            append_place(q, &q->places[a->first_place + p], out);
    }
}

/* Lists that score without matching (bigrams over the end of a stem) are in no place. */
static void append_scored(const ws_query *q, ws_buf *out)
{
    for (uint32_t i = 0; i < q->n_lists; i++) {
        append_text(out, q->lists[i].key);
        ws_buf_varint(out, q->lists[i].multiplicity);
    }
}

static void append_predicates(const ws_query *q, ws_buf *out)
{
    for (uint32_t i = 0; i < q->n_predicates; i++) {
        const ws_query_predicate *p = &q->predicates[i];
        ws_buf_u8(out, p->field);
        ws_buf_u8(out, p->negative);
        append_text(out, p->value);
        ws_buf_u64le(out, (uint64_t)p->low);
        ws_buf_u64le(out, (uint64_t)p->high);
    }
}

/* Everything is counted or preceded by its length, so two queries with the same bytes are the same
 * query. */
ws_status ws_query_write_key(ws_query *q, uint32_t warnings)
{
    ws_buf out;
    ws_buf_init(&out);
    ws_buf_u8(&out,
              q->n_positive > 1 ? (uint8_t)q->op : 0); /* of one word OR and AND are the same */
    ws_buf_u8(&out, (uint8_t)warnings);
    ws_buf_varint(&out, q->n_clauses);
    for (uint32_t i = 0; i < q->n_clauses; i++)
        append_clause(q, &q->clauses[i], &out);
    ws_buf_varint(&out, q->n_lists);
    append_scored(q, &out);
    append_predicates(q, &out);
    ws_status status = ws_buf_status(&out);
    if (!status) {
        ws_hash128 hash = ws_hash128_of(out.data, out.len);
        ws_store_u64le(q->key, hash.lo);
        ws_store_u64le(q->key + 8, hash.hi);
    }
    ws_buf_fini(&out);
    return status;
}
