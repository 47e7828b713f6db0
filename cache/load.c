/* Loading what is not there, once for all who ask. */
#include <time.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cache/cache_int.h"

#define POLL_NS 5000000u /* a cancel sets a flag and wakes nobody: waiters look this often */

typedef struct {
    ws_cache *cache;
    ws_shard *shard;
    ws_key key;
    uint64_t stamp;
    ws_cache_loader loader;
    void *ctx;
    const ws_budget *budget;
} question;

/* --- the shard's list of flights --- */

static void list_flight(ws_shard *s, ws_flight *f)
{
    f->next = s->flights;
    s->flights = f;
    f->listed = 1;
    atomic_fetch_add_explicit(&s->n_flights, 1, memory_order_release);
}

static void unlist_flight(ws_shard *s, ws_flight *f)
{
    ws_flight **link = &s->flights;
    if (!f->listed)
        return;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    f->listed = 0;
    atomic_fetch_sub_explicit(&s->n_flights, 1, memory_order_release);
}

/* Steps a flight and does what concerns the record; the rest of what is to do is returned. */
static uint32_t step(ws_shard *s, ws_flight *f, uint32_t event)
{
    uint32_t todo;
    f->state = ws_flight_step(f->state, event, &todo);
    if (todo & WS_FLIGHT_DO_UNLIST)
        unlist_flight(s, f);
    if (todo & WS_FLIGHT_DO_WAKE)
        pthread_cond_broadcast(&f->changed);
    return todo;
}

static void drop_flight(ws_flight *f)
{
    if (f->result)
        ws_entry_unpin(f->result);
    ws_flight_free(f);
}

void ws_shard_overtake(ws_shard *s, const ws_key *k)
{
    for (ws_flight *f = s->flights, *next; f; f = next) {
        next = f->next;
        if (!k || ws_flight_is(f, k->hash, k->key))
            step(s, f, WS_FLIGHT_INVALIDATE);
    }
}

/* --- the one who loads --- */

/* A value of its own, for those who wait for what is not stored. Its one pin is the caller's. */
static ws_entry *make_detached(const ws_fill *fill)
{
    ws_entry *e = ws_malloc(sizeof *e + fill->value.len);
    if (!e)
        return NULL;
    memset(e, 0, sizeof *e);
    atomic_init(&e->state,
                WS_STATE_DETACHED + WS_STATE_PIN + (fill->negative ? WS_STATE_NEGATIVE : 0));
    e->stamp = fill->stamp;
    e->value_len = (uint32_t)fill->value.len;
    e->cost = ws_entry_pack_cost(fill->cost_us);
    if (fill->value.len)
        memcpy(e->bytes, fill->value.ptr, fill->value.len);
    return e;
}

/* There is none any more, and that is not stored: what is there must not be served as stale. */
static void forget(const question *q)
{
    uint32_t ref = ws_shard_find(q->cache, q->shard, q->key);
    if (ref && ws_entry_at(q->cache->base, ref)->stamp <= q->stamp)
        ws_shard_remove(q->cache, q->shard, ref, WS_CACHE_REMOVED);
}

/* Stores the value unless that is not possible; returns the entry with a pin, or NULL. The mutex is
 * let go while much is copied, so whether it was overtaken is asked twice. */
static ws_entry *store(const question *q, ws_flight *f, const ws_fill *fill)
{
    ws_shard *s = q->shard;
    if (f->state.overtaken)
        return NULL;
    if (fill->negative && !q->cache->negative_ticks) {
        forget(q);
        return NULL;
    }
    uint32_t ref = ws_shard_make(q->cache, s, q->key, fill);
    if (!ref)
        return NULL;
    if (f->state.overtaken) {
        ws_shard_drop_cell(q->cache, s, ref);
        return NULL;
    }
    ws_entry *e = ws_entry_at(q->cache->base, ref);
    return ws_shard_publish(q->cache, s, q->key, ref, 1) ? NULL : e;
}

static ws_status succeed(const question *q, ws_flight *f, const ws_fill *fill)
{
    f->result = store(q, f, fill);
    if (!f->result)
        f->result = make_detached(fill);
    q->shard->overtaken += f->state.overtaken;
    return f->result ? WS_OK : WS_ERR_NOMEM;
}

