#include "indexer/hits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf16.h"
#include "indexer/cli.h"
#include "indexer/json_load.h"

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

/* --- which fields --- */

static int is_shown(const json_t *field)
{
    static const char *const taken[] = {"id", "title", "snippet", "_score", "_highlight"};
    const char *name = json_string_value(json_object_get(field, "name"));
    const char *type = json_string_value(json_object_get(field, "type"));
    if (!name || !type || strlen(name) > 64 || !strcmp(type, "text") ||
        json_is_false(json_object_get(field, "stored")))
        return 0;
    for (size_t i = 0; i < WS_ARRAY_LEN(taken); i++)
        if (!strcmp(name, taken[i]))
            return 0;
    return 1;
}

ws_status ws_hit_fields_read(ws_hit_fields *fields, ws_str description)
{
    json_t *root, *field;
    size_t i;
    fields->n = 0;
    ws_status status = ws_json_load(&root, description, 0, NULL);
    if (status)
        return status;
    json_array_foreach(json_object_get(json_object_get(root, "schema"), "fields"), i, field)
    {
        if (!is_shown(field) || fields->n == WS_HIT_FIELDS_MAX)
            continue;
        ws_hit_field *f = &fields->fields[fields->n++];
        snprintf(f->name, sizeof f->name, "%s", json_string_value(json_object_get(field, "name")));
        f->is_int = !strcmp(json_string_value(json_object_get(field, "type")), "int");
        f->is_multi = json_is_true(json_object_get(field, "multi"));
    }
    json_decref(root);
    return WS_OK;
}

/* --- JSON --- */

static void write_spans(ws_json *j, const char *key, ws_str text, const ws_span *spans, uint32_t n)
{
    ws_utf16_walk walk;
    ws_utf16_begin(&walk, text);
    ws_json_key(j, key);
    ws_json_array(j);
    for (uint32_t i = 0; i < n; i++) {
        ws_json_array(j);
        ws_json_u64(j, ws_utf16_units(&walk, spans[i].start));
        ws_json_u64(j, ws_utf16_units(&walk, spans[i].end));
        ws_json_end_array(j);
    }
    ws_json_end_array(j);
}

static void write_value(ws_json *j, const ws_hit_field *field, ws_str value)
{
    int64_t n;
    if (field->is_int && ws_str_to_i64(value, &n))
        ws_json_i64(j, n);
    else
        ws_json_str(j, value);
}

static void write_field(ws_json *j, const ws_results *results, uint32_t i,
                        const ws_hit_field *field)
{
    ws_str value, name = ws_cstr(field->name);
    if (ws_results_field(results, i, name, 0, &value))
        return;
    ws_json_key(j, field->name);
    if (!field->is_multi) {
        write_value(j, field, value);
        return;
    }
    ws_json_array(j);
    for (uint32_t n = 0; ws_results_field(results, i, name, n, &value) == WS_OK; n++)
        write_value(j, field, value);
    ws_json_end_array(j);
}

static void write_hit(ws_json *j, const ws_results *results, uint32_t i,
                      const ws_hit_fields *fields)
{
    ws_hit hit = {.size = sizeof hit};
    if (ws_results_hit(results, i, &hit))
        return;
    ws_json_object(j);
    ws_json_kstr(j, "id", hit.id);
    ws_json_key(j, "_score");
    ws_json_double(j, hit.score_value, 6);
    if (hit.fetched) {
        ws_json_kstr(j, "title", hit.title);
        ws_json_kstr(j, "snippet", hit.snippet);
        ws_json_key(j, "_highlight");
        ws_json_object(j);
        write_spans(j, "title", hit.title, hit.title_spans, hit.n_title_spans);
        write_spans(j, "snippet", hit.snippet, hit.snippet_spans, hit.n_snippet_spans);
        ws_json_end_object(j);
        for (uint32_t f = 0; f < fields->n; f++)
            write_field(j, results, i, &fields->fields[f]);
    }
    ws_json_end_object(j);
}

/* Copies a part of the query's description; an empty array when it is not there. */
static void write_part(ws_json *j, const json_t *description, const char *key)
{
    char *text = json_dumps(json_object_get(description, key), JSON_ENCODE_ANY | JSON_COMPACT);
    ws_json_key(j, key);
    ws_json_raw(j, text ? ws_cstr(text) : WS_STR("[]"));
    free(text); /* jansson's */
}

static void write_total(ws_json *j, const ws_answer *a)
{
    uint64_t value;
    uint32_t relation;
    ws_results_total(a->results, &value, &relation);
    ws_json_key(j, "total");
    ws_json_object(j);
    ws_json_ku64(j, "value", value);
    ws_json_kcstr(j, "relation", relation == WS_RELATION_EQ ? "eq" : "gte");
    ws_json_end_object(j);
}

