#include "server/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/timeouts.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define MS 1000000u

/* The I/O thread of a test: waits for the pool's bell. */
typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t ring;
    unsigned rings;
} bell;

typedef struct {
    ws_job job;       /* first */
    atomic_int *gate; /* waits until it is nonzero; NULL = not */
    int runs;
} task;

static void notify(void *ctx)
{
    bell *b = ctx;
    pthread_mutex_lock(&b->mutex);
    b->rings++;
    pthread_cond_signal(&b->ring);
    pthread_mutex_unlock(&b->mutex);
}

static void run(ws_job *job, ws_worker *worker)
{
    task *t = (task *)job;
    cr_assert_not_null(worker->scratch);
    while (t->gate && !atomic_load(t->gate))
        usleep(200);
    t->runs++;
}

static void init_bell(bell *b)
{
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->ring, NULL);
    b->rings = 0;
}

/* Takes finished jobs until `n` have come; returns how many of them were expired. */
static unsigned collect(ws_pool *pool, bell *b, unsigned n)
{
    unsigned seen = 0, expired = 0;
    while (seen < n) {
        pthread_mutex_lock(&b->mutex);
        while (b->rings == 0)
            pthread_cond_wait(&b->ring, &b->mutex);
        b->rings = 0;
        pthread_mutex_unlock(&b->mutex);
        for (ws_job *job = ws_pool_take_finished(pool); job; job = job->next) {
            seen++;
            expired += job->expired;
            cr_assert_eq(job->state, WS_JOB_FINISHED);
            cr_assert_geq(job->started_ns, job->queued_ns);
            cr_assert_geq(job->finished_ns, job->started_ns);
        }
    }
    return expired;
}

static void prepare(task *t, ws_lane lane, atomic_int *gate)
{
    *t = (task){.job = {.run = run, .lane = (uint8_t)lane}, .gate = gate};
}

Test(pool, runs_every_job_once)
{
    enum { N = 2000 };
    static task tasks[N];
    ws_pool *pool;
    ws_pool_stats stats;
    bell b;
    init_bell(&b);
    cr_assert_eq(ws_pool_start(&pool, 3, 0, 0, notify, &b, NULL), WS_OK);
    for (int i = 0; i < N; i++) {
        prepare(&tasks[i], i % 3 ? WS_LANE_LIGHT : WS_LANE_HEAVY, NULL);
        cr_assert_eq(ws_pool_submit(pool, &tasks[i].job, NULL), WS_ADMIT);
    }
    cr_assert_eq(collect(pool, &b, N), 0);
    for (int i = 0; i < N; i++)
        cr_assert_eq(tasks[i].runs, 1);
    ws_pool_get_stats(pool, &stats);
    cr_assert_eq(stats.workers_alive, 3);
    cr_assert_eq(stats.queued[WS_LANE_LIGHT] + stats.queued[WS_LANE_HEAVY], 0);
    ws_pool_stop(pool);
    ws_pool_free(pool);
}

Test(pool, full_queue_refuses_and_withdrawing_makes_room)
{
    task tasks[6];
    atomic_int gate = 0;
    ws_pool *pool;
    bell b;
    init_bell(&b);
    cr_assert_eq(ws_pool_start(&pool, 1, 2, 1000 * (uint64_t)MS, notify, &b, NULL), WS_OK);
    for (int i = 0; i < 6; i++)
        prepare(&tasks[i], WS_LANE_LIGHT, &gate);
    ws_pool_submit(pool, &tasks[0].job, NULL);
    ws_pool_stats stats = {.busy = {0}};
    while (stats.busy[WS_LANE_LIGHT] == 0) {
        usleep(200);
        ws_pool_get_stats(pool, &stats);
    }
    cr_assert_eq(ws_pool_submit(pool, &tasks[1].job, NULL), WS_ADMIT);
    cr_assert_eq(ws_pool_submit(pool, &tasks[2].job, NULL), WS_ADMIT);
    cr_assert_eq(ws_pool_submit(pool, &tasks[3].job, NULL), WS_REFUSE_FULL);
    cr_assert_not(ws_pool_withdraw(pool, &tasks[0].job)); /* it runs */
    cr_assert(ws_pool_withdraw(pool, &tasks[1].job));
    cr_assert_eq(ws_pool_submit(pool, &tasks[4].job, NULL), WS_ADMIT);
    atomic_store(&gate, 1);
    collect(pool, &b, 3);
    cr_assert_eq(tasks[1].runs, 0);
    cr_assert_eq(tasks[2].runs, 1);
    cr_assert_eq(tasks[4].runs, 1);
    ws_pool_stop(pool);
    ws_pool_free(pool);
}

