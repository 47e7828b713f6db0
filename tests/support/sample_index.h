/* A small segment with every kind of section and the documents that it was made of, for tests of
 * engine/index and fuzz_segment; the same seed gives the same bytes. Functions end the program when
 * the engine fails where it must not. [1]. */
#ifndef WS_TESTS_SUPPORT_SAMPLE_INDEX_H
#define WS_TESTS_SUPPORT_SAMPLE_INDEX_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/inverter.h"
#include "engine/index/postings.h"
#include "engine/index/snapshot.h"
#include "tests/support/rng.h"

#define SAMPLE_CATEGORIES 5u
#define SAMPLE_WORD_MAX   24u

enum {
    SAMPLE_TITLE,
    SAMPLE_BODY,
    SAMPLE_LANG,
    SAMPLE_CATS,
    SAMPLE_VIEWS,
    SAMPLE_SOURCE,
    SAMPLE_FIELDS
};

typedef struct {
    char id[32];
    uint64_t key;
    char *title, *body;       /* words with a blank between */
    uint32_t n_title, n_body; /* words */
    const char *lang;         /* NULL = none */
    uint32_t n_cats;
    char cats[SAMPLE_CATEGORIES][16];
    int has_views;
    int64_t views;
} sample_doc;

static inline void sample_must(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "sample_index.h: %s\n", what);
    abort();
}

static inline void sample_field(ws_schema *s, const char *name, uint8_t type, uint8_t flags)
{
    ws_field *f = &s->fields[s->n_fields++];
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->from, sizeof f->from, "%s", name);
    f->type = type;
    f->analyzer = 1; /* whitespace */
    f->flags = flags;
    f->boost = type == WS_FIELD_TEXT ? 65536 : 0;
}

static inline ws_schema sample_schema(void)
{
    const uint8_t text = WS_FIELD_IS_STORED | WS_FIELD_POSITIONS;
    ws_schema s;
    memset(&s, 0, sizeof s);
    memcpy(s.id_key, "id", 3);
    s.k1 = 1u << 24;
    s.b = 1u << 23;
    s.weights[0] = 65536;
    s.weights[1] = 32768;
    sample_field(&s, "title", WS_FIELD_TEXT, text);
    sample_field(&s, "body", WS_FIELD_TEXT, text);
    sample_field(&s, "lang", WS_FIELD_KEYWORD, WS_FIELD_IS_STORED);
    sample_field(&s, "cats", WS_FIELD_KEYWORD, WS_FIELD_IS_STORED | WS_FIELD_MULTI);
    sample_field(&s, "views", WS_FIELD_INT, WS_FIELD_IS_STORED);
    sample_field(&s, "source", WS_FIELD_STORED, WS_FIELD_IS_STORED);
    return s;
}

/* Word number w: Latin, or two Hangul syllables (U+AC00 and on). */
static inline size_t sample_word(uint32_t w, char out[SAMPLE_WORD_MAX])
{
    if (w % 3)
        return (size_t)snprintf(out, SAMPLE_WORD_MAX, "word%u", w);
    uint32_t a = 0xac00 + w * 7 % 11172, b = 0xac00 + w * 31 % 11172;
    return (size_t)snprintf(out, SAMPLE_WORD_MAX, "%c%c%c%c%c%c", (int)(0xe0 | a >> 12),
                            (int)(0x80 | (a >> 6 & 63)), (int)(0x80 | (a & 63)),
                            (int)(0xe0 | b >> 12), (int)(0x80 | (b >> 6 & 63)),
                            (int)(0x80 | (b & 63)));
}

static inline char *sample_text(ws_rng *rng, uint32_t n, uint32_t vocabulary)
{
    char *text = malloc((size_t)n * (SAMPLE_WORD_MAX + 1) + 1);
    size_t at = 0;
    sample_must(text != NULL, "memory");
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text[at++] = ' ';
        at +=
            sample_word((uint32_t)ws_rng_below(rng, ws_rng_below(rng, vocabulary) + 1), text + at);
    }
    text[at] = 0;
    return text;
}

