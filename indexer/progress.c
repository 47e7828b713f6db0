#include "indexer/progress.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define REDRAW_NS 200000000u

void ws_progress_init(ws_progress *p, FILE *out, int quiet)
{
    memset(p, 0, sizeof *p);
    p->out = out;
    p->quiet = quiet;
    p->on_terminal = isatty(fileno(out));
    p->started_ns = ws_now_ns();
}

void ws_progress_format(const ws_import_progress *progress, uint64_t elapsed_ns, char out[128])
{
    double seconds = (double)elapsed_ns * 1e-9;
    double rate = seconds > 0 ? (double)progress->bytes / 1e6 / seconds : 0;
    int n = snprintf(out, 128, "%llu documents, %.1f MB/s", (unsigned long long)progress->documents,
                     rate);
    if (progress->file_total == 0 || progress->file_bytes == 0 ||
        progress->file_bytes > progress->file_total)
        return;
    double share = (double)progress->file_bytes / (double)progress->file_total;
    unsigned long left = (unsigned long)(seconds / share - seconds);
    snprintf(out + n, 128 - (size_t)n, ", %.0f %%, %lu:%02lu left", 100 * share, left / 60,
             left % 60);
}

static void erase(ws_progress *p)
{
    if (p->is_drawn)
        fprintf(p->out, "\r\033[K");
    p->is_drawn = 0;
}

void ws_progress_show(void *ctx, const ws_import_progress *progress)
{
    ws_progress *p = ctx;
    char line[128];
    uint64_t now = ws_now_ns();
    if (p->quiet || !p->on_terminal || now - p->drawn_ns < REDRAW_NS)
        return;
    ws_progress_format(progress, now - p->started_ns, line);
    fprintf(p->out, "\r\033[K%s", line);
    fflush(p->out);
    p->drawn_ns = now;
    p->is_drawn = 1;
}

void ws_progress_committed(void *ctx, uint64_t generation, uint64_t documents)
{
    ws_progress *p = ctx;
    if (p->quiet)
        return;
    erase(p);
    fprintf(p->out, "generation %llu: %llu documents committed\n", (unsigned long long)generation,
            (unsigned long long)documents);
    fflush(p->out);
}

void ws_progress_message(void *ctx, const char *text)
{
    ws_progress *p = ctx;
    if (p->quiet)
        return;
    erase(p);
    fprintf(p->out, "wikisearch: %s\n", text);
    fflush(p->out);
}

void ws_progress_end(ws_progress *p)
{
    erase(p);
    fflush(p->out);
}
