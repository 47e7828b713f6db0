#include "server/timeouts.h"

#include <stddef.h>

static void take_out(ws_timeouts *t, ws_timeout *x)
{
    if (x->prev)
        x->prev->next = x->next;
    else
        t->first[x->kind] = x->next;
    if (x->next)
        x->next->prev = x->prev;
    else
        t->last[x->kind] = x->prev;
    x->prev = x->next = NULL;
    x->kind = WS_TIMEOUT_NONE;
}

void ws_timeouts_set(ws_timeouts *t, ws_timeout *x, ws_timeout_kind kind, uint64_t now_ms)
{
    if (x->kind != WS_TIMEOUT_NONE)
        take_out(t, x);
    if (kind == WS_TIMEOUT_NONE)
        return;
    x->kind = (uint8_t)kind;
    x->when_ms = now_ms + t->duration_ms[kind];
    x->prev = t->last[kind];
    if (x->prev)
        x->prev->next = x;
    else
        t->first[kind] = x;
    t->last[kind] = x;
}

ws_timeout *ws_timeouts_expired(ws_timeouts *t, uint64_t now_ms, ws_timeout_kind *kind)
{
    for (int k = WS_TIMEOUT_NONE + 1; k < WS_TIMEOUT_KINDS; k++) {
        ws_timeout *x = t->first[k];
        if (x && x->when_ms <= now_ms) {
            take_out(t, x);
            *kind = (ws_timeout_kind)k;
            return x;
        }
    }
    return NULL;
}

uint64_t ws_timeouts_next_ms(const ws_timeouts *t)
{
    uint64_t next = UINT64_MAX;
    for (int k = WS_TIMEOUT_NONE + 1; k < WS_TIMEOUT_KINDS; k++) {
        if (t->first[k] && t->first[k]->when_ms < next)
            next = t->first[k]->when_ms;
    }
    return next;
}
