/* How long and how much a call may work, and a way to stop it from elsewhere.
 *
 * Long calls poll the budget at block boundaries (well under a millisecond apart). When it ends
 * they return what they have with WS_PARTIAL, or WS_ERR_CANCELLED when it was cancelled.
 */
#ifndef WIKISEARCH_BUDGET_H
#define WIKISEARCH_BUDGET_H

#include <stdint.h>

#include "wikisearch/export.h"

WS_BEGIN_DECLS

/* The caller's storage; set by ws_budget_init, read by the library, fields are private. */
typedef struct {
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0 = none */
    uint64_t cost_limit;  /* postings; 0 = none */
    uint32_t cancelled;   /* accessed atomically */
    uint32_t reserved;
} ws_budget;

/* Starts a budget now.
 *   milliseconds  wall time from this call, 0 = no deadline
 *   cost          postings that may be touched, 0 = no limit
 * [1] until shared with the call that uses it. O(1), one clock read. */
WS_API void ws_budget_init(ws_budget *budget, uint32_t milliseconds, uint64_t cost);

/* Makes every call that uses `budget` return WS_ERR_CANCELLED at its next poll.
 * [any], async-signal-safe. The budget must stay alive until those calls return. */
WS_API void ws_budget_cancel(ws_budget *budget);

WS_END_DECLS

#endif
