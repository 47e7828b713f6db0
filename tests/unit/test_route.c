#include "server/route.h"

#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/test.h"

static const ws_route *find(const char *path, ws_str *argument, ws_problem *problem)
{
    ws_problem_set(problem, WS_PROBLEM_NONE, "%s", "");
    return ws_route_find(ws_cstr(path), argument, problem);
}

Test(route, finds_routes_and_arguments)
{
    static const struct {
        const char *path, *route, *argument;
    } rows[] = {
        {"/v1/search", "/v1/search", ""},
        {"/v1/indexes/default/search", "/v1/search", ""},
        {"/v1/documents", "/v1/documents", ""},
        {"/v1/documents/12", "/v1/documents/", "12"},
        {"/v1/documents/a%2Fb", "/v1/documents/", "a%2Fb"},
        {"/v1/indexes/default/documents/12", "/v1/documents/", "12"},
        {"/v1/indexes/default/stats", "/v1/stats", ""},
        {"/v1/analyze", "/v1/analyze", ""},
        {"/v1/config", "/v1/config", ""},
        {"/livez", "/livez", ""},
        {"/health", "/health", ""},
        {"/readyz", "/readyz", ""},
        {"/metrics", "/metrics", ""},
        {"/version", "/version", ""},
        {"/", "/", ""},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_str argument;
        ws_problem problem;
        const ws_route *route = find(rows[i].path, &argument, &problem);
        cr_assert_not_null(route, "%s", rows[i].path);
        cr_expect_str_eq(route->path, rows[i].route, "%s", rows[i].path);
        cr_expect(ws_str_eq(argument, ws_cstr(rows[i].argument)), "%s", rows[i].path);
    }
}