/* Document number i of a collection. Every fifth body is longer than a chunk. */
static inline void sample_doc_make(sample_doc *d, ws_rng *rng, uint32_t i, uint32_t long_words)
{
    static const char *const langs[] = {"ko", "en", NULL};
    memset(d, 0, sizeof *d);
    snprintf(d->id, sizeof d->id, "doc-%u", i);
    d->key = 100 + i;
    d->n_title = (uint32_t)ws_rng_between(rng, 1, 4);
    d->n_body = i % 5 == 4 ? long_words : i % 11 == 7 ? 0 : (uint32_t)ws_rng_below(rng, 30);
    d->title = sample_text(rng, d->n_title, 40);
    d->body = sample_text(rng, d->n_body, 40);
    d->lang = langs[ws_rng_below(rng, 3)];
    d->n_cats = (uint32_t)ws_rng_below(rng, SAMPLE_CATEGORIES);
    for (uint32_t c = 0; c < d->n_cats; c++)
        snprintf(d->cats[c], sizeof d->cats[c], "c%u", (unsigned)ws_rng_below(rng, 7));
    d->has_views = ws_rng_below(rng, 4) != 0;
    d->views = (int64_t)ws_rng_below(rng, 1000) - 300;
}

static inline sample_doc *sample_docs_new(uint32_t n, uint64_t seed, uint32_t long_words)
{
    ws_rng rng = ws_rng_make(seed);
    sample_doc *docs = calloc(n, sizeof *docs);
    sample_must(docs != NULL, "memory");
    for (uint32_t i = 0; i < n; i++)
        sample_doc_make(&docs[i], &rng, i, long_words);
    return docs;
}

static inline void sample_docs_free(sample_doc *docs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        free(docs[i].title);
        free(docs[i].body);
    }
    free(docs);
}

/* --- writing --- */

static inline ws_status sample_add_text(ws_inverter *inv, uint32_t field, const char *text,
                                        uint32_t lengths[WS_SCHEMA_STREAMS])
{
    uint32_t offsets[4096], n_offsets = 0, position = 0;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " ");
        ws_inverter_token tokens[2] = {{p, (uint32_t)n, position, 0},
                                       {p, (uint32_t)n, position, 1}};
        uint32_t n_tokens = (uint8_t)*p >= 0xe0 ? 2 : 1; /* Hangul has a bigram too */
        if (position % WS_TOKEN_MAP_INTERVAL == 0)
            offsets[n_offsets++] = (uint32_t)(p - text);
        WS_TRY(ws_inverter_tokens(inv, field, tokens, n_tokens));
        for (uint32_t t = 0; t < n_tokens; t++)
            lengths[tokens[t].stream]++;
        position++;
        p += n + (p[n] == ' ');
    }
    return ws_stored_writer_add_map(ws_inverter_parts(inv)->stored, field, offsets, n_offsets);
}

static inline ws_status sample_add_values(ws_inverter *inv, const sample_doc *d)
{
    ws_segment_parts *parts = ws_inverter_parts(inv);
    ws_stored_value values[SAMPLE_FIELDS + SAMPLE_CATEGORIES];
    ws_str cats[SAMPLE_CATEGORIES], lang = ws_cstr(d->lang);
    char views[32];
    uint32_t n = 0;
    values[n++] = (ws_stored_value){SAMPLE_TITLE, ws_cstr(d->title)};
    values[n++] = (ws_stored_value){SAMPLE_BODY, ws_cstr(d->body)};
    if (d->lang)
        values[n++] = (ws_stored_value){SAMPLE_LANG, lang};
    for (uint32_t c = 0; c < d->n_cats; c++) {
        cats[c] = ws_cstr(d->cats[c]);
        values[n++] = (ws_stored_value){SAMPLE_CATS, cats[c]};
    }
    if (d->has_views) {
        snprintf(views, sizeof views, "%lld", (long long)d->views);
        values[n++] = (ws_stored_value){SAMPLE_VIEWS, ws_cstr(views)};
    }
    values[n++] = (ws_stored_value){SAMPLE_SOURCE, ws_cstr("https://example.org/")};
    WS_TRY(ws_stored_writer_add(parts->stored, values, n));
    WS_TRY(ws_column_writer_add_keywords(parts->columns[SAMPLE_LANG], &lang, d->lang != NULL));
    WS_TRY(ws_column_writer_add_keywords(parts->columns[SAMPLE_CATS], cats, d->n_cats));
    return ws_column_writer_add_int(parts->columns[SAMPLE_VIEWS], d->has_views, d->views);
}

