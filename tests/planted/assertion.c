/* A plain failing check beside a passing one. The run must fail and name it. */
#include "tests/support/test.h"

Test(arithmetic, is_wrong)
{
    cr_expect_eq(1 + 1, 3, "one and one");
}

Test(arithmetic, is_right)
{
    cr_assert_eq(1 + 1, 2);
}
