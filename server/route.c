#include "server/route.h"

#include "base/bytes.h"
#include "base/str.h"
#include "server/embedded.h"

#define POST_TOO (WS_ALLOW_GET | WS_ALLOW(WS_METHOD_POST))

/* clang-format off */
static const ws_route routes[] = {
    {"/v1/search", ws_handle_search, POST_TOO, 0, WS_ACCESS_KEY, WS_ROUTE_SEARCH},
    {"/v1/documents", ws_handle_documents, WS_ALLOW_GET, 0, WS_ACCESS_KEY, WS_ROUTE_DOC},
    {"/v1/documents/", ws_handle_document, WS_ALLOW_GET, 1, WS_ACCESS_KEY, WS_ROUTE_DOC},
    {"/v1/analyze", ws_handle_analyze, WS_ALLOW(WS_METHOD_POST), 0, WS_ACCESS_KEY, WS_ROUTE_OTHER},
    {"/v1/stats", ws_handle_stats, WS_ALLOW_GET, 0, WS_ACCESS_KEY, WS_ROUTE_OTHER},
    {"/v1/config", ws_handle_config, WS_ALLOW_GET, 0, WS_ACCESS_ADMIN, WS_ROUTE_OTHER},
    {"/metrics", ws_handle_metrics, WS_ALLOW_GET, 0, WS_ACCESS_KEY, WS_ROUTE_OTHER},
    {"/version", ws_handle_version, WS_ALLOW_GET, 0, WS_ACCESS_KEY, WS_ROUTE_OTHER},
    {"/livez", ws_handle_live, WS_ALLOW_GET, 0, WS_ACCESS_PUBLIC, WS_ROUTE_OTHER},
    {"/health", ws_handle_live, WS_ALLOW_GET, 0, WS_ACCESS_PUBLIC, WS_ROUTE_OTHER},
    {"/readyz", ws_handle_ready, WS_ALLOW_GET, 0, WS_ACCESS_PUBLIC, WS_ROUTE_OTHER},
};
static const ws_route static_route = {
    "/", ws_handle_static, WS_ALLOW_GET, 0, WS_ACCESS_PUBLIC, WS_ROUTE_UI
};
/* clang-format on */

#define INDEXES       "/v1/indexes/"
#define DEFAULT_INDEX "default"

/* Turns /v1/indexes/default/X into rest = /X; returns 0 for the name of another index. */
static int strip_index(ws_str path, ws_str *rest, ws_problem *problem)
{
    size_t start = sizeof INDEXES - 1, end = start;
    while (end < path.len && path.ptr[end] != '/')
        end++;
    *rest = ws_str_sub(path, end, path.len);
    ws_str name = ws_str_sub(path, start, end);
    if (ws_str_eq(name, WS_STR(DEFAULT_INDEX)))
        return 1;
    ws_problem_set(problem, WS_PROBLEM_INDEX_NOT_FOUND,
                   "there is no index \"%.*s\", only \"" DEFAULT_INDEX "\"",
                   (int)WS_MIN(name.len, (size_t)64), name.ptr ? name.ptr : "");
    return 0;
}

/* The path of a route without /v1, when it has it. */
static int matches(const ws_route *route, ws_str path, int versioned, ws_str *argument)
{
    ws_str own = ws_cstr(route->path);
    if (versioned) {
        if (!ws_str_starts_with(own, WS_STR("/v1/")))
            return 0;
        own = ws_str_sub(own, 3, own.len);
    }
    if (!route->has_argument)
        return ws_str_eq(own, path);
    if (!ws_str_starts_with(path, own) || path.len == own.len)
        return 0;
    *argument = ws_str_sub(path, own.len, path.len);
    return memchr(argument->ptr, '/', argument->len) == NULL;
}

static int is_embedded(ws_str path)
{
    if (ws_str_eq(path, WS_STR("/")))
        return 1;
    ws_str name = ws_str_sub(path, 1, path.len);
    for (size_t i = 0; i < ws_embedded_file_count; i++) {
        if (ws_str_eq(name, ws_cstr(ws_embedded_files[i].path)))
            return 1;
    }
    return 0;
}

const ws_route *ws_route_find(ws_str path, ws_str *argument, ws_problem *problem)
{
    ws_str rest = path;
    int versioned = ws_str_starts_with(path, WS_STR(INDEXES));
    *argument = (ws_str){NULL, 0};
    if (versioned && !strip_index(path, &rest, problem))
        return NULL;
    for (size_t i = 0; i < WS_ARRAY_LEN(routes); i++) {
        if (matches(&routes[i], rest, versioned, argument))
            return &routes[i];
    }
    *argument = (ws_str){NULL, 0};
    if (!versioned && is_embedded(path))
        return &static_route;
    ws_problem_set(problem, WS_PROBLEM_NO_SUCH_ROUTE, "there is nothing at %.*s",
                   (int)WS_MIN(path.len, (size_t)160), path.ptr);
    return NULL;
}

void ws_route_write_allow(const ws_route *route, ws_buf *out)
{
    unsigned allow = route ? route->allow : POST_TOO;
    for (unsigned m = 0; m < WS_METHODS; m++) {
        if (allow & WS_ALLOW(m))
            ws_buf_printf(out, "%s, ", ws_method_name(m));
    }
    ws_buf_cstr(out, "OPTIONS");
}