static inline ws_status sample_add(ws_inverter *inv, const sample_doc *d)
{
    uint32_t lengths[WS_MAX_FIELDS][WS_SCHEMA_STREAMS];
    memset(lengths, 0, sizeof lengths);
    WS_TRY(sample_add_text(inv, SAMPLE_TITLE, d->title, lengths[SAMPLE_TITLE]));
    WS_TRY(sample_add_text(inv, SAMPLE_BODY, d->body, lengths[SAMPLE_BODY]));
    WS_TRY(sample_add_values(inv, d));
    return ws_inverter_end(inv, lengths, ws_cstr(d->id), d->key);
}

/* Writes docs[n] as segment `id`: into PATH, or with NULL into memory through *data and *size
 * (ws_free). */
static inline ws_status sample_write(const sample_doc *docs, uint32_t n, uint64_t id,
                                     const char *path, uint64_t *length, uint64_t *hash,
                                     uint8_t **data, size_t *size, ws_error *error)
{
    ws_schema schema = sample_schema();
    ws_inverter *inv = NULL;
    ws_segment_out *out = NULL;
    ws_status status = ws_inverter_new(&inv, &schema, NULL, NULL);
    if (!status)
        status = ws_segment_out_new(&out, path, id, 7, error);
    for (uint32_t i = 0; !status && i < n; i++)
        status = sample_add(inv, &docs[i]);
    if (!status)
        status = ws_inverter_flush(inv, out);
    if (!status)
        status = ws_segment_out_finish(out, length, hash, error);
    if (!status && !path)
        status = ws_segment_out_take(out, data, size);
    ws_segment_out_free(out);
    ws_inverter_free(inv);
    return status;
}

/* Bytes of a segment of `n` documents made from `seed`; free with ws_free. */
static inline uint8_t *sample_segment(uint32_t n, uint64_t seed, uint32_t long_words, size_t *size)
{
    uint8_t *data = NULL;
    uint64_t length, hash;
    sample_doc *docs = sample_docs_new(n, seed, long_words);
    sample_must(sample_write(docs, n, 1, NULL, &length, &hash, &data, size, NULL) == WS_OK,
                "cannot write a segment");
    sample_docs_free(docs, n);
    return data;
}

/* --- segments of single parts: begin, write the part, end --- */

static inline ws_segment_out *sample_part_begin(void)
{
    ws_segment_out *out;
    sample_must(ws_segment_out_new(&out, NULL, 1, 7, NULL) == WS_OK, "cannot begin a segment");
    return out;
}

/* A META without terms, and ids 0, 1, ... with DOC_KEYs alike when `with_ids`. Closes `out` and
 * opens what it holds. */
