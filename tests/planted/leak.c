/* Loses a block. The run must fail. */
#include <stdlib.h>

#include "tests/support/test.h"

Test(leak, loses_a_block)
{
    char *volatile block = malloc(42);
    cr_assert_not_null(block);
    block = NULL;
}
