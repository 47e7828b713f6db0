#include "loadtest/micro/bench_cache_lru.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS 64u

typedef struct node {
    struct node *chain, *newer, *older;
    uint8_t key[16];
    size_t size;
    uint8_t value[];
} node;

typedef struct {
    pthread_mutex_t mutex;
    node **heads;
    size_t mask, used, limit;
    node *newest, *oldest;
    char pad[64];
} shard;

struct bench_lru {
    shard shards[SHARDS];
};

static uint64_t hash_of(const uint8_t key[16])
{
    uint64_t a, b;
    memcpy(&a, key, 8);
    memcpy(&b, key + 8, 8);
    return (a ^ b * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
}

bench_lru *bench_lru_new(size_t bytes)
{
    bench_lru *l = calloc(1, sizeof *l);
    size_t n = 1;
    while (n < bytes / SHARDS / 512)
        n *= 2;
    for (uint32_t i = 0; l && i < SHARDS; i++) {
        pthread_mutex_init(&l->shards[i].mutex, NULL);
        l->shards[i].heads = calloc(n, sizeof(node *));
        l->shards[i].mask = n - 1;
        l->shards[i].limit = bytes / SHARDS;
        if (!l->shards[i].heads)
            exit(1);
    }
    return l;
}

static void unlink_node(shard *s, node *n)
{
    *(n->newer ? &n->newer->older : &s->newest) = n->older;
    *(n->older ? &n->older->newer : &s->oldest) = n->newer;
}

static void make_newest(shard *s, node *n)
{
    n->newer = NULL;
    n->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = n;
    s->newest = n;
}

static void evict(shard *s)
{
    node *n = s->oldest, **link = &s->heads[hash_of(n->key) & s->mask];
    while (*link != n)
        link = &(*link)->chain;
    *link = n->chain;
    unlink_node(s, n);
    s->used -= sizeof *n + n->size;
    free(n);
}

void bench_lru_free(bench_lru *l)
{
    for (uint32_t i = 0; i < SHARDS; i++) {
        while (l->shards[i].oldest)
            evict(&l->shards[i]);
        free(l->shards[i].heads);
        pthread_mutex_destroy(&l->shards[i].mutex);
    }
    free(l);
}

static node *find(shard *s, uint64_t hash, const uint8_t key[16])
{
    node *n = s->heads[hash & s->mask];
    while (n && memcmp(n->key, key, 16) != 0)
        n = n->chain;
    return n;
}

size_t bench_lru_get(bench_lru *l, const uint8_t key[16], void *out, size_t cap)
{
    uint64_t hash = hash_of(key);
    shard *s = &l->shards[hash >> 58];
    size_t size = 0;
    pthread_mutex_lock(&s->mutex);
    node *n = find(s, hash, key);
    if (n) {
        unlink_node(s, n);
        make_newest(s, n);
        size = n->size;
        memcpy(out, n->value, size < cap ? size : cap);
    }
    pthread_mutex_unlock(&s->mutex);
    return size;
}

void bench_lru_put(bench_lru *l, const uint8_t key[16], const void *value, size_t size)
{
    uint64_t hash = hash_of(key);
    shard *s = &l->shards[hash >> 58];
    node *n = malloc(sizeof *n + size);
    if (!n)
        exit(1);
    memcpy(n->key, key, 16);
    memcpy(n->value, value, size);
    n->size = size;
    pthread_mutex_lock(&s->mutex);
    if (find(s, hash, key)) { /* the bench puts new keys only, but for its mix */
        pthread_mutex_unlock(&s->mutex);
        free(n);
        return;
    }
    while (s->oldest && s->used + sizeof *n + size > s->limit)
        evict(s);
    s->used += sizeof *n + size;
    n->chain = s->heads[hash & s->mask];
    s->heads[hash & s->mask] = n;
    make_newest(s, n);
    pthread_mutex_unlock(&s->mutex);
}
