#include "indexer/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "indexer/json_load.h"

#define MB  1e6
#define MIB 1048576.0

uint64_t ws_peak_rss(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

/* --- an index --- */

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) /* beyond 2^53 */
        return strtoull(json_string_value(value), NULL, 10);
    return (uint64_t)json_integer_value(value);
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static double mib(uint64_t bytes)
{
    return (double)bytes / MIB;
}

static void print_sections(FILE *out, const json_t *root)
{
    const char *kind;
    json_t *bytes, *sections = json_object_get(root, "sections");
    json_object_foreach(sections, kind, bytes)
        fprintf(out, "  %-12s %15" PRIu64 "\n", kind, (uint64_t)json_integer_value(bytes));
}

static void print_time(FILE *out, uint64_t seconds)
{
    time_t t = (time_t)seconds;
    struct tm when;
    char buffer[64];
    if (seconds && gmtime_r(&t, &when) &&
        strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S UTC", &when))
        fprintf(out, "committed       %s\n", buffer);
}

static void print_segments(FILE *out, const json_t *root)
{
    size_t i;
    json_t *segment;
    fprintf(out, "segments        %zu\n", json_array_size(json_object_get(root, "segments")));
    json_array_foreach(json_object_get(root, "segments"), i, segment)
        fprintf(out, "  %s %10" PRIu64 " documents %8" PRIu64 " deleted %9.1f MiB\n",
                text(segment, "segment"), number(segment, "documents"), number(segment, "deleted"),
                mib(number(segment, "bytes")));
}

static void print_index(FILE *out, const json_t *root)
{
    fprintf(out, "generation      %" PRIu64 "%s\n", number(root, "generation"),
            json_is_true(json_object_get(root, "fallback"))
                ? " (MANIFEST was damaged: this is the one before)"
                : "");
    print_time(out, number(root, "commit_time"));
    fprintf(out, "documents       %" PRIu64 "\n", number(root, "documents"));
    fprintf(out, "deleted         %" PRIu64 "\n", number(root, "deleted"));
    fprintf(out, "terms           %" PRIu64 "\n", number(root, "terms"));
    fprintf(out, "postings        %" PRIu64 "\n", number(root, "postings"));
    fprintf(out, "positions       %" PRIu64 "\n", number(root, "positions"));
    fprintf(out, "epoch           %" PRIu64 " (%" PRIu64 " documents)\n", number(root, "epoch"),
            number(root, "epoch_documents"));
    fprintf(out, "analysis        %s%s\n", text(root, "analysis"),
            json_is_false(json_object_get(root, "analysis_ok"))
                ? " (other rules than this program's)"
                : "");
    print_segments(out, root);
    fprintf(out, "bytes           %" PRIu64 "\n", number(root, "bytes"));
    print_sections(out, root);
}

void ws_report_index(FILE *out, ws_str description)
{
    json_t *root;
    if (ws_json_load(&root, description, 0, NULL))
        return;
    print_index(out, root);
    json_decref(root);
}

void ws_report_json(FILE *out, ws_str json)
{
    json_t *root;
    if (ws_json_load(&root, json, 0, NULL))
        return;
    json_dumpf(root, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(root);
}

/* --- an import --- */

static double rate(uint64_t bytes, uint64_t ns)
{
    return ns ? (double)bytes / MB / ((double)ns * 1e-9) : 0;
}

static void print_bad(FILE *out, const ws_import_report *r, const char *const *files)
{
    for (uint32_t i = 0; i < r->n_bad_kept; i++) {
        const ws_import_bad *bad = &r->bad_kept[i];
        fprintf(out, "  %s byte %" PRIu64 " (document %" PRIu64 "): %s\n", files[bad->file],
                bad->offset, bad->documents, bad->reason);
    }
    if (r->bad > r->n_bad_kept)
        fprintf(out, "  ... and %" PRIu64 " more\n", r->bad - r->n_bad_kept);
}

static void print_notes(FILE *out, const ws_import_report *r)
{
    if (r->resumed_at)
        fprintf(out, "resumed at      document %" PRIu64 "\n", r->resumed_at);
    if (r->replaced)
        fprintf(out, "replaced        %" PRIu64 " (an id that came before)\n", r->replaced);
    if (r->replaced_utf8)
        fprintf(out, "invalid UTF-8   %" PRIu64 " sequences replaced\n", r->replaced_utf8);
    if (r->truncated_terms)
        fprintf(out, "long terms      %" PRIu64 " cut\n", r->truncated_terms);
    if (r->ignored_keys)
        fprintf(out, "ignored keys    %" PRIu64 " values of keys that the schema does not name\n",
                r->ignored_keys);
}

void ws_report_import(FILE *out, const ws_import_report *r, const char *const *files,
                      ws_str description)
{
    fprintf(out, "documents       %" PRIu64 "\n", r->documents);
    fprintf(out, "bad             %" PRIu64 "\n", r->bad);
    print_bad(out, r, files);
    print_notes(out, r);
    fprintf(out, "read            %.1f MB (%.1f MB in files)\n", (double)r->bytes / MB,
            (double)r->file_bytes / MB);
    fprintf(out, "time            %.2f s, %.2f s of CPU, %u threads\n", (double)r->wall_ns * 1e-9,
            (double)r->cpu_ns * 1e-9, r->threads);
    fprintf(out, "speed           %.1f MB/s, %.1f MB/s per core\n", rate(r->bytes, r->wall_ns),
            rate(r->bytes, r->cpu_ns));
    fprintf(out, "memory          %.1f MiB resident at most, ceiling %.1f MiB\n",
            mib(ws_peak_rss()), mib(r->memory));
    fprintf(out, "flushes, merges %" PRIu64 ", %" PRIu64 "\n", r->flushes, r->merges);
    if (description.len)
        ws_report_index(out, description);
}

static void write_bad(ws_json *j, const ws_import_report *r, const char *const *files)
{
    ws_json_key(j, "bad_documents");
    ws_json_array(j);
    for (uint32_t i = 0; i < r->n_bad_kept; i++) {
        ws_json_object(j);
        ws_json_kcstr(j, "file", files[r->bad_kept[i].file]);
        ws_json_ku64(j, "offset", r->bad_kept[i].offset);
        ws_json_ku64(j, "document", r->bad_kept[i].documents);
        ws_json_kcstr(j, "reason", r->bad_kept[i].reason);
        ws_json_end_object(j);
    }
    ws_json_end_array(j);
}

static void write_double(ws_json *j, const char *key, double value)
{
    ws_json_key(j, key);
    ws_json_double(j, value, 3);
}

void ws_report_import_json(ws_json *j, const ws_import_report *r, const char *const *files,
                           ws_str description)
{
    ws_json_object(j);
    ws_json_ku64(j, "documents", r->documents);
    ws_json_ku64(j, "resumed_at", r->resumed_at);
    ws_json_ku64(j, "bad", r->bad);
    write_bad(j, r, files);
    ws_json_ku64(j, "replaced", r->replaced);
    ws_json_ku64(j, "replaced_utf8", r->replaced_utf8);
    ws_json_ku64(j, "truncated_terms", r->truncated_terms);
    ws_json_ku64(j, "ignored_keys", r->ignored_keys);
    ws_json_ku64(j, "bytes", r->bytes);
    ws_json_ku64(j, "file_bytes", r->file_bytes);
    write_double(j, "seconds", (double)r->wall_ns * 1e-9);
    write_double(j, "cpu_seconds", (double)r->cpu_ns * 1e-9);
    write_double(j, "mb_per_second", rate(r->bytes, r->wall_ns));
    write_double(j, "mb_per_second_per_core", rate(r->bytes, r->cpu_ns));
    ws_json_ku64(j, "threads", r->threads);
    ws_json_ku64(j, "peak_rss", ws_peak_rss());
    ws_json_ku64(j, "peak_inversion", r->peak_memory);
    ws_json_ku64(j, "memory", r->memory);
    ws_json_ku64(j, "generation", r->generation);
    ws_json_ku64(j, "flushes", r->flushes);
    ws_json_ku64(j, "merges", r->merges);
    if (description.len) {
        ws_json_key(j, "index");
        ws_json_raw(j, description);
    }
    ws_json_end_object(j);
}