static inline ws_status sample_part_end(ws_segment_out *out, uint32_t n_docs, int with_ids,
                                        ws_segment **segment)
{
    uint8_t meta[56] = {0};
    ws_segment_options options = {0, 0, 0};
    ws_id_writer *ids;
    uint8_t *data = NULL;
    size_t size = 0;
    uint64_t length, hash;
    char id[16];
    sample_must(ws_id_writer_new(&ids) == WS_OK, "memory");
    for (uint32_t d = 0; with_ids && d < n_docs; d++) {
        snprintf(id, sizeof id, "%u", d);
        sample_must(ws_id_writer_add(ids, ws_cstr(id), d) == WS_OK, "memory");
    }
    if (with_ids)
        sample_must(ws_id_writer_finish(ids, out) == WS_OK, "memory");
    ws_id_writer_free(ids);
    ws_store_u32le(meta, n_docs);
    ws_store_u64le(meta + 40, UINT64_MAX);
    ws_segment_out_section(out, WS_KIND_META, WS_ALL_FIELDS, WS_ALL_STREAMS, meta, sizeof meta);
    ws_segment_out_set_docs(out, n_docs);
    ws_status status = ws_segment_out_finish(out, &length, &hash, NULL);
    if (!status)
        status = ws_segment_out_take(out, &data, &size);
    ws_segment_out_free(out);
    return status ? status : ws_segment_open_memory(segment, data, size, &options, NULL);
}

/* --- repairing hashes, so that damage gets past them --- */

static inline void sample_rehash_section(uint8_t *data, size_t size, uint8_t *entry)
{
    uint64_t offset = ws_load_u64le(entry + 8), length = ws_load_u64le(entry + 16);
    if (ws_range_ok(offset, length, size))
        ws_store_u64le(entry + 24, ws_hash64(data + offset, length));
}

static inline void sample_resum(uint8_t *data, size_t size, const uint8_t *entry)
{
    uint64_t offset = ws_load_u64le(entry + 8), length = ws_load_u64le(entry + 16);
    if (ws_load_u16le(entry) != WS_KIND_BLOCK_SUMS || !ws_range_ok(offset, length, size))
        return;
    for (uint64_t b = 0; b < length / 8 && b * WS_SUM_BLOCK_BYTES < offset; b++) {
        uint64_t from = b * WS_SUM_BLOCK_BYTES,
                 n = WS_MIN((uint64_t)WS_SUM_BLOCK_BYTES, offset - from);
        ws_store_u64le(data + offset + b * 8, ws_hash64(data + from, n));
    }
}

/* Makes every hash of a segment right again, as far as its table can be found. Sums come last in
 * the file. */
static inline void sample_rehash(uint8_t *data, size_t size)
{
    if (size < WS_SEGMENT_HEADER_BYTES + WS_SEGMENT_TAIL_BYTES)
        return;
    uint8_t *tail = data + size - WS_SEGMENT_TAIL_BYTES;
    uint64_t table = ws_load_u64le(tail), n = ws_load_u32le(tail + 8);
    if (!ws_range_ok(table, n * WS_SECTION_ENTRY_BYTES, size - WS_SEGMENT_TAIL_BYTES))
        return;
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *entry = data + table + i * WS_SECTION_ENTRY_BYTES;
        sample_resum(data, size, entry);
        sample_rehash_section(data, size, entry);
    }
    ws_hasher *h = ws_hasher_new();
    sample_must(h != NULL, "memory");
    ws_hasher_update(h, data, WS_SEGMENT_HEADER_BYTES);
    ws_hasher_update(h, data + table, (size_t)(tail + 24 - (data + table)));
    ws_store_u64le(tail + 24, ws_hasher_digest(h));
    ws_hasher_free(h);
}

/* --- an index directory --- */

/* Adds a segment made of docs[n] to `m` (live_generation 0) and writes its file into DIR. */
static inline ws_status sample_add_segment(ws_manifest *m, const char *dir, const sample_doc *docs,
                                           uint32_t n, ws_error *error)
{
    char name[64], path[4096];
    ws_manifest_segment entry = {.id = m->next_segment_id, .n_docs = n, .in_epoch = 1};
    ws_manifest_segment *grown = ws_reallocarray(m->segments, m->n_segments + 1u, sizeof *grown);
    if (!grown)
        return WS_ERR_NOMEM;
    m->segments = grown;
    ws_segment_file_name(name, entry.id);
    WS_TRY(ws_path_join(path, sizeof path, dir, name));
    WS_TRY(
        sample_write(docs, n, entry.id, path, &entry.length, &entry.tail_hash, NULL, NULL, error));
    m->segments[m->n_segments++] = entry;
    m->next_segment_id++;
    return WS_OK;
}

