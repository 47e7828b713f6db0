#include "engine/index/inverter.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/norm.h"
#include "engine/index/term_sort.h"
#include "engine/index/term_table.h"

/* Tokens whose slots are fetched together, so that their cache misses overlap. */
#define BATCH 64u
#define AHEAD 4u /* terms, at flush */

/* Heap that flush needs beside what is held: sort keys and hash slots by term, and the writer's
 * spools and buffers. */
#define FLUSH_BYTES_PER_TERM (sizeof(ws_sort_key) + 14u)
#define FLUSH_SPOOL          (256u << 10)
#define FLUSH_BYTES          (8u * FLUSH_SPOOL + (1u << 20))

struct ws_inverter {
    const ws_schema *schema;
    const char *dir;
    ws_term_table terms;
    ws_segment_parts parts;
    uint8_t positions[WS_MAX_FIELDS][WS_SCHEMA_STREAMS]; /* does the stream keep them */
};

ws_status ws_inverter_new(ws_inverter **out, const ws_schema *schema,
                          ws_stored_dictionary *dictionary, const char *dir)
{
    *out = NULL;
    ws_inverter *inv = ws_calloc(1, sizeof *inv);
    if (!inv)
        return WS_ERR_NOMEM;
    inv->schema = schema;
    inv->dir = dir;
    for (uint32_t f = 0; f < schema->n_fields; f++)
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            inv->positions[f][s] = (uint8_t)ws_schema_has_positions(schema, f, s);
    ws_status status = ws_term_table_init(&inv->terms);
    if (!status)
        status = ws_segment_parts_init(&inv->parts, schema, dictionary, dir, FLUSH_SPOOL);
    if (status) {
        ws_term_table_fini(&inv->terms);
        ws_free(inv);
        return status;
    }
    *out = inv;
    return WS_OK;
}

void ws_inverter_free(ws_inverter *inv)
{
    if (!inv)
        return;
    ws_term_table_fini(&inv->terms);
    ws_segment_parts_fini(&inv->parts);
    ws_free(inv);
}

uint32_t ws_inverter_docs(const ws_inverter *inv)
{
    return inv->parts.n_docs;
}

size_t ws_inverter_memory(const ws_inverter *inv)
{
    return ws_term_table_memory(&inv->terms) + ws_segment_parts_memory(&inv->parts) +
           (size_t)inv->terms.n_terms * FLUSH_BYTES_PER_TERM + FLUSH_BYTES;
}

size_t ws_inverter_cost(const ws_inverter *inv, uint64_t n_tokens, uint64_t bytes)
{
    return ws_term_table_cost(&inv->terms, n_tokens, bytes) +
           (size_t)n_tokens * FLUSH_BYTES_PER_TERM;
}

ws_segment_parts *ws_inverter_parts(ws_inverter *inv)
{
    return &inv->parts;
}

static ws_status begin_posting(ws_term_table *terms, ws_term_entry *e, uint32_t doc, int positions)
{
    if (e->df)
        WS_TRY(ws_slice_put_varint(&terms->pool, &e->chain, positions ? 0 : e->last_position));
    WS_TRY(ws_slice_put_varint(&terms->pool, &e->chain, doc + 1 - e->last_doc));
    e->last_doc = doc + 1;
    e->last_position = 0;
    e->df++;
    return WS_OK;
}

static ws_status append(ws_term_table *terms, ws_term_entry *e, uint32_t doc, uint32_t position,
                        int positions)
{
    if (e->last_doc != doc + 1)
        WS_TRY(begin_posting(terms, e, doc, positions));
    e->cf++;
    if (!positions) {
        e->last_position++; /* counts occurrences */
        return WS_OK;
    }
    WS_TRY(ws_slice_put_varint(&terms->pool, &e->chain, position - e->last_position + 1));
    e->last_position = position;
    return WS_OK;
}

