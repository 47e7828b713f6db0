#include "base/budget.h"

#include "base/clock.h"

#define NS_PER_MS 1000000u

void ws_budget_init(ws_budget *budget, uint32_t milliseconds, uint64_t cost)
{
    budget->deadline_ns = milliseconds ? ws_now_ns() + (uint64_t)milliseconds * NS_PER_MS : 0;
    budget->cost_limit = cost;
    budget->reserved = 0;
    __atomic_store_n(&budget->cancelled, 0, __ATOMIC_RELAXED);
}

/* Relaxed on both sides: the flag carries no data, and a poll that is one block late is in
 * order. */
void ws_budget_cancel(ws_budget *budget)
{
    __atomic_store_n(&budget->cancelled, 1, __ATOMIC_RELAXED);
}

ws_status ws_budget_poll(const ws_budget *budget, uint64_t spent)
{
    if (!budget)
        return WS_OK;
    if (__atomic_load_n(&budget->cancelled, __ATOMIC_RELAXED))
        return WS_ERR_CANCELLED;
    if (budget->cost_limit && spent >= budget->cost_limit)
        return WS_PARTIAL;
    if (budget->deadline_ns && ws_now_ns() >= budget->deadline_ns)
        return WS_PARTIAL;
    return WS_OK;
}
