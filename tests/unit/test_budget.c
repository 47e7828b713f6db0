#include "base/budget.h"

#include <pthread.h>
#include <time.h>

#include "tests/support/test.h"

Test(budget, none_is_unlimited)
{
    ws_budget b;
    ws_budget_init(&b, 0, 0);
    cr_assert_eq(ws_budget_poll(&b, UINT64_MAX), WS_OK);
    cr_assert_eq(ws_budget_poll(NULL, UINT64_MAX), WS_OK);
}

Test(budget, cost_ends_it)
{
    ws_budget b;
    ws_budget_init(&b, 0, 100);
    cr_assert_eq(ws_budget_poll(&b, 0), WS_OK);
    cr_assert_eq(ws_budget_poll(&b, 99), WS_OK);
    cr_assert_eq(ws_budget_poll(&b, 100), WS_PARTIAL);
    cr_assert_eq(ws_budget_poll(&b, 101), WS_PARTIAL);
}

Test(budget, deadline_ends_it)
{
    ws_budget b;
    ws_budget_init(&b, 3600000, 0);
    cr_assert_eq(ws_budget_poll(&b, 5), WS_OK);
    ws_budget_init(&b, 1, 0);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    cr_assert_eq(ws_budget_poll(&b, 0), WS_PARTIAL);
}

static void *cancel(void *budget)
{
    ws_budget_cancel(budget);
    return NULL;
}

Test(budget, another_thread_cancels_and_that_comes_first)
{
    pthread_t other;
    ws_budget b;
    ws_budget_init(&b, 0, 1);
    cr_assert_not(pthread_create(&other, NULL, cancel, &b));
    while (ws_budget_poll(&b, 0) == WS_OK)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    pthread_join(other, NULL);
    cr_assert_eq(ws_budget_poll(&b, 50), WS_ERR_CANCELLED);
    ws_budget_init(&b, 0, 1);
    cr_assert_eq(ws_budget_poll(&b, 0), WS_OK);
}
