/* One segment: every hash, then every number that another number can contradict. */
#include "base/budget.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/check.h"
#include "engine/index/column.h"
#include "engine/index/id_map.h"
#include "engine/index/norm.h"
#include "engine/index/postings.h"
#include "engine/index/stored.h"

typedef struct {
    ws_segment *segment;
    const ws_schema *schema;
    const ws_budget *budget;
    ws_error *error;
    ws_postings postings;
    uint32_t *positions;
    uint32_t positions_cap;
    uint64_t n_terms, n_postings, n_positions;
    uint64_t sums[WS_MAX_FIELDS][WS_SCHEMA_STREAMS]; /* occurrences by stream */
} checker;

static ws_status fault(checker *c, const char *what)
{
    return ws_error_at(c->error, WS_ERR_CORRUPT, c->segment->file.path, 0, "%s", what);
}

/* --- hashes --- */

static ws_status check_hashes(checker *c)
{
    for (uint32_t i = 0; i < c->segment->file.n_sections; i++)
        if (ws_segment_file_verify_section(&c->segment->file, i))
            return ws_error_at(c->error, WS_ERR_CORRUPT, c->segment->file.path, c->segment->file.sections[i].offset,
                               "section %s does not match its hash", ws_kind_name(c->segment->file.sections[i].kind));
    return WS_OK;
}

/* --- postings --- */

static ws_status need_positions(checker *c, uint32_t n)
{
    if (n <= c->positions_cap)
        return WS_OK;
    uint32_t *grown = ws_reallocarray(c->positions, n + n / 2ull, sizeof *grown);
    if (!grown)
        return WS_ERR_NOMEM;
    c->positions = grown;
    c->positions_cap = n + n / 2;
    return WS_OK;
}

static ws_status check_positions(checker *c, uint32_t index)
{
    uint32_t tf = c->postings.tfs[index];
    if (tf > c->postings.term.cf)
        return fault(c, "a term frequency exceeds the term's occurrences");
    WS_TRY(need_positions(c, tf));
    WS_TRY(ws_postings_positions(&c->postings, index, c->positions));
    for (uint32_t i = 1; i < tf; i++)
        if (c->positions[i] < c->positions[i - 1])
            return fault(c, "positions do not ascend");
    c->n_positions += tf;
    return WS_OK;
}

static ws_status check_block(checker *c, uint32_t block, const uint8_t *norms, uint64_t *cf)
{
    ws_postings *p = &c->postings;
    WS_TRY(ws_postings_load(p, block));
    WS_TRY(ws_postings_load_tfs(p));
    for (uint32_t i = 0; i < p->n; i++) {
        if (!norms || norms[p->docs[i]] == 0)
            return fault(c, "a posting in a document of length 0");
        *cf += p->tfs[i];
        if (p->term.positions)
            WS_TRY(check_positions(c, i));
    }
    return WS_OK;
}

static ws_status check_term(checker *c, const ws_term_iterator *it)
{
    ws_term_info found;
    const uint8_t *norms;
    uint64_t cf = 0;
    uint32_t field = it->key[0], stream = it->key[1];
    ws_str key = {(const char *)it->key, it->key_length};
    if (field >= c->schema->n_fields || stream >= WS_SCHEMA_STREAMS)
        return fault(c, "a term of a field that the schema does not have");
    if (ws_dictionary_find(c->segment, key, &found) || found.df != it->info.df || found.doc_offset != it->info.doc_offset)
        return fault(c, "the hash does not find a term of the dictionary");
    WS_TRY(ws_segment_norms(c->segment, field, stream, &norms));
    ws_postings_open(&c->postings, c->segment, &it->info);
    for (uint32_t b = 0; b < c->postings.n_blocks; b++)
        WS_TRY(check_block(c, b, norms, &cf));
    if (cf != it->info.cf)
        return fault(c, "term frequencies do not add up to the term's occurrences");
    c->n_terms++;
    c->n_postings += it->info.df;
    c->sums[field][stream] += cf;
    return WS_OK;
}

static ws_status check_terms(checker *c)
{
    ws_term_iterator it;
    uint8_t last[WS_TERM_KEY_MAX];
    size_t last_length = 0;
    ws_status status = ws_term_iterator_init(&it, c->segment, ws_cstr(NULL));
    while (!status && !(status = ws_term_iterator_next(&it))) {
        ws_str key = {(const char *)it.key, it.key_length};
        if (c->n_terms && ws_str_cmp(ws_str_make((const char *)last, last_length), key) >= 0)
            return fault(c, "terms do not ascend");
        memcpy(last, it.key, it.key_length);
        last_length = it.key_length;
        WS_TRY(check_term(c, &it));
        if (c->n_terms % 1024 == 0 && ws_budget_poll(c->budget, 0) == WS_ERR_CANCELLED)
            return WS_ERR_CANCELLED;
    }
    return status == WS_ERR_NOT_FOUND ? WS_OK : status;
}

static ws_status check_totals(checker *c)
{
    const ws_segment_meta *m = &c->segment->meta;
    if (c->n_terms != m->n_terms || c->n_postings != m->n_postings || c->n_positions != m->n_positions)
        return fault(c, "META's totals are not those of the postings");
    for (uint32_t i = 0; i < m->n_streams; i++) {
        const ws_stream_meta *s = &m->streams[i];
        const uint8_t *norms;
        uint32_t with = 0;
        WS_TRY(ws_segment_norms(c->segment, s->field, s->stream, &norms));
        for (uint32_t d = 0; d < m->n_docs; d++)
            with += norms[d] != 0;
        if (with != s->n_docs || c->sums[s->field][s->stream] != s->sum_length)
            return fault(c, "META's statistics are not those of NORMS and postings");
    }
    return WS_OK;
}

