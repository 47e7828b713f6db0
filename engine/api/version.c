#include "wikisearch/version.h"

#include "engine/index/format.h"
#include "engine/text/version.h"

#define TEXT_OF(x)  #x
#define TEXT_OF2(x) TEXT_OF(x)

#if defined(__clang__)
# define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
# define COMPILER "gcc " __VERSION__
#else
# define COMPILER "unknown compiler"
#endif

#if defined(__SANITIZE_ADDRESS__)
# define SANITIZER ", address sanitizer"
#elif defined(__SANITIZE_THREAD__)
# define SANITIZER ", thread sanitizer"
#else
# define SANITIZER ""
#endif