static ws_status append_batch(ws_inverter *inv, uint32_t field, const ws_inverter_token *tokens,
                              uint32_t n)
{
    uint64_t hashes[BATCH];
    const ws_term_entry *guesses[BATCH];
    ws_term_table *terms = &inv->terms;
    for (uint32_t i = 0; i < n; i++) {
        hashes[i] = ws_term_table_hash(field, tokens[i].stream, tokens[i].ptr, tokens[i].length);
        ws_term_table_prefetch_slot(terms, hashes[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        if ((guesses[i] = ws_term_table_guess(terms, hashes[i])) != NULL)
            __builtin_prefetch(guesses[i]);
    for (uint32_t i = 0; i < n; i++)
        if (guesses[i])
            ws_term_table_prefetch_postings(terms, guesses[i]);
    for (uint32_t i = 0; i < n; i++) {
        const ws_inverter_token *t = &tokens[i];
        ws_term_entry *entry;
        WS_TRY(ws_term_table_get(terms, hashes[i], field, t->stream, t->ptr, t->length,
                                 &inv->parts.n_long_terms, &entry));
        WS_TRY(
            append(terms, entry, inv->parts.n_docs, t->position, inv->positions[field][t->stream]));
    }
    return WS_OK;
}

ws_status ws_inverter_tokens(ws_inverter *inv, uint32_t field, const ws_inverter_token *tokens,
                             uint32_t n)
{
    for (uint32_t i = 0; i < n; i += BATCH)
        WS_TRY(append_batch(inv, field, tokens + i, WS_MIN(BATCH, n - i)));
    return WS_OK;
}

ws_status ws_inverter_end(ws_inverter *inv,
                          const uint32_t lengths[WS_MAX_FIELDS][WS_SCHEMA_STREAMS], ws_str id,
                          uint64_t doc_key)
{
    for (uint32_t f = 0; f < inv->schema->n_fields; f++)
        for (uint32_t s = 0; inv->schema->fields[f].type == WS_FIELD_TEXT && s < WS_SCHEMA_STREAMS;
             s++)
            WS_TRY(ws_segment_parts_norm(&inv->parts, f, s, ws_norm_encode(lengths[f][s])));
    return ws_segment_parts_id(&inv->parts, id, doc_key);
}

/* --- flush --- */

static ws_str key_of(const void *ctx, uint32_t term)
{
    const ws_term_table *terms = ctx;
    return ws_term_table_key(terms, ws_term_table_entry(terms, term));
}

static ws_status sorted_terms(const ws_term_table *terms, ws_sort_key **out)
{
    ws_sort_key *keys = ws_reallocarray(NULL, terms->n_terms, sizeof *keys);
    *out = keys;
    if (!keys)
        return WS_ERR_NOMEM;
    for (uint32_t t = 0; t < terms->n_terms; t++) {
        keys[t].prefix = ws_sort_term_prefix(key_of(terms, t));
        keys[t].term = t;
    }
    ws_sort_terms(keys, terms->n_terms, key_of, terms);
    return WS_OK;
}

typedef struct {
    uint32_t *data;
    uint32_t cap;
} position_list;

static ws_status grow(position_list *list)
{
    uint32_t cap = list->cap ? list->cap * 2 : 1024;
    uint32_t *data = ws_reallocarray(list->data, cap, sizeof *data);
    if (!data)
        return WS_ERR_NOMEM;
    list->data = data;
    list->cap = cap;
    return WS_OK;
}

/* Reads the positions of one posting: up to the 0, or to the end of the chain for the last one. */
static ws_status read_positions(ws_slice_reader *r, position_list *list, uint32_t *n)
{
    uint32_t position = 0, gap;
    *n = 0;
    while (!ws_slice_reader_done(r) && (gap = ws_slice_get_varint(r)) != 0) {
        if (*n == list->cap)
            WS_TRY(grow(list));
        position += gap - 1;
        list->data[(*n)++] = position;
    }
    return WS_OK;
}

static ws_status write_postings(const ws_term_table *terms, const ws_term_entry *e,
                                int with_positions, position_list *positions, ws_postings_writer *w)
{
    ws_slice_reader r;
    uint32_t doc = 0;
    ws_slice_reader_init(&r, &terms->pool, &e->chain);
    for (uint32_t i = 0; i < e->df; i++) {
        uint32_t tf;
        doc += ws_slice_get_varint(&r);
        if (with_positions)
            WS_TRY(read_positions(&r, positions, &tf));
        else
            tf = i + 1 == e->df ? e->last_position : ws_slice_get_varint(&r);
        WS_TRY(ws_postings_writer_add(w, doc - 1, tf, with_positions ? positions->data : NULL));
    }
    return WS_OK;
}

/* In order of their keys the entries and their chains lie all over the memory: two loads ahead. */
static void prefetch_term(const ws_term_table *terms, const ws_sort_key *keys, uint32_t i)
{
    if (i + 2 * AHEAD < terms->n_terms)
        __builtin_prefetch(ws_term_table_entry(terms, keys[i + 2 * AHEAD].term));
    if (i + AHEAD < terms->n_terms) {
        const ws_term_entry *e = ws_term_table_entry(terms, keys[i + AHEAD].term);
        __builtin_prefetch(ws_slice_pool_at(&terms->pool, e->chain.head));
        __builtin_prefetch(ws_term_table_key(terms, e).ptr);
    }
}

static ws_status write_terms(ws_inverter *inv, const ws_sort_key *keys, position_list *positions,
                             ws_postings_writer *w)
{
    for (uint32_t i = 0; i < inv->terms.n_terms; i++) {
        prefetch_term(&inv->terms, keys, i);
        const ws_term_entry *e = ws_term_table_entry(&inv->terms, keys[i].term);
        ws_str key = ws_term_table_key(&inv->terms, e);
        uint32_t field = (uint8_t)key.ptr[0], stream = (uint8_t)key.ptr[1];
        int with_positions = inv->positions[field][stream];
        WS_TRY(ws_postings_writer_begin(w, key, with_positions));
        WS_TRY(write_postings(&inv->terms, e, with_positions, positions, w));
        WS_TRY(ws_postings_writer_end(w));
        ws_segment_parts_term(&inv->parts, field, stream, e->cf);
    }
    return WS_OK;
}

ws_status ws_inverter_flush(ws_inverter *inv, ws_segment_out *out)
{
    ws_sort_key *keys = NULL;
    position_list positions = {NULL, 0};
    ws_postings_writer *w = NULL;
    ws_postings_totals totals;
    ws_status status = sorted_terms(&inv->terms, &keys);
    if (!status)
        status = ws_postings_writer_new(&w, out, inv->dir, inv->dir ? FLUSH_SPOOL : SIZE_MAX);
    if (!status)
        status = write_terms(inv, keys, &positions, w);
    if (!status)
        status = ws_postings_writer_finish(w, &totals);
    if (!status)
        status = ws_segment_parts_finish(&inv->parts, &totals, out);
    ws_postings_writer_free(w);
    ws_free(positions.data);
    ws_free(keys);
    return status;
}
