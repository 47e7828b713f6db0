/* wikisearch: Korean and English full-text search for small machines. Includes every public header.
 *
 * Rules for all of it: strings that go in are copied unless said otherwise; free and close accept
 * NULL; out-parameters are NULL or 0 after a failure; [any] = any threads at once, [1] = one thread
 * at a time; the library never prints, exits, aborts or installs signal handlers; handles are
 * invalid in a forked child. Options structs begin with `size`: use their INIT macro.
 */
#ifndef WIKISEARCH_WIKISEARCH_H
#define WIKISEARCH_WIKISEARCH_H

#include "wikisearch/analyze.h"
#include "wikisearch/budget.h"
#include "wikisearch/cache.h"
#include "wikisearch/export.h"
#include "wikisearch/index.h"
#include "wikisearch/query.h"
#include "wikisearch/schema.h"
#include "wikisearch/search.h"
#include "wikisearch/status.h"
#include "wikisearch/suggest.h"
#include "wikisearch/version.h"
#include "wikisearch/writer.h"

#endif