static void write_cost(ws_json *j, const ws_answer *a)
{
    ws_cost cost = {.size = sizeof cost};
    ws_results_cost(a->results, &cost);
    ws_json_key(j, "took_ms");
    ws_json_double(j, (double)a->took_ns * 1e-6, 3);
    ws_json_key(j, "cost");
    ws_json_object(j);
    ws_json_ku64(j, "terms", cost.n_terms);
    ws_json_ku64(j, "document_frequency", cost.document_frequency);
    ws_json_ku64(j, "postings", cost.postings);
    ws_json_ku64(j, "blocks", cost.blocks);
    ws_json_ku64(j, "positions", cost.positions);
    ws_json_ku64(j, "windows", cost.windows);
    ws_json_ku64(j, "scored", cost.scored);
    ws_json_ku64(j, "fetch_bytes", cost.fetch_bytes);
    ws_json_ku64(j, "analysed_bytes", cost.analysed_bytes);
    ws_json_ku64(j, "score_us", cost.score_cpu_ns / 1000);
    ws_json_ku64(j, "fetch_us", cost.fetch_cpu_ns / 1000);
    ws_json_ku64(j, "scale_shift", cost.scale_shift);
    ws_json_end_object(j);
}

static void write_query(ws_json *j, const ws_answer *a, const json_t *description)
{
    ws_json_key(j, "query");
    ws_json_object(j);
    ws_json_kstr(j, "q", a->text);
    write_part(j, description, "normalized");
    write_part(j, description, "terms");
    write_part(j, description, "ignored");
    ws_json_kbool(j, "relaxed", 0);
    ws_json_end_object(j);
}

void ws_hits_write(ws_json *j, const ws_answer *a, const ws_hit_fields *fields)
{
    json_t *description;
    if (ws_json_load(&description, ws_query_describe(a->query), WS_JSON_LOAD_NUL, NULL))
        description = NULL;
    ws_json_object(j);
    ws_json_key(j, "hits");
    ws_json_array(j);
    for (uint32_t i = 0; i < ws_results_count(a->results); i++)
        write_hit(j, a->results, i, fields);
    ws_json_end_array(j);
    write_total(j, a);
    write_query(j, a, description);
    ws_json_kbool(j, "partial", a->partial);
    ws_json_key(j, "degraded");
    ws_json_array(j);
    ws_json_end_array(j);
    write_part(j, description, "warnings");
    ws_json_ku64(j, "generation", a->generation);
    if (a->profile)
        write_cost(j, a);
    ws_json_end_object(j);
    json_decref(description);
}

/* --- text --- */

static void print_marked(FILE *out, ws_str text, const ws_span *spans, uint32_t n, int bold)
{
    uint32_t at = 0;
    for (uint32_t i = 0; bold && i < n; i++) {
        ws_cli_print_safe(out, ws_str_sub(text, at, spans[i].start));
        fputs(BOLD, out);
        ws_cli_print_safe(out, ws_str_sub(text, spans[i].start, spans[i].end));
        fputs(PLAIN, out);
        at = spans[i].end;
    }
    ws_cli_print_safe(out, ws_str_sub(text, at, text.len));
}

static void print_hit(FILE *out, const ws_answer *a, uint32_t i, uint32_t rank, int bold)
{
    ws_hit hit = {.size = sizeof hit};
    if (ws_results_hit(a->results, i, &hit))
        return;
    fprintf(out, "%4u  %10.6f  ", rank, hit.score_value);
    ws_cli_print_safe(out, hit.id);
    fputs("  ", out);
    print_marked(out, hit.title, hit.title_spans, hit.n_title_spans, bold);
    fputc('\n', out);
    if (hit.snippet.len) {
        fputs("      ", out);
        print_marked(out, hit.snippet, hit.snippet_spans, hit.n_snippet_spans, bold);
        fputc('\n', out);
    }
}

static void print_cost(FILE *out, const ws_answer *a)
{
    ws_cost c = {.size = sizeof c};
    ws_results_cost(a->results, &c);
    fprintf(out, "took            %.3f ms\n", (double)a->took_ns * 1e-6);
    fprintf(out, "score, fetch    %.1f us, %.1f us of CPU\n", (double)c.score_cpu_ns * 1e-3,
            (double)c.fetch_cpu_ns * 1e-3);
    fprintf(out, "lists           %u, document frequency %" PRIu64 "\n", c.n_terms,
            c.document_frequency);
    fprintf(out, "postings        %" PRIu64 " in %" PRIu64 " blocks, %" PRIu64 " positions\n",
            c.postings, c.blocks, c.positions);
    fprintf(out, "windows, scored %" PRIu64 ", %" PRIu64 "\n", c.windows, c.scored);
    fprintf(out, "fetched         %" PRIu64 " bytes, %" PRIu64 " analysed\n", c.fetch_bytes,
            c.analysed_bytes);
}

void ws_hits_print(FILE *out, const ws_answer *a, uint32_t first_rank, int bold)
{
    uint64_t value;
    uint32_t relation;
    for (uint32_t i = 0; i < ws_results_count(a->results); i++)
        print_hit(out, a, i, first_rank + i, bold);
    ws_results_total(a->results, &value, &relation);
    if (a->with_total)
        fprintf(out, "%s%" PRIu64 " documents%s\n", relation == WS_RELATION_EQ ? "" : "at least ",
                value, a->partial ? " (not everything was searched: the time ended)" : "");
    if (a->profile)
        print_cost(out, a);
}