Test(route, refuses_other_paths)
{
    static const struct {
        const char *path;
        ws_problem_kind kind;
    } rows[] = {
        {"/v1", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/search/", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/Search", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/searchx", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v2/search", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/documents/", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/documents/a/b", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/indexes/", WS_PROBLEM_INDEX_NOT_FOUND},
        {"/v1/indexes/other/search", WS_PROBLEM_INDEX_NOT_FOUND},
        {"/v1/indexes/default", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/indexes/default/", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/indexes/default/livez", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/v1/indexes/default/v1/search", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/index.htm", WS_PROBLEM_NO_SUCH_ROUTE},
        {"/etc/passwd", WS_PROBLEM_NO_SUCH_ROUTE},
        {"//", WS_PROBLEM_NO_SUCH_ROUTE},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_str argument;
        ws_problem problem;
        cr_expect_null(find(rows[i].path, &argument, &problem), "%s", rows[i].path);
        cr_expect_eq(problem.kind, rows[i].kind, "%s", rows[i].path);
        cr_expect_eq(argument.len, 0, "%s", rows[i].path);
    }
}

static void expect_allow(const char *path, const char *wanted)
{
    ws_str argument;
    ws_problem problem;
    ws_buf out;
    ws_buf_init(&out);
    ws_route_write_allow(path ? find(path, &argument, &problem) : NULL, &out);
    cr_expect(ws_str_eq(ws_buf_slice(&out), ws_cstr(wanted)), "%.*s",
              WS_STR_ARG(ws_buf_slice(&out)));
    ws_buf_fini(&out);
}

Test(route, says_what_is_allowed)
{
    expect_allow("/v1/search", "GET, HEAD, POST, OPTIONS");
    expect_allow("/v1/analyze", "POST, OPTIONS");
    expect_allow("/livez", "GET, HEAD, OPTIONS");
    expect_allow(NULL, "GET, HEAD, POST, OPTIONS");
}

/* --- keys --- */

#define KEY   "user-key-0123456789"
#define ADMIN "admin-key-0123456789"

typedef struct {
    const char *key, *admin;  /* configured */
    const char *field, *sent; /* sent */
    ws_access access;
    int loopback, proxied;
    ws_problem_kind kind;
} auth_row;

static ws_problem_kind check(const auth_row *row)
{
    ws_config config;
    ws_request request = {.method = WS_METHOD_GET};
    ws_problem problem = {.kind = WS_PROBLEM_NONE};
    ws_config_init(&config);
    ws_config_set(&config, WS_STR("auth.key"), ws_cstr(row->key), WS_SOURCE_FLAG, 0, NULL);
    ws_config_set(&config, WS_STR("auth.admin_key"), ws_cstr(row->admin), WS_SOURCE_FLAG, 0, NULL);
    if (row->field)
        request.fields[row->field[0] == 'A' ? WS_HEADER_AUTHORIZATION : WS_HEADER_X_API_KEY] =
            ws_cstr(row->sent);
    if (row->proxied)
        request.fields[WS_HEADER_X_FORWARDED_FOR] = WS_STR("203.0.113.9");
    int ok = ws_auth_check(&config, row->access, &request, row->loopback, &problem);
    ws_config_fini(&config);
    cr_assert_eq(ok, problem.kind == WS_PROBLEM_NONE);
    return problem.kind;
}

Test(route, keys)
{
    /* clang-format off */
    static const auth_row rows[] = {
        {"", "", NULL, "", WS_ACCESS_KEY, 0, 0, WS_PROBLEM_NONE},
        {KEY, "", NULL, "", WS_ACCESS_PUBLIC, 0, 0, WS_PROBLEM_NONE},
        {KEY, "", NULL, "", WS_ACCESS_KEY, 1, 0, WS_PROBLEM_MISSING_KEY},
        {KEY, "", "X", KEY, WS_ACCESS_KEY, 0, 0, WS_PROBLEM_NONE},
        {KEY, "", "A", "Bearer " KEY, WS_ACCESS_KEY, 0, 0, WS_PROBLEM_NONE},
        {KEY, "", "A", "bearer " KEY, WS_ACCESS_KEY, 0, 0, WS_PROBLEM_NONE},
        {KEY, "", "A", "Basic " KEY, WS_ACCESS_KEY, 0, 0, WS_PROBLEM_MISSING_KEY},
        {KEY, "", "X", "user-key-012345678", WS_ACCESS_KEY, 0, 0, WS_PROBLEM_INVALID_KEY},
        {KEY, "", "X", KEY "0", WS_ACCESS_KEY, 0, 0, WS_PROBLEM_INVALID_KEY},
        {KEY, "", "X", KEY KEY, WS_ACCESS_KEY, 0, 0, WS_PROBLEM_INVALID_KEY},
        {KEY, ADMIN, "X", ADMIN, WS_ACCESS_KEY, 0, 0, WS_PROBLEM_NONE},
        {"", "", NULL, "", WS_ACCESS_ADMIN, 1, 0, WS_PROBLEM_NONE},
        {"", "", NULL, "", WS_ACCESS_ADMIN, 1, 1, WS_PROBLEM_INSUFFICIENT_SCOPE},
        {"", "", NULL, "", WS_ACCESS_ADMIN, 0, 0, WS_PROBLEM_INSUFFICIENT_SCOPE},
        {KEY, "", "X", KEY, WS_ACCESS_ADMIN, 0, 0, WS_PROBLEM_INSUFFICIENT_SCOPE},
        {KEY, "", "X", KEY, WS_ACCESS_ADMIN, 1, 0, WS_PROBLEM_NONE},
        {KEY, "", NULL, "", WS_ACCESS_ADMIN, 1, 0, WS_PROBLEM_MISSING_KEY},
        {KEY, ADMIN, "X", KEY, WS_ACCESS_ADMIN, 1, 0, WS_PROBLEM_INSUFFICIENT_SCOPE},
        {"", ADMIN, NULL, "", WS_ACCESS_ADMIN, 1, 0, WS_PROBLEM_MISSING_KEY},
        {KEY, ADMIN, "X", ADMIN, WS_ACCESS_ADMIN, 0, 1, WS_PROBLEM_NONE},
    };
    /* clang-format on */
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++)
        cr_expect_eq(check(&rows[i]), rows[i].kind, "row %zu: %s", i,
                     ws_problem_code(check(&rows[i])));
}

Test(route, empty_secret_matches_nothing)
{
    cr_assert_not(ws_secret_equal(WS_STR(""), WS_STR("")));
    cr_assert_not(ws_secret_equal(WS_STR(""), WS_STR("a")));
    cr_assert_not(ws_secret_equal(WS_STR("a"), WS_STR("")));
    cr_assert(ws_secret_equal(WS_STR("ab"), WS_STR("ab")));
    cr_assert_not(ws_secret_equal(WS_STR("ab"), WS_STR("abab")));
}
