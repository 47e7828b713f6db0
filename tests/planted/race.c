/* Two threads add to one counter without a lock. The run must fail. */
#include <pthread.h>

#include "tests/support/test.h"

static int counter;

static void *add(void *arg)
{
    (void)arg;
    for (int i = 0; i < 10000; i++)
        counter++;
    return NULL;
}

Test(race, two_threads_one_counter)
{
    pthread_t other;
    cr_assert_not(pthread_create(&other, NULL, add, NULL));
    add(NULL);
    pthread_join(other, NULL);
    cr_assert_gt(counter, 0);
}