static ws_status check_postings(checker *c)
{
    WS_TRY(check_terms(c));
    return check_totals(c);
}

/* --- documents --- */

static ws_status check_identity(checker *c)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    for (uint32_t d = 0; d < c->segment->meta.n_docs; d++) {
        uint32_t found;
        uint64_t key = ws_segment_doc_key(c->segment, d);
        WS_TRY(ws_segment_id(c->segment, d, buffer, &id));
        WS_TRY(ws_segment_find_id(c->segment, id, &found));
        if (found < d || key < c->segment->meta.min_doc_key || key > c->segment->meta.max_doc_key)
            return fault(c, "an id is not found again, or a DOC_KEY lies outside META's range");
    }
    return WS_OK;
}

static ws_status check_map(checker *c, uint32_t field, uint32_t doc, uint32_t text_length)
{
    uint32_t offset, position, before = 0;
    for (uint32_t p = 0;; p += WS_TOKEN_MAP_INTERVAL) {
        ws_status status = ws_token_map_find(c->segment, field, doc, p, &offset, &position);
        if (status == WS_ERR_NOT_FOUND)
            return WS_OK;
        WS_TRY(status);
        if (offset < before || offset >= text_length)
            return fault(c, "a token map leaves its text");
        before = offset;
    }
}

static ws_status check_record(checker *c, ws_stored_reader *reader, uint32_t doc, ws_buf *text)
{
    WS_TRY(ws_stored_open(reader, c->segment, doc));
    for (uint32_t i = 0; i < ws_stored_count(reader); i++) {
        const ws_stored_head *head = ws_stored_value_head(reader, i);
        if (head->field >= c->schema->n_fields)
            return fault(c, "a stored value of a field that the schema does not have");
        ws_buf_clear(text);
        WS_TRY(ws_stored_whole(reader, i, text));
        if (c->segment->token_map[head->field].size)
            WS_TRY(check_map(c, head->field, doc, head->raw_length));
    }
    return WS_OK;
}

static ws_status check_stored(checker *c)
{
    ws_stored_reader *reader;
    ws_buf text;
    ws_status status = WS_OK;
    if (!c->segment->stored_dir.size)
        return WS_OK;
    ws_buf_init(&text);
    WS_TRY(ws_stored_reader_new(&reader));
    for (uint32_t d = 0; !status && d < c->segment->meta.n_docs; d++)
        status = check_record(c, reader, d, &text);
    ws_stored_reader_free(reader);
    ws_buf_fini(&text);
    return status;
}

static ws_status check_column(checker *c, uint32_t field)
{
    uint32_t type = ws_column_type(c->segment, field), n;
    ws_str before = {NULL, 0}, value;
    for (uint32_t i = 0; type != WS_COLUMN_INT && i < ws_column_distinct(c->segment, field); i++) {
        WS_TRY(ws_column_value(c->segment, field, i, &value));
        if (i && ws_str_cmp(before, value) >= 0)
            return fault(c, "values of a column do not ascend");
        before = value;
    }
    for (uint32_t d = 0; type != WS_COLUMN_INT && d < c->segment->meta.n_docs; d++) {
        uint32_t ordinals[64];
        WS_TRY(ws_column_ordinals(c->segment, field, d, ordinals, 64, &n));
    }
    return WS_OK;
}

static ws_status check_columns(checker *c)
{
    for (uint32_t f = 0; f < c->schema->n_fields; f++)
        if (c->segment->column[f].size)
            WS_TRY(check_column(c, f));
    return WS_OK;
}

/* --- all of it --- */

ws_status ws_check_segment(ws_segment *segment, const ws_schema *schema, uint32_t level, ws_check_fn callback, void *ctx,
                           const ws_budget *budget, ws_error *error)
{
    static const struct {
        const char *name;
        uint32_t level;
        ws_status (*run)(checker *);
    } steps[] = {
        {"hashes", WS_CHECK_NORMAL, check_hashes}, {"postings", WS_CHECK_DEEP, check_postings},
        {"identity", WS_CHECK_DEEP, check_identity}, {"stored", WS_CHECK_DEEP, check_stored},
        {"columns", WS_CHECK_DEEP, check_columns},
    };
    ws_status first = WS_OK;
    ws_error local = {0};
    checker *c = ws_calloc(1, sizeof *c);
    if (!c)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a check");
    *c = (checker){.segment = segment, .schema = schema, .budget = budget, .error = &local};
    for (size_t i = 0; i < WS_ARRAY_LEN(steps) && first != WS_ERR_CANCELLED; i++) {
        if (level < steps[i].level)
            continue;
        local.message[0] = 0;
        ws_status status = steps[i].run(c);
        ws_check_item item = {segment->file.path, steps[i].name,
                              status ? (local.message[0] ? local.message : ws_status_text(status)) : "ok",
                              status ? local.offset : 0, status};
        if (callback)
            callback(ctx, &item);
        if (status && !first) {
            first = status;
            if (error)
                *error = local;
        }
    }
    ws_free(c->positions);
    ws_free(c);
    return first;
}
