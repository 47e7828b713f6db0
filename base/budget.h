/* Polling a ws_budget: the library's side of include/wikisearch/budget.h. */
#ifndef WS_BASE_BUDGET_H
#define WS_BASE_BUDGET_H

#include "wikisearch/budget.h"
#include "wikisearch/status.h"

/* WS_OK while work may go on, WS_PARTIAL when the deadline or the cost has passed,
 * WS_ERR_CANCELLED.
 *   budget  NULL = unlimited
 *   spent   postings touched so far by this call
 * [any]. One clock read; poll at block boundaries, not per posting. */
ws_status ws_budget_poll(const ws_budget *budget, uint64_t spent);

#endif
