#include "indexer/trace_lru.h"

#include "base/mem.h"

/* Node 0 is the ring's head: its next is the youngest, its prev the oldest. */
typedef struct {
    uint64_t id;
    uint32_t next, prev, chain;
} node;

struct ws_trace_lru {
    node *nodes;
    uint32_t *heads; /* chains by hash */
    uint32_t entries, used, mask;
};

ws_trace_lru *ws_trace_lru_new(uint32_t entries)
{
    ws_trace_lru *l = ws_calloc(1, sizeof *l);
    uint32_t n_heads = 16;
    while (n_heads < entries)
        n_heads *= 2;
    if (!l)
        return NULL;
    l->nodes = ws_calloc((size_t)entries + 1, sizeof *l->nodes);
    l->heads = ws_calloc(n_heads, sizeof *l->heads);
    l->entries = entries;
    l->mask = n_heads - 1;
    if (l->nodes && l->heads)
        return l;
    ws_trace_lru_free(l);
    return NULL;
}

void ws_trace_lru_free(ws_trace_lru *l)
{
    if (!l)
        return;
    ws_free(l->nodes);
    ws_free(l->heads);
    ws_free(l);
}

static uint32_t *chain_of(ws_trace_lru *l, uint64_t id)
{
    return &l->heads[id * 0x9e3779b97f4a7c15u >> 32 & l->mask];
}

static void unlink_node(ws_trace_lru *l, uint32_t i)
{
    l->nodes[l->nodes[i].prev].next = l->nodes[i].next;
    l->nodes[l->nodes[i].next].prev = l->nodes[i].prev;
}

static void put_first(ws_trace_lru *l, uint32_t i)
{
    l->nodes[i].next = l->nodes[0].next;
    l->nodes[i].prev = 0;
    l->nodes[l->nodes[0].next].prev = i;
    l->nodes[0].next = i;
}

/* A node for a new id: the oldest one's when all are used. */
static uint32_t take_node(ws_trace_lru *l)
{
    if (l->used < l->entries)
        return ++l->used;
    uint32_t i = l->nodes[0].prev, *link = chain_of(l, l->nodes[i].id);
    while (*link != i)
        link = &l->nodes[*link].chain;
    *link = l->nodes[i].chain;
    unlink_node(l, i);
    return i;
}

int ws_trace_lru_ask(ws_trace_lru *l, uint64_t id)
{
    uint32_t i = *chain_of(l, id);
    while (i && l->nodes[i].id != id)
        i = l->nodes[i].chain;
    int hit = i != 0;
    if (hit) {
        unlink_node(l, i);
    } else {
        i = take_node(l);
        l->nodes[i].id = id;
        l->nodes[i].chain = *chain_of(l, id);
        *chain_of(l, id) = i;
    }
    put_first(l, i);
    return hit;
}
