/* Worker threads around the queue.
 *
 *   I/O thread: submit -> [queue] -> worker: run -> [finished list] -> notify -> I/O thread:
 * take_finished
 *
 * A job belongs to the pool from submit until it is taken back. The queue's policy is under one
 * mutex: jobs are tens of microseconds and more, so that contention on it is of no account.
 */
#ifndef WS_SERVER_POOL_H
#define WS_SERVER_POOL_H

#include "server/queue.h"
#include "wikisearch/search.h"

typedef struct ws_pool ws_pool;

/* One thread's things; given to job->run. */
typedef struct ws_worker {
    ws_pool *pool;
    ws_scratch *scratch;
    uint32_t number;
} ws_worker;

typedef struct {
    uint32_t queued[WS_LANES], busy[WS_LANES];
    uint64_t wait_ns[WS_LANES]; /* predicted */
    uint64_t busy_ns, cpu_ns;   /* of all workers since the start; finished jobs only */
    uint32_t workers_alive;
} ws_pool_stats;

/* Starts the threads.
 *   capacity   jobs that may wait, 0 = unbounded
 *   budget_ns  longest predicted wait
 *   notify     called by a worker when the finished list becomes non-empty: must be safe from any
 * thread Errors: WS_ERR_NOMEM, WS_ERR_LIMIT (no thread). */
ws_status ws_pool_start(ws_pool **out, uint32_t workers, uint32_t capacity, uint64_t budget_ns,
                        void (*notify)(void *ctx), void *ctx, ws_error *error);

/* Finishes running jobs, drops waiting ones onto the finished list (expired), joins the threads.
 * The list can still be taken; then ws_pool_free. */
void ws_pool_stop(ws_pool *pool);
void ws_pool_free(ws_pool *pool); /* NULL does nothing */

/* Queues a job whose lane, run and deadline_ns are set.
 *   wait_ns  out: predicted wait; NULL allowed
 * WS_ADMIT: it was taken. Otherwise it stays the caller's. [I/O thread] */
ws_admission ws_pool_submit(ws_pool *pool, ws_job *job, uint64_t *wait_ns);

/* Takes a job back if it has not been started: returns 1, and the job is the caller's again.
 * Otherwise 0: it will come through the finished list. */
int ws_pool_withdraw(ws_pool *pool, ws_job *job);

/* Chain (by next) of finished jobs, oldest first; NULL when there is none. */
ws_job *ws_pool_take_finished(ws_pool *pool);

/* Runs a job in the calling thread, as a worker would (front.mode = inline). */
void ws_pool_run_here(ws_pool *pool, ws_job *job, ws_worker *worker);

void ws_pool_get_stats(ws_pool *pool, ws_pool_stats *stats);

#endif
