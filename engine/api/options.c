/* Options and answer structs of programs that were compiled with an older or a newer header. */
#include "base/bytes.h"
#include "base/error.h"
#include "engine/api/api_int.h"

static int is_zero(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return 0;
    return 1;
}

ws_status ws_api_read_options(void *to, size_t known, const void *from, const char *name,
                              ws_error *error)
{
    uint32_t size;
    if (!from)
        return WS_OK;
    memcpy(&size, from, sizeof size);
    if (size < sizeof size || size > WS_OPTIONS_MAX)
        return ws_error_set(error, WS_ERR_ARG, "%s: size is %u: set it by its INIT macro", name,
                            size);
    if (size > known && !is_zero((const uint8_t *)from + known, size - known))
        return ws_error_set(error, WS_ERR_ARG,
                            "%s: of %u bytes this library knows %zu, and the others are not 0",
                            name, size, known);
    memcpy(to, from, WS_MIN((size_t)size, known));
    return WS_OK;
}

ws_status ws_api_write_answer(void *to, const void *full, size_t known)
{
    uint32_t size;
    memcpy(&size, to, sizeof size);
    if (size < sizeof size)
        return WS_ERR_ARG;
    memcpy(to, full, WS_MIN((size_t)size, known));
    memcpy(to, &size, sizeof size);
    return WS_OK;
}
