#include "server/problem.h"

#include <jansson.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/test.h"

static json_t *written(const ws_problem *problem, ws_str instance, ws_str id)
{
    ws_buf out;
    ws_buf_init(&out);
    ws_problem_write(&out, problem, instance, id);
    json_t *root = json_loadb((const char *)out.data, out.len, 0, NULL);
    ws_buf_fini(&out);
    cr_assert_not_null(root);
    return root;
}

static const char *text(const json_t *root, const char *key)
{
    return json_string_value(json_object_get(root, key));
}

Test(problem, every_kind_has_a_code_of_its_own)
{
    for (int i = 1; i < WS_PROBLEMS; i++) {
        const char *code = ws_problem_code((ws_problem_kind)i);
        cr_assert_not_null(code, "%d", i);
        cr_assert_geq(ws_problem_status((ws_problem_kind)i), 400);
        cr_assert_leq(ws_problem_status((ws_problem_kind)i), 505);
        cr_assert_gt(strlen(ws_problem_title((ws_problem_kind)i)), 3);
        for (int k = 1; k < i; k++)
            cr_assert_str_neq(code, ws_problem_code((ws_problem_kind)k));
    }
}

Test(problem, document_has_the_members_of_rfc_9457)
{
    ws_problem p;
    ws_problem_set(&p, WS_PROBLEM_LIMIT_EXCEEDED, "offset + limit is %d", 12020);
    ws_problem_point(&p, WS_STR("offset"), "out_of_range");
    p.max = 9980;
    p.has_max = 1;
    json_t *root = written(&p, WS_STR("/v1/search"), WS_STR("id-1"));
    cr_assert_str_eq(text(root, "type"), "/errors/limit_exceeded");
    cr_assert_str_eq(text(root, "title"), "Limit exceeded");
    cr_assert_eq(json_integer_value(json_object_get(root, "status")), 400);
    cr_assert_str_eq(text(root, "code"), "limit_exceeded");
    cr_assert_str_eq(text(root, "detail"), "offset + limit is 12020");
    cr_assert_str_eq(text(root, "instance"), "/v1/search");
    cr_assert_str_eq(text(root, "request_id"), "id-1");
    const json_t *item = json_array_get(json_object_get(root, "errors"), 0);
    cr_assert_str_eq(text(item, "pointer"), "/offset");
    cr_assert_str_eq(text(item, "code"), "out_of_range");
    cr_assert_eq(json_integer_value(json_object_get(item, "max")), 9980);
    json_decref(root);
}

Test(problem, leaves_out_what_is_not_known)
{
    ws_problem p;
    ws_problem_set(&p, WS_PROBLEM_OVERLOADED, "%s", "");
    json_t *root = written(&p, WS_STR(""), WS_STR(""));
    cr_assert_null(json_object_get(root, "detail"));
    cr_assert_null(json_object_get(root, "instance"));
    cr_assert_null(json_object_get(root, "request_id"));
    cr_assert_null(json_object_get(root, "errors"));
    cr_assert_eq(p.retry_after_s, 1);
    json_decref(root);
}

/* 가 is U+AC00, three bytes: cut texts must end between code points, whatever their length. */
Test(problem, cuts_between_code_points)
{
    char long_text[400];
    for (size_t pad = 0; pad < 3; pad++) {
        ws_problem p;
        memset(long_text, 'x', pad);
        for (size_t i = pad; i + 3 < sizeof long_text; i += 3)
            memcpy(long_text + i, "\xEA\xB0\x80\0", 4);
        ws_problem_set(&p, WS_PROBLEM_INVALID_PARAMETER, "%s", long_text);
        cr_assert_eq((strlen(p.detail) - pad) % 3, 0);
        cr_assert_geq(strlen(p.detail), 253);
        ws_problem_point(&p, ws_cstr(long_text), "unknown");
        cr_assert_eq((strlen(p.pointer) - 1 - pad) % 3, 0);
        cr_assert_geq(strlen(p.pointer), 45);
        json_decref(written(&p, WS_STR(""), WS_STR("")));
    }
}

Test(problem, escapes_what_a_client_sent)
{
    ws_problem p;
    ws_problem_set(&p, WS_PROBLEM_UNKNOWN_PARAMETER, "%s", "</script>\"\xFF");
    ws_buf out;
    ws_buf_init(&out);
    ws_problem_write(&out, &p, WS_STR("/a\"b"), WS_STR(""));
    ws_buf_u8(&out, 0);
    cr_assert_null(strchr((const char *)out.data, '<'));
    ws_buf_fini(&out);
    json_t *root = written(&p, WS_STR("/a\"b"), WS_STR(""));
    cr_assert_str_eq(text(root, "instance"), "/a\"b");
    cr_assert_str_eq(text(root, "detail"), "</script>\"\xEF\xBF\xBD");
    json_decref(root);
}
