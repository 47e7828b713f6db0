#include "base/buf.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

typedef struct {
    size_t calls, fail_at;
} countdown;

static int fail_nth(void *ctx, size_t size)
{
    countdown *c = ctx;
    (void)size;
    return ++c->calls >= c->fail_at;
}

static void remove_hook(void)
{
    ws_mem_set_fault(NULL, NULL);
}

/* The model: one large array that every append writes to directly. */
Test(buf, holds_what_was_appended)
{
    static uint8_t model[1 << 20];
    size_t len = 0;
    ws_rng rng = ws_rng_seeded(21);
    ws_buf buf;
    ws_buf_init(&buf);
    while (len < sizeof model - 5000) {
        size_t n = ws_rng_skewed(&rng, 12);
        ws_rng_fill(&rng, model + len, n);
        if (ws_rng_below(&rng, 2)) {
            ws_buf_append(&buf, model + len, n);
        } else {
            uint8_t *at = ws_buf_extend(&buf, n);
            cr_assert_not_null(at);
            memcpy(at, model + len, n);
        }
        len += n;
        cr_assert_eq(buf.len, len);
    }
    cr_assert_eq(ws_buf_status(&buf), WS_OK);
    cr_assert_arr_eq(buf.data, model, len);
    ws_buf_fini(&buf);
    cr_assert(buf.data == NULL && buf.cap == 0);
}

Test(buf, numbers_are_little_endian)
{
    static const uint8_t want[] = {1, 3, 2, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10, 9, 8, 0x96, 1};
    ws_buf buf;
    ws_buf_init(&buf);
    ws_buf_u8(&buf, 1);
    ws_buf_u16le(&buf, 0x0203);
    ws_buf_u32le(&buf, 0x04050607);
    ws_buf_u64le(&buf, 0x08090a0b0c0d0e0f);
    ws_buf_varint(&buf, 150);
    cr_assert_eq(buf.len, sizeof want);
    cr_assert_arr_eq(buf.data, want, sizeof want);
    ws_buf_fini(&buf);
}

Test(buf, text_and_printf)
{
    ws_buf buf;
    ws_buf_init(&buf);
    ws_buf_cstr(&buf, "대한민국"); /* U+B300 U+D55C U+BBFC U+AD6D */
    ws_buf_cstr(&buf, "");
    ws_buf_cstr(&buf, NULL);
    ws_buf_str(&buf, (ws_str){NULL, 0});
    ws_buf_printf(&buf, "%s", "");
    ws_buf_printf(&buf, " %d %s", 7, "x");
    ws_str s = ws_buf_slice(&buf);
    cr_assert_eq(s.len, strlen("대한민국 7 x"));
    cr_assert_arr_eq(s.ptr, "대한민국 7 x", s.len);
    ws_buf_clear(&buf);
    for (int i = 0; i < 500; i++)
        ws_buf_printf(&buf, "%03d", i);
    cr_assert_eq(buf.len, 1500);
    cr_assert_arr_eq(buf.data + 1497, "499", 3);
    ws_buf_fini(&buf);
}

Test(buf, aligns_with_zeros)
{
    ws_buf buf;
    ws_buf_init(&buf);
    ws_buf_align(&buf, 64);
    cr_assert_eq(buf.len, 0);
    for (size_t n = 1; n < 40; n++) {
        ws_buf_u8(&buf, 0xff);
        size_t before = buf.len;
        ws_buf_align(&buf, 8);
        cr_assert_eq(buf.len, (before + 7) / 8 * 8);
        for (size_t i = before; i < buf.len; i++)
            cr_assert_eq(buf.data[i], 0);
    }
    ws_buf_fini(&buf);
}

Test(buf, failure_is_sticky_until_cleared, .fini = remove_hook)
{
    countdown c = {0, 2};
    ws_buf buf;
    ws_buf_init(&buf);
    ws_mem_set_fault(fail_nth, &c);
    ws_buf_append(&buf, "abc", 3);
    cr_assert_eq(ws_buf_reserve(&buf, 100000), WS_ERR_NOMEM);
    ws_mem_set_fault(NULL, NULL);
    ws_buf_append(&buf, "def", 3);
    ws_buf_u64le(&buf, 1);
    ws_buf_printf(&buf, "x");
    ws_buf_align(&buf, 64);
    cr_assert_null(ws_buf_extend(&buf, 1));
    cr_assert_eq(ws_buf_status(&buf), WS_ERR_NOMEM);
    cr_assert_eq(buf.len, 3);
    cr_assert_arr_eq(buf.data, "abc", 3);
    ws_buf_clear(&buf);
    ws_buf_append(&buf, "def", 3);
    cr_assert_eq(ws_buf_status(&buf), WS_OK);
    cr_assert_arr_eq(buf.data, "def", 3);
    ws_buf_fini(&buf);
}

Test(buf, absurd_sizes_fail)
{
    ws_buf buf;
    ws_buf_init(&buf);
    ws_buf_u8(&buf, 1);
    cr_assert_eq(ws_buf_reserve(&buf, SIZE_MAX), WS_ERR_NOMEM);
    cr_assert_eq(buf.len, 1);
    ws_buf_fini(&buf);
}
