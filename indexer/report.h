/* Reports of the verbs, as text for people. The JSON that the library writes about an index is read
 * back here, so that both forms say the same. [1]. */
#ifndef WS_INDEXER_REPORT_H
#define WS_INDEXER_REPORT_H

#include <stdio.h>

#include "base/json.h"
#include "indexer/import.h"
#include "wikisearch/index.h"

/* Final report of an import.
 *   files        as in the options: bad documents name their file
 *   description  of ws_index_describe; empty = left out */
void ws_report_import(FILE *out, const ws_import_report *report, const char *const *files,
                      ws_str description);
void ws_report_import_json(ws_json *j, const ws_import_report *report, const char *const *files,
                           ws_str description);

/* The description of an index. */
void ws_report_index(FILE *out, ws_str description);

/* Any JSON text, indented. */
void ws_report_json(FILE *out, ws_str text);

/* Peak resident set of this process, bytes. */
uint64_t ws_peak_rss(void);

#endif
