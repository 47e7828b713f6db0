#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "tests/support/test.h"

Test(error, set_fills_and_returns_the_code)
{
    ws_error e;
    memset(&e, 0xff, sizeof e);
    cr_assert_eq(ws_error_set(&e, WS_ERR_ARG, "no %s, %d", "way", 3), WS_ERR_ARG);
    cr_assert_eq(e.code, WS_ERR_ARG);
    cr_assert_eq(e.offset, 0);
    cr_assert_str_eq(e.message, "no way, 3");
    cr_assert_str_eq(e.path, "");
    cr_assert_eq(ws_error_set(NULL, WS_ERR_ARG, "x"), WS_ERR_ARG);
    cr_assert_eq(ws_error_at(NULL, WS_ERR_CORRUPT, "p", 1, "x"), WS_ERR_CORRUPT);
    cr_assert_eq(ws_error_errno(NULL, EIO, "p", "x"), WS_ERR_IO);
}

Test(error, at_names_the_place)
{
    ws_error e;
    ws_error_at(&e, WS_ERR_CORRUPT, "dir/file", 12345, "bad magic");
    cr_assert_str_eq(e.path, "dir/file");
    cr_assert_eq(e.offset, 12345);
    ws_error_at(&e, WS_ERR_CORRUPT, NULL, 1, "x");
    cr_assert_str_eq(e.path, "");
}

Test(error, message_may_quote_the_one_before)
{
    ws_error e;
    ws_error_at(&e, WS_ERR_IO, "file", 0, "inner");
    ws_error_at(&e, WS_ERR_CORRUPT, e.path, 0, "outer: %s", e.message);
    cr_assert_str_eq(e.message, "outer: inner");
    cr_assert_str_eq(e.path, "file");
}

Test(error, long_message_is_cut_between_characters)
{
    char text[3 * 100 + 1]; /* 가 (U+AC00) is 3 bytes: 84 fit into 255, with 3 to spare */
    ws_error e;
    for (int i = 0; i < 100; i++)
        memcpy(text + 3 * i, "가", 3);
    text[300] = '\0';
    for (size_t pad = 0; pad < 4; pad++) {
        size_t fit = (255 - pad) / 3;
        ws_error_set(&e, WS_ERR_ARG, "%.*s%s", (int)pad, "xxx", text);
        cr_assert_eq(strlen(e.message), pad + 3 * fit, "pad %zu", pad);
        cr_assert_arr_eq(e.message + pad, text, 3 * fit);
    }
}

Test(error, long_path_keeps_its_tail)
{
    char path[1000];
    ws_error e;
    memset(path, 'd', sizeof path);
    memcpy(path + sizeof path - 5, "/end", 5);
    ws_error_at(&e, WS_ERR_IO, path, 0, "x");
    cr_assert_eq(strlen(e.path), 255);
    cr_assert_str_eq(e.path + 251, "/end");
    memset(path, 0, sizeof path);
    memset(path, 'd', 255);
    ws_error_at(&e, WS_ERR_IO, path, 0, "x");
    cr_assert_str_eq(e.path, path);
}

Test(error, errno_gives_a_status_and_a_text)
{
    ws_error e;
    cr_assert_eq(ws_status_from_errno(ENOSPC), WS_ERR_NOSPC);
    cr_assert_eq(ws_status_from_errno(EDQUOT), WS_ERR_NOSPC);
    cr_assert_eq(ws_status_from_errno(ENOMEM), WS_ERR_NOMEM);
    cr_assert_eq(ws_status_from_errno(ENOENT), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_status_from_errno(EACCES), WS_ERR_IO);
    cr_assert_eq(ws_error_errno(&e, ENOSPC, "f", "cannot write"), WS_ERR_NOSPC);
    cr_assert_str_eq(e.message, "cannot write: No space left on device");
    cr_assert_str_eq(e.path, "f");
    ws_error_errno(&e, 123456, "f", "odd");
    cr_assert_arr_eq(e.message, "odd: ", 5);
}

static ws_status forwards(ws_status inner, int *reached)
{
    WS_TRY(inner);
    *reached = 1;
    return WS_OK;
}

Test(error, try_forwards_errors_only)
{
    int reached = 0;
    cr_assert_eq(forwards(WS_ERR_IO, &reached), WS_ERR_IO);
    cr_assert_not(reached);
    cr_assert_eq(forwards(WS_PARTIAL, &reached), WS_OK);
    cr_assert(reached);
}

Test(error, every_status_has_its_own_text)
{
    static const ws_status all[] = {
        WS_OK,           WS_PARTIAL,       WS_TRUNCATED,  WS_FALLBACK,         WS_ERR_ARG,
        WS_ERR_UTF8,     WS_ERR_SYNTAX,    WS_ERR_RANGE,  WS_ERR_SCHEMA,       WS_ERR_STATE,
        WS_ERR_LOCKED,   WS_ERR_CONFLICT,  WS_ERR_NOT_FOUND, WS_ERR_CANCELLED, WS_ERR_IO,
        WS_ERR_NOSPC,    WS_ERR_FSYNC_FAILED, WS_ERR_CORRUPT, WS_ERR_VERSION,  WS_ERR_ANALYSIS,
        WS_ERR_NOMEM,    WS_ERR_LIMIT,     -999};
    size_t n = sizeof all / sizeof all[0];
    for (size_t i = 0; i < n; i++) {
        cr_assert_gt(strlen(ws_status_text(all[i])), 0);
        for (size_t j = 0; j < i; j++)
            cr_assert_str_neq(ws_status_text(all[i]), ws_status_text(all[j]));
    }
}
