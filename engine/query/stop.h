/* English words too common to select documents: a query leaves them out when others remain
 * (docs/search.md). The index keeps them, so that phrases work. [any]. */
#ifndef WS_QUERY_STOP_H
#define WS_QUERY_STOP_H

#include "wikisearch/status.h"

/* True for a typed word that is one of them, with or without a capital and punctuation marks around
 * it: of, The, (and). False for IT and A. */
int ws_is_stop_word(ws_str typed);

#endif
