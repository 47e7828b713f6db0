#include "engine/index/check.h"

#include "base/error.h"

ws_status ws_check(const char *dir, uint32_t level, ws_check_fn callback, void *ctx,
                   const ws_budget *budget, ws_error *error)
{
    if (!dir || level > WS_CHECK_DEEP)
        return ws_error_set(error, WS_ERR_ARG, "a check needs a directory and a level of 0 to 2");
    return ws_check_directory(dir, level, callback, ctx, budget, error);
}
