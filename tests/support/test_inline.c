/* The runner behind test.h when WS_TEST_INLINE is defined.
 *
 * usage: TEST [--filter PATTERN] [--list]      PATTERN is a shell pattern for suite/name
 */
#include "tests/support/test.h"

#include <fnmatch.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static struct ws_test *first, **last = &first;
static const struct ws_test *running;
static pthread_t runner;
static jmp_buf out;
static atomic_int failures; /* of the running test; checks may come from any thread */
static int skipped;

void ws_test_register(struct ws_test *test)
{
    *last = test;
    last = &test->next;
}

static void leave(void)
{
    if (pthread_equal(pthread_self(), runner))
        longjmp(out, 1);
    pthread_exit(NULL);
}

void ws_test_check(int ok, int fatal, const char *file, int line, const char *what,
                   const char *format, ...)
{
    char message[512];
    va_list args;
    if (ok)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    printf("%s/%s: %s:%d: %s%s%s\n", running->suite, running->name, file, line, what,
           message[0] ? ": " : "", message);
    fflush(stdout);
    atomic_fetch_add(&failures, 1);
    if (fatal)
        leave();
}

_Noreturn void ws_test_skip(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("[SKIP] %s::%s: ", running->suite, running->name);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    skipped = 1;
    longjmp(out, 1);
}

static void guarded(void (*step)(void))
{
    if (step && !setjmp(out))
        step();
}

/* Returns 1 passed, 0 failed, -1 skipped. */
static int run(const struct ws_test *test)
{
    running = test;
    skipped = 0;
    atomic_store(&failures, 0);
    guarded(test->options.init);
    if (!skipped && !atomic_load(&failures))
        guarded(test->run);
    guarded(test->options.fini);
    if (atomic_load(&failures)) {
        printf("FAILED %s/%s\n", test->suite, test->name);
        return 0;
    }
    return skipped ? -1 : 1;
}

static int selected(const struct ws_test *test, const char *pattern)
{
    char name[256];
    snprintf(name, sizeof name, "%s/%s", test->suite, test->name);
    return !test->options.disabled && (!pattern || fnmatch(pattern, name, 0) == 0);
}

int main(int argc, char **argv)
{
    const char *pattern = NULL;
    int list = 0, passed = 0, failed = 0, n_skipped = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--filter") && i + 1 < argc)
            pattern = argv[++i];
        else if (!strcmp(argv[i], "--list"))
            list = 1;
    }
    runner = pthread_self();
    for (const struct ws_test *test = first; test; test = test->next) {
        if (!selected(test, pattern))
            continue;
        if (list) {
            printf("%s/%s\n", test->suite, test->name);
            continue;
        }
        int result = run(test);
        passed += result == 1;
        failed += result == 0;
        n_skipped += result == -1;
    }
    if (n_skipped)
        printf("%d skipped\n", n_skipped);
    if (!list)
        printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
