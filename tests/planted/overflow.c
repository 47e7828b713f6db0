/* Overflows a signed integer. The run must fail. */
#include <limits.h>

#include "tests/support/test.h"

Test(overflow, wraps_an_int)
{
    volatile int most = INT_MAX;
    cr_assert_neq(most + 1, 0);
}