static uint32_t outcome(ws_status status)
{
    if (status == WS_OK)
        return WS_FLIGHT_SUCCEED;
    return status == WS_PARTIAL || status == WS_ERR_CANCELLED ? WS_FLIGHT_GIVE_UP : WS_FLIGHT_FAIL;
}

/* What was made before the budget ended is the caller's alone. */
static ws_status give_partial(const ws_fill *fill, ws_cache_view *view)
{
    ws_entry *e = make_detached(fill);
    if (!e)
        return WS_ERR_NOMEM;
    ws_view_set(view, WS_CACHE_MISS, e, NULL);
    return WS_PARTIAL;
}

static ws_status finish(const question *q, ws_flight *f, ws_status status, const ws_fill *fill,
                        ws_cache_view *view)
{
    ws_shard *s = q->shard;
    ws_cache_grow_sketch(q->cache);
    pthread_mutex_lock(&s->mutex);
    if (status == WS_OK || fill->negative)
        status = succeed(q, f, fill);
    f->status = status;
    s->load_failures += status != WS_OK;
    if (f->result) {
        ws_entry_pin(f->result);
        ws_view_set(view, fill->negative ? WS_CACHE_NEGATIVE : WS_CACHE_MISS, f->result, NULL);
    }
    uint32_t todo = step(s, f, outcome(status));
    pthread_mutex_unlock(&s->mutex);
    if (todo & WS_FLIGHT_DO_FREE)
        drop_flight(f);
    return status == WS_PARTIAL ? give_partial(fill, view) : status;
}

static ws_status lead(const question *q, ws_flight *f, ws_cache_view *view)
{
    ws_cache_loaded loaded = {{NULL, 0}, 0, 0, NULL, NULL};
    ws_status status = q->loader(q->ctx, q->budget, &loaded);
    ws_cache_read_clock(q->cache);
    ws_fill fill = {loaded.value, q->stamp, loaded.cost_us, status == WS_ERR_NOT_FOUND};
    if (status > 0)
        status = WS_PARTIAL;
    status = finish(q, f, status, &fill, view);
    if (loaded.release)
        loaded.release(loaded.release_ctx);
    return status;
}

/* --- those who wait --- */

static void wait_a_little(ws_shard *s, ws_flight *f, const ws_budget *budget)
{
    if (!budget) {
        pthread_cond_wait(&f->changed, &s->mutex);
        return;
    }
    uint64_t until = ws_now_ns() + POLL_NS;
    if (budget->deadline_ns)
        until = WS_MIN(until, budget->deadline_ns);
    struct timespec t = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
    pthread_cond_timedwait(&f->changed, &s->mutex, &t);
}

/* Waits with the mutex held, and lets it go. *again: 1 when the caller has to try himself. */
static ws_status await(const question *q, ws_flight *f, ws_cache_view *view, int *again)
{
    ws_shard *s = q->shard;
    ws_status status = WS_OK;
    s->coalesced++;
    while (f->state.phase == WS_FLIGHT_LOADING && !status) {
        wait_a_little(s, f, q->budget);
        if (f->state.phase == WS_FLIGHT_LOADING)
            status = ws_budget_poll(q->budget, 0);
    }
    if (f->state.phase != WS_FLIGHT_LOADING)
        status = f->status;
    *again = f->state.phase == WS_FLIGHT_GIVEN_UP;
    if (f->state.phase == WS_FLIGHT_DONE) {
        ws_entry_pin(f->result);
        uint32_t negative =
            atomic_load_explicit(&f->result->state, memory_order_relaxed) & WS_STATE_NEGATIVE;
        ws_view_set(view, negative ? WS_CACHE_NEGATIVE : WS_CACHE_LOADING, f->result, NULL);
    }
    uint32_t todo = step(s, f, WS_FLIGHT_LEAVE);
    pthread_mutex_unlock(&s->mutex);
    if (todo & WS_FLIGHT_DO_FREE)
        drop_flight(f);
    return status;
}

/* --- asking --- */