Test(pool, drops_jobs_whose_deadline_passed)
{
    task tasks[2];
    atomic_int gate = 0;
    ws_pool *pool;
    bell b;
    init_bell(&b);
    cr_assert_eq(ws_pool_start(&pool, 1, 10, 1000 * (uint64_t)MS, notify, &b, NULL), WS_OK);
    prepare(&tasks[0], WS_LANE_LIGHT, &gate);
    prepare(&tasks[1], WS_LANE_LIGHT, NULL);
    tasks[1].job.deadline_ns = ws_now_ns() + 2 * MS;
    ws_pool_submit(pool, &tasks[0].job, NULL);
    ws_pool_submit(pool, &tasks[1].job, NULL);
    while (ws_now_ns() <= tasks[1].job.deadline_ns)
        usleep(200);
    atomic_store(&gate, 1);
    cr_assert_eq(collect(pool, &b, 2), 1);
    cr_assert_eq(tasks[1].runs, 0);
    ws_pool_stop(pool);
    ws_pool_free(pool);
}

Test(pool, stop_returns_what_was_waiting)
{
    task tasks[5];
    atomic_int gate = 0;
    ws_pool *pool;
    bell b;
    init_bell(&b);
    cr_assert_eq(ws_pool_start(&pool, 1, 10, 1000 * (uint64_t)MS, notify, &b, NULL), WS_OK);
    for (int i = 0; i < 5; i++) {
        prepare(&tasks[i], WS_LANE_LIGHT, &gate);
        ws_pool_submit(pool, &tasks[i].job, NULL);
    }
    atomic_store(&gate, 1);
    ws_pool_stop(pool);
    int n = 0;
    for (ws_job *job = ws_pool_take_finished(pool); job; job = job->next)
        n++;
    cr_assert_eq(n, 5);
    ws_pool_free(pool);
}

/* --- timeouts of connections, against a scan of all of them --- */

enum { CONNS = 40 };

static uint64_t model_next(const uint64_t *when, const ws_timeout *conns)
{
    uint64_t next = UINT64_MAX;
    for (int i = 0; i < CONNS; i++) {
        if (conns[i].kind != WS_TIMEOUT_NONE && when[i] < next)
            next = when[i];
    }
    return next;
}

Test(timeouts, agree_with_a_scan)
{
    ws_rng rng = ws_rng_seeded(9);
    static ws_timeout conns[CONNS];
    uint64_t when[CONNS] = {0}, now = 0;
    ws_timeouts t = {.duration_ms = {0, 75, 5, 30, 10, 1, 2}};
    for (int turn = 0; turn < 20000; turn++) {
        int i = (int)ws_rng_below(&rng, CONNS);
        ws_timeout_kind kind = (ws_timeout_kind)ws_rng_below(&rng, WS_TIMEOUT_KINDS);
        conns[i].owner = &conns[i];
        ws_timeouts_set(&t, &conns[i], kind, now);
        when[i] = now + t.duration_ms[kind];
        cr_assert_eq(ws_timeouts_next_ms(&t), model_next(when, conns), "seed %llu turn %d",
                     (unsigned long long)rng.seed, turn);
        now += ws_rng_below(&rng, 3);
        ws_timeout *x;
        while ((x = ws_timeouts_expired(&t, now, &kind)) != NULL) {
            cr_assert_leq(when[x - conns], now);
            cr_assert(x->owner == x);
            cr_assert_neq(kind, WS_TIMEOUT_NONE);
        }
        cr_assert_gt(model_next(when, conns), now);
    }
}
