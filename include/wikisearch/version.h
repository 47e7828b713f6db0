/* Library and format versions. */
#ifndef WIKISEARCH_VERSION_H
#define WIKISEARCH_VERSION_H

#include <stdint.h>

#include "wikisearch/export.h"

WS_BEGIN_DECLS

#define WS_VERSION_MAJOR  0
#define WS_VERSION_MINOR  1
#define WS_VERSION_PATCH  0
#define WS_VERSION_STRING "0.1.0"
#define WS_VERSION_NUMBER (WS_VERSION_MAJOR * 10000 + WS_VERSION_MINOR * 100 + WS_VERSION_PATCH)

/* Returns the version of the library that is linked, "major.minor.patch". Static. [any] */
WS_API const char *ws_version(void);

/* Returns the same as a number, major * 10000 + minor * 100 + patch. [any] */
WS_API uint32_t ws_version_number(void);

/* Returns one line: version, index format, ICU and Unicode version, compiler, sanitizers.
 * Static. [any] */
WS_API const char *ws_build_info(void);

WS_END_DECLS

#endif