/* Something fresh came while the mutex was waited for. */
static int find_fresh(const question *q, ws_cache_view *view)
{
    uint32_t ref = ws_shard_find(q->cache, q->shard, q->key);
    ws_entry *e = ref ? ws_entry_at(q->cache->base, ref) : NULL;
    uint32_t state = e ? ws_entry_judge(q->cache, e, q->stamp) : WS_CACHE_MISS;
    if (state != WS_CACHE_HIT && state != WS_CACHE_NEGATIVE)
        return 0;
    ws_entry_pin(e);
    ws_view_set(view, state, e, NULL);
    return 1;
}

/* Starts a flight; called with the mutex held, returns without. */
static ws_status fly(const question *q, ws_cache_view *view)
{
    ws_shard *s = q->shard;
    ws_flight *f = ws_flight_new(q->key.hash, q->key.key, q->stamp);
    if (f) {
        list_flight(s, f);
        s->loads++;
    }
    pthread_mutex_unlock(&s->mutex);
    return f ? lead(q, f, view) : WS_ERR_NOMEM;
}

static ws_status load_or_wait(const question *q, ws_cache_view *view)
{
    ws_shard *s = q->shard;
    for (;;) {
        int again = 0;
        pthread_mutex_lock(&s->mutex);
        if (find_fresh(q, view)) {
            pthread_mutex_unlock(&s->mutex);
            return WS_OK;
        }
        ws_flight *f = ws_flight_find(s->flights, q->key.hash, q->key.key, q->stamp);
        if (!f || !(step(s, f, WS_FLIGHT_ASK) & WS_FLIGHT_DO_WAIT))
            return fly(q, view);
        ws_status status = await(q, f, view, &again);
        if (!again)
            return status;
        ws_status mine = ws_budget_poll(q->budget, 0);
        if (mine)
            return mine;
    }
}

/* This caller refreshes a stale entry. What it has is better than an error. */
static ws_status refresh_stale(const question *q, ws_cache_view *view)
{
    ws_cache_view fresh = {.state = WS_CACHE_MISS};
    ws_status status = load_or_wait(q, &fresh);
    if (status != WS_OK) {
        ws_cache_view_fini(&fresh);
        return WS_OK;
    }
    ws_cache_view_fini(view);
    *view = fresh;
    return WS_OK;
}

ws_status ws_cache_get_or_load(ws_cache *c, const uint8_t key16[16], ws_str key_bytes,
                               uint64_t stamp, ws_cache_loader loader, void *ctx,
                               const ws_budget *budget, ws_cache_view *view)
{
    *view = (ws_cache_view){.state = WS_CACHE_MISS};
    if (!loader || key_bytes.len > WS_CACHE_KEY_MAX)
        return WS_ERR_ARG;
    ws_key k = ws_key_of(c, key16, key_bytes);
    question q = {c, ws_shard_of(c, k), k, stamp, loader, ctx, budget};
    uint32_t state = ws_cache_get(c, key16, key_bytes, stamp, view);
    if (state == WS_CACHE_HIT || state == WS_CACHE_NEGATIVE)
        return WS_OK;
    if (state == WS_CACHE_STALE)
        return view->refresh ? refresh_stale(&q, view) : WS_OK;
    return load_or_wait(&q, view);
}

ws_status ws_cache_refresh(ws_cache *c, const uint8_t key16[16], ws_str key_bytes, uint64_t stamp,
                           ws_cache_loader loader, void *ctx, const ws_budget *budget)
{
    ws_cache_view view = {.state = WS_CACHE_MISS};
    if (!loader || key_bytes.len > WS_CACHE_KEY_MAX)
        return WS_ERR_ARG;
    ws_key k = ws_key_of(c, key16, key_bytes);
    question q = {c, ws_shard_of(c, k), k, stamp, loader, ctx, budget};
    pthread_mutex_lock(&q.shard->mutex);
    if (ws_flight_find(q.shard->flights, k.hash, k.key, stamp)) {
        pthread_mutex_unlock(&q.shard->mutex);
        return WS_ERR_CONFLICT;
    }
    ws_status status = fly(&q, &view);
    ws_cache_view_fini(&view);
    return status;
}