/* A manifest of generation 0 with the sample's schema. */
static inline void sample_manifest(ws_manifest *m)
{
    ws_manifest_init(m);
    m->schema = sample_schema();
    m->next_segment_id = 1;
}

/* Makes `m` the next generation: counts, epoch of everything in it. */
static inline ws_status sample_commit(ws_manifest *m, const char *dir, ws_error *error)
{
    m->previous_generation = m->generation++;
    return ws_manifest_commit(m, dir, error);
}

/* Overwrites one byte of a file in place. */
static inline void sample_poke(const char *path, size_t at, uint8_t byte)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    sample_must(fd >= 0 && pwrite(fd, &byte, 1, (off_t)at) == 1, "cannot change a file");
    close(fd);
}

/* --- reading everything --- */

typedef struct {
    uint64_t hash;    /* over all that was read: equal hashes, equal content */
    ws_status status; /* the first error */
} sample_reading;

static inline void sample_note(sample_reading *r, ws_status status)
{
    if (status && status != WS_ERR_NOT_FOUND && !r->status)
        r->status = status;
}

static inline void sample_mix(sample_reading *r, const void *bytes, size_t n)
{
    r->hash = ws_hash64_seed(n ? bytes : "", n, r->hash);
}

static inline void sample_mix_u64(sample_reading *r, uint64_t value)
{
    sample_mix(r, &value, sizeof value);
}

static inline void sample_read_postings(sample_reading *r, ws_segment *s, const ws_term_info *info,
                                        ws_postings *p)
{
    uint32_t positions[512];
    ws_status status = WS_OK;
    ws_postings_open(p, s, info);
    for (uint32_t b = 0; b < p->n_blocks && !status; b++) {
        status = ws_postings_load(p, b);
        if (!status)
            status = ws_postings_load_tfs(p);
        for (uint32_t i = 0; i < p->n && !status; i++) {
            sample_mix_u64(r, p->docs[i]);
            sample_mix_u64(r, p->tfs[i]);
            if (!info->positions || p->tfs[i] > WS_ARRAY_LEN(positions))
                continue;
            status = ws_postings_positions(p, i, positions);
            if (!status)
                sample_mix(r, positions, p->tfs[i] * 4u);
        }
    }
    sample_note(r, status);
}

static inline void sample_read_terms(sample_reading *r, ws_segment *s)
{
    ws_term_iterator it;
    ws_term_info found;
    ws_postings *p = malloc(sizeof *p);
    sample_must(p != NULL, "memory");
    ws_status status = ws_term_iterator_init(&it, s, ws_cstr(NULL));
    while (!status && !(status = ws_term_iterator_next(&it))) {
        ws_str key = {(const char *)it.key, it.key_length};
        sample_mix(r, it.key, it.key_length);
        sample_read_postings(r, s, &it.info, p);
        ws_status lookup = ws_dictionary_find(s, key, &found);
        sample_note(r, lookup);
        sample_mix_u64(r, lookup == WS_OK);
        if (it.key_length > WS_TERM_KEY_MAX)
            break;
    }
    sample_note(r, status);
    free(p);
}

static inline void sample_read_identity(sample_reading *r, ws_segment *s, uint32_t doc)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    uint32_t found = 0;
    sample_mix_u64(r, ws_segment_doc_key(s, doc));
    ws_status status = ws_segment_id(s, doc, buffer, &id);
    if (!status) {
        sample_mix(r, id.ptr, id.len);
        status = ws_segment_find_id(s, id, &found);
        sample_mix_u64(r, status ? UINT64_MAX : found);
    }
    sample_note(r, status);
}

