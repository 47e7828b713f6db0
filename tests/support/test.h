/* The test framework, as far as this project uses it.
 *
 * By default it is Criterion, which runs each test in a process of its own. Criterion does not work
 * under ThreadSanitizer nor under qemu-user; with -DWS_TEST_INLINE the same tests run one after the
 * other in one process, by test_inline.c. So tests use this subset only:
 *
 *   Test(suite, name, .init = f, .fini = f, .timeout = seconds) { ... }
 *   cr_assert, cr_assert_not, _eq, _neq, _lt, _leq, _gt, _geq, _null, _not_null, _str_eq, _str_neq,
 *   _arr_eq, _arr_neq, _float_eq, _fail, and cr_expect_*, each with an optional printf-style
 *   message; cr_skip_test(message...)
 *
 * A test of several files includes this in each; main comes with the framework.
 */
#ifndef WS_TESTS_SUPPORT_TEST_H
#define WS_TESTS_SUPPORT_TEST_H

#ifndef WS_TEST_INLINE

#include <criterion/criterion.h>

#else

#include <string.h>

struct ws_test_options {
    void (*init)(void);
    void (*fini)(void);
    double timeout; /* seconds; the runner leaves it to ctest */
    const char *description;
    int disabled;
};

struct ws_test {
    const char *suite, *name;
    void (*run)(void);
    struct ws_test_options options;
    struct ws_test *next;
};

void ws_test_register(struct ws_test *test);

/* Counts a failure and prints it when `ok` is 0; a fatal one does not return. In another thread
 * than the runner's a fatal one ends that thread. */
void ws_test_check(int ok, int fatal, const char *file, int line, const char *what,
                   const char *format, ...);
_Noreturn void ws_test_skip(const char *format, ...);

#define Test(suite_, name_, ...)                                                                   \
    static void suite_##_##name_##_run(void);                                                      \
    __attribute__((constructor)) static void suite_##_##name_##_register(void)                     \
    {                                                                                              \
        static struct ws_test test = {#suite_, #name_, suite_##_##name_##_run, {__VA_ARGS__}, 0};  \
        ws_test_register(&test);                                                                   \
    }                                                                                              \
    static void suite_##_##name_##_run(void)

#define ws_test_that_(fatal_, condition, what, ...)                                                \
    ws_test_check((condition) ? 1 : 0, fatal_, __FILE__, __LINE__, what, "" __VA_ARGS__)
#define ws_test_float_eq_(a, b, epsilon) ((a) - (b) <= (epsilon) && (b) - (a) <= (epsilon))

#define cr_skip_test(...) ws_test_skip("" __VA_ARGS__)

#define cr_assert(c, ...)        ws_test_that_(1, c, #c, __VA_ARGS__)
#define cr_assert_not(c, ...)    ws_test_that_(1, !(c), "not " #c, __VA_ARGS__)
#define cr_assert_fail(...)      ws_test_that_(1, 0, "fail", __VA_ARGS__)
#define cr_assert_eq(a, b, ...)  ws_test_that_(1, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) ws_test_that_(1, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)  ws_test_that_(1, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) ws_test_that_(1, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)  ws_test_that_(1, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) ws_test_that_(1, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_null(p, ...)   ws_test_that_(1, (p) == NULL, #p " is NULL", __VA_ARGS__)
#define cr_assert_not_null(p, ...) ws_test_that_(1, (p) != NULL, #p " is not NULL", __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)                                                                \
    ws_test_that_(1, strcmp(a, b) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)                                                               \
    ws_test_that_(1, strcmp(a, b) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                                             \
    ws_test_that_(1, memcmp(a, b, n) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_assert_arr_neq(a, b, n, ...)                                                            \
    ws_test_that_(1, memcmp(a, b, n) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, epsilon, ...)                                                     \
    ws_test_that_(1, ws_test_float_eq_(a, b, epsilon), #a " is about " #b, __VA_ARGS__)

#define cr_expect(c, ...)        ws_test_that_(0, c, #c, __VA_ARGS__)
#define cr_expect_not(c, ...)    ws_test_that_(0, !(c), "not " #c, __VA_ARGS__)
#define cr_expect_fail(...)      ws_test_that_(0, 0, "fail", __VA_ARGS__)
#define cr_expect_eq(a, b, ...)  ws_test_that_(0, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) ws_test_that_(0, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)  ws_test_that_(0, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) ws_test_that_(0, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)  ws_test_that_(0, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) ws_test_that_(0, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_null(p, ...)   ws_test_that_(0, (p) == NULL, #p " is NULL", __VA_ARGS__)
#define cr_expect_not_null(p, ...) ws_test_that_(0, (p) != NULL, #p " is not NULL", __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)                                                                \
    ws_test_that_(0, strcmp(a, b) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)                                                               \
    ws_test_that_(0, strcmp(a, b) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...)                                                             \
    ws_test_that_(0, memcmp(a, b, n) == 0, #a " equals " #b, __VA_ARGS__)
#define cr_expect_arr_neq(a, b, n, ...)                                                            \
    ws_test_that_(0, memcmp(a, b, n) != 0, #a " differs from " #b, __VA_ARGS__)
#define cr_expect_float_eq(a, b, epsilon, ...)                                                     \
    ws_test_that_(0, ws_test_float_eq_(a, b, epsilon), #a " is about " #b, __VA_ARGS__)

#endif

#endif
