/* A byte stream as a client could send it: however it is cut into packets, the requests and the
 * refusal that come out must be the same, and everything behind them must take what came out.
 *
 * Input: one byte that says how to cut (0 to 200: pieces of that many bytes + 1; above: random
 * pieces with that seed), then the stream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "server/params.h"
#include "server/reader.h"
#include "server/route.h"
#include "server/uri.h"
#include "tests/support/rng.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BODY_LIMIT 2000

static const char *const choices[] = {"or", "and", NULL};
static const ws_param_spec specs[] = {
    {"q", WS_PARAM_TEXT, 0, 100, 0, NULL},
    {"limit", WS_PARAM_NUMBER, 0, 100, 20, NULL},
    {"highlight", WS_PARAM_BOOL, 0, 1, 1, NULL},
    {"operator", WS_PARAM_CHOICE, 0, 0, 0, choices},
};
#define N_SPECS (sizeof specs / sizeof specs[0])

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_http: %s\n", what);
        abort();
    }
}

static void note_params(ws_buf *out, const ws_request *r)
{
    ws_param_value values[N_SPECS];
    ws_problem problem = {.kind = WS_PROBLEM_NONE};
    ws_arena arena;
    ws_arena_init(&arena);
    ws_params_init(specs, N_SPECS, values);
    int ok = ws_params_from_query(specs, N_SPECS, r->query, &arena, values, &problem) &&
             ws_params_from_json(specs, N_SPECS, ws_buf_slice(&r->body), &arena, values, &problem);
    require(ok == (problem.kind == WS_PROBLEM_NONE), "a refusal without a problem");
    for (size_t i = 0; ok && i < N_SPECS; i++) {
        ws_buf_printf(out, " %llu", (unsigned long long)values[i].number);
        require(ws_utf8_valid(values[i].text), "a parameter that is not UTF-8");
        require(values[i].text.len <= 100, "a parameter beyond its limit");
    }
    ws_problem_write(out, &problem, r->path, WS_STR(""));
    ws_arena_fini(&arena);
}

static void note_request(ws_buf *out, const ws_request *r)
{
    ws_str argument;
    ws_problem problem = {.kind = WS_PROBLEM_NONE};
    ws_buf_printf(out, "%s 1.%u %u ", ws_method_name(r->method), r->minor, r->keep_alive);
    ws_buf_str(out, r->line);
    ws_buf_str(out, r->path);
    ws_buf_str(out, r->query);
    for (int i = 0; i < WS_HEADERS; i++)
        ws_buf_str(out, r->fields[i]);
    ws_buf_str(out, ws_buf_slice(&r->body));
    require(r->body.len <= BODY_LIMIT, "a body beyond its limit");
    require(r->method != WS_METHOD_GET || r->path.ptr[0] == '/', "a path without a slash");
    const ws_route *route = ws_route_find(r->path, &argument, &problem);
    require(route != NULL || problem.kind != WS_PROBLEM_NONE, "no route and no problem");
    note_params(out, r);
}

/* The cut pieces are copies of exactly their size, so that reading beyond them is seen. */
static ws_read_result feed_copy(ws_reader *reader, const uint8_t *data, size_t len,
                                size_t *consumed)
{
    char *copy = malloc(len ? len : 1);
    require(copy != NULL, "out of memory");
    if (len)
        memcpy(copy, data, len);
    ws_read_result result = ws_reader_feed(reader, copy, len, consumed);
    free(copy);
    return result;
}

/* Reads data[len], which grows by step(how) bytes at a time; how = WHOLE: all at once. */
#define WHOLE 256u

static size_t next_step(unsigned how, size_t len, ws_rng *rng)
{
    if (how == WHOLE)
        return len;
    return how <= 200 ? how + 1u : 1 + (size_t)ws_rng_below(rng, 40);
}

static void read_stream(const uint8_t *data, size_t len, unsigned how, ws_buf *out)
{
    ws_reader reader;
    ws_request *request = NULL;
    ws_rng rng = ws_rng_make(how);
    size_t done = 0, seen = 0, consumed;
    int more = 1;
    ws_reader_init(&reader, BODY_LIMIT);
    while (more) {
        ws_read_result result = feed_copy(&reader, data + done, seen - done, &consumed);
        require(consumed <= seen - done, "consumed more than there was");
        done += consumed;
        if (result == WS_READ_HEAD) {
            request = reader.request;
        } else if (result == WS_READ_DONE) {
            note_request(out, request);
            ws_request_free(request);
            request = NULL;
        } else if (result == WS_READ_REFUSED) {
            ws_buf_printf(out, "refused %d %s", (int)reader.refusal.kind, reader.refusal.detail);
            more = 0;
        } else if (seen == len) {
            more = 0;
        } else {
            size_t step = next_step(how, len, &rng);
            seen = len - seen < step ? len : seen + step;
        }
    }
    ws_request_free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_buf whole, cut;
    if (size < 1 || size > 60000)
        return 0;
    ws_buf_init(&whole);
    ws_buf_init(&cut);
    read_stream(data + 1, size - 1, WHOLE, &whole);
    read_stream(data + 1, size - 1, data[0], &cut);
    require(ws_buf_status(&whole) == WS_OK && ws_buf_status(&cut) == WS_OK, "out of memory");
    require(ws_str_eq(ws_buf_slice(&whole), ws_buf_slice(&cut)), "the cut made a difference");
    ws_buf_fini(&whole);
    ws_buf_fini(&cut);
    return 0;
}