static inline void sample_read_values(sample_reading *r, ws_segment *s, uint32_t doc,
                                      ws_stored_reader *reader)
{
    ws_buf whole;
    ws_str chunk;
    uint32_t at;
    ws_buf_init(&whole);
    ws_status status = ws_stored_open(reader, s, doc);
    for (uint32_t i = 0; !status && i < ws_stored_count(reader); i++) {
        const ws_stored_head *head = ws_stored_value_head(reader, i);
        sample_mix_u64(r, head->field);
        sample_mix_u64(r, head->raw_length);
        ws_buf_clear(&whole);
        status = ws_stored_whole(reader, i, &whole);
        if (!status)
            sample_mix(r, whole.data, whole.len);
        if (!status)
            status = ws_stored_chunk(reader, i, head->raw_length / 2, &chunk, &at);
        if (!status)
            sample_mix(r, chunk.ptr, chunk.len);
    }
    sample_note(r, status);
    ws_buf_fini(&whole);
}

static inline void sample_read_maps(sample_reading *r, ws_segment *s, uint32_t doc)
{
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        for (uint32_t position = 0; s->token_map[f].size; position += WS_TOKEN_MAP_INTERVAL) {
            uint32_t offset, from;
            ws_status status = ws_token_map_find(s, f, doc, position, &offset, &from);
            sample_note(r, status);
            if (status)
                break;
            sample_mix_u64(r, offset);
        }
}

static inline void sample_read_column(sample_reading *r, ws_segment *s, uint32_t field)
{
    uint32_t type = ws_column_type(s, field), ordinals[64], n;
    for (uint32_t i = 0; type != WS_COLUMN_INT && i < ws_column_distinct(s, field); i++) {
        ws_str value;
        int64_t ordinal;
        ws_status status = ws_column_value(s, field, i, &value);
        if (!status) {
            sample_mix(r, value.ptr, value.len);
            status = ws_column_ordinal(s, field, value, &ordinal);
            sample_mix_u64(r, (uint64_t)ordinal);
        }
        sample_note(r, status);
    }
    for (uint32_t d = 0; d < s->meta.n_docs; d++) {
        int64_t value = 0;
        int present = 0;
        if (type == WS_COLUMN_INT) {
            sample_note(r, ws_column_int(s, field, d, &value, &present));
            sample_mix_u64(r, present ? (uint64_t)value : 0);
        } else {
            ws_status status =
                ws_column_ordinals(s, field, d, ordinals, WS_ARRAY_LEN(ordinals), &n);
            sample_note(r, status);
            if (!status)
                sample_mix(r, ordinals, WS_MIN(n, (uint32_t)WS_ARRAY_LEN(ordinals)) * 4u);
        }
    }
}

/* Reads whatever a segment has, by every way there is. */
static inline sample_reading sample_read(ws_segment *s)
{
    sample_reading r = {0, WS_OK};
    ws_stored_reader *reader;
    const uint8_t *norms;
    sample_must(ws_stored_reader_new(&reader) == WS_OK, "memory");
    sample_mix(&r, &s->file.id, sizeof s->file.id);
    sample_mix(&r, &s->file.fingerprint, sizeof s->file.fingerprint);
    for (uint32_t i = 0; i < s->meta.n_streams; i++) {
        const ws_stream_meta *m = &s->meta.streams[i];
        ws_status status = ws_segment_norms(s, m->field, m->stream, &norms);
        sample_note(&r, status);
        if (!status && norms)
            sample_mix(&r, norms, s->meta.n_docs);
    }
    sample_read_terms(&r, s);
    for (uint32_t d = 0; d < s->meta.n_docs; d++) {
        sample_read_identity(&r, s, d);
        sample_read_values(&r, s, d, reader);
        sample_read_maps(&r, s, d);
    }
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        if (s->column[f].size)
            sample_read_column(&r, s, f);
    ws_stored_reader_free(reader);
    return r;
}

#endif
