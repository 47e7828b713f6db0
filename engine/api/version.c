/* Which library this is. Everything is known when it is compiled, so that the texts are static. */
#include "wikisearch/version.h"

#include "engine/index/format.h"

#define TEXT_OF_(x) #x
#define TEXT_OF(x)  TEXT_OF_(x)

#ifndef WS_ICU_VERSION /* set by CMakeLists.txt: this layer does not include ICU's headers */
# define WS_ICU_VERSION     "?"
# define WS_UNICODE_VERSION "?"
#endif

#if defined(__clang__)
# define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
# define COMPILER "gcc " __VERSION__
#else
# define COMPILER "another compiler"
#endif

#if !defined(__has_feature)
# define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
# define SANITIZER ", address sanitizer"
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
# define SANITIZER ", thread sanitizer"
#else
# define SANITIZER ""
#endif

const char *ws_version(void)
{
    return WS_VERSION_STRING;
}

uint32_t ws_version_number(void)
{
    return WS_VERSION_NUMBER;
}

const char *ws_build_info(void)
{
    return WS_VERSION_STRING ", index format " TEXT_OF(WS_FORMAT_MAJOR) "." TEXT_OF(
        WS_FORMAT_MINOR) ", ICU " WS_ICU_VERSION " with Unicode " WS_UNICODE_VERSION
                         ", " COMPILER SANITIZER;
}
