#include "server/pool.h"

#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"

typedef struct {
    pthread_t thread;
    ws_worker worker;
} slot;

struct ws_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    ws_queue queue;                   /* holding mutex */
    ws_job *finished, *finished_last; /* holding mutex */
    uint64_t busy_ns, cpu_ns;         /* holding mutex */
    uint32_t alive;                   /* holding mutex */
    int stopping;                     /* holding mutex */
    void (*notify)(void *ctx);
    void *ctx;
    uint32_t n_slots; /* threads started */
    slot *slots;
};

static void run_job(ws_job *job, ws_worker *worker)
{
    uint64_t cpu = ws_thread_cpu_ns();
    job->started_ns = ws_now_ns();
    job->expired = job->deadline_ns != 0 && job->started_ns > job->deadline_ns;
    if (!job->expired)
        job->run(job, worker);
    job->finished_ns = ws_now_ns();
    job->cpu_ns = ws_thread_cpu_ns() - cpu;
}

/* Puts a job onto the finished list; returns 1 when the list was empty. Holding the mutex. */
static int finish_locked(ws_pool *pool, ws_job *job)
{
    int was_empty = pool->finished == NULL;
    job->state = WS_JOB_FINISHED;
    job->next = NULL;
    if (was_empty)
        pool->finished = job;
    else
        pool->finished_last->next = job;
    pool->finished_last = job;
    return was_empty;
}

static void account_locked(ws_pool *pool, const ws_job *job)
{
    uint64_t service = job->finished_ns - job->started_ns;
    ws_queue_done(&pool->queue, (ws_lane)job->lane, job->expired ? 0 : service + 1);
    pool->busy_ns += service;
    pool->cpu_ns += job->cpu_ns;
}

static void *work(void *arg)
{
    ws_worker *worker = arg;
    ws_pool *pool = worker->pool;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        ws_job *job = pool->stopping ? NULL : ws_queue_pop(&pool->queue);
        if (job == NULL) {
            if (pool->stopping)
                break;
            pthread_cond_wait(&pool->wake, &pool->mutex);
            continue;
        }
        pthread_mutex_unlock(&pool->mutex);
        run_job(job, worker);
        pthread_mutex_lock(&pool->mutex);
        account_locked(pool, job);
        if (finish_locked(pool, job))
            pool->notify(pool->ctx);
    }
    pool->alive--;
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static ws_status start_slot(ws_pool *pool, slot *s, uint32_t number, ws_error *error)
{
    sigset_t all, before;
    s->worker = (ws_worker){pool, NULL, number};
    ws_status status = ws_scratch_new(&s->worker.scratch);
    if (status < 0)
        return ws_error_set(error, status, "worker %u: %s", number, ws_status_text(status));
    /* Signals are for the I/O thread. SIGBUS stays: it belongs to the thread that touched the page.
     */
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int e = pthread_create(&s->thread, NULL, work, &s->worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (e == 0) {
        pthread_mutex_lock(&pool->mutex);
        pool->alive++;
        pthread_mutex_unlock(&pool->mutex);
        return WS_OK;
    }
    ws_scratch_free(s->worker.scratch);
    return ws_error_set(error, WS_ERR_LIMIT, "can't start worker thread %u: %s", number,
                        strerror(e));
}

ws_status ws_pool_start(ws_pool **out, uint32_t workers, uint32_t capacity, uint64_t budget_ns,
                        void (*notify)(void *ctx), void *ctx, ws_error *error)
{
    ws_status status = WS_OK;
    *out = NULL;
    ws_pool *pool = ws_calloc(1, sizeof *pool);
    if (pool == NULL)
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    ws_queue_init(&pool->queue, workers, capacity, budget_ns);
    pool->notify = notify;
    pool->ctx = ctx;
    pool->slots = ws_calloc(workers, sizeof *pool->slots);
    if (pool->slots == NULL)
        status = ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    for (uint32_t i = 0; status == WS_OK && i < workers; i++) {
        status = start_slot(pool, &pool->slots[i], i, error);
        pool->n_slots += status == WS_OK;
    }
    if (status < 0) {
        ws_pool_stop(pool);
        ws_pool_free(pool);
        return status;
    }
    *out = pool;
    return WS_OK;
}

void ws_pool_stop(ws_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = 1;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->n_slots; i++) {
        pthread_join(pool->slots[i].thread, NULL);
        ws_scratch_free(pool->slots[i].worker.scratch);
    }
    pool->n_slots = 0;
    for (ws_job *job; (job = ws_queue_pop(&pool->queue)) != NULL;) {
        ws_queue_done(&pool->queue, (ws_lane)job->lane, 0);
        job->expired = 1;
        finish_locked(pool, job);
    }
}

void ws_pool_free(ws_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    ws_free(pool->slots);
    ws_free(pool);
}

ws_admission ws_pool_submit(ws_pool *pool, ws_job *job, uint64_t *wait_ns)
{
    job->queued_ns = ws_now_ns();
    pthread_mutex_lock(&pool->mutex);
    if (wait_ns)
        *wait_ns = ws_queue_wait_ns(&pool->queue, (ws_lane)job->lane);
    ws_admission verdict = ws_queue_admit(&pool->queue, (ws_lane)job->lane);
    if (verdict == WS_ADMIT) {
        ws_queue_push(&pool->queue, job);
        pthread_cond_signal(&pool->wake);
    }
    pthread_mutex_unlock(&pool->mutex);
    return verdict;
}

int ws_pool_withdraw(ws_pool *pool, ws_job *job)
{
    pthread_mutex_lock(&pool->mutex);
    int waiting = job->state == WS_JOB_QUEUED;
    if (waiting)
        ws_queue_remove(&pool->queue, job);
    pthread_mutex_unlock(&pool->mutex);
    return waiting;
}

ws_job *ws_pool_take_finished(ws_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    ws_job *first = pool->finished;
    pool->finished = pool->finished_last = NULL;
    pthread_mutex_unlock(&pool->mutex);
    return first;
}

void ws_pool_run_here(ws_pool *pool, ws_job *job, ws_worker *worker)
{
    job->queued_ns = ws_now_ns();
    run_job(job, worker);
    job->state = WS_JOB_FINISHED;
    pthread_mutex_lock(&pool->mutex);
    pool->busy_ns += job->finished_ns - job->started_ns;
    pool->cpu_ns += job->cpu_ns;
    pthread_mutex_unlock(&pool->mutex);
}

void ws_pool_get_stats(ws_pool *pool, ws_pool_stats *stats)
{
    pthread_mutex_lock(&pool->mutex);
    for (int i = 0; i < WS_LANES; i++) {
        stats->queued[i] = pool->queue.lanes[i].queued;
        stats->busy[i] = pool->queue.lanes[i].busy;
        stats->wait_ns[i] = ws_queue_wait_ns(&pool->queue, (ws_lane)i);
    }
    stats->busy_ns = pool->busy_ns;
    stats->cpu_ns = pool->cpu_ns;
    stats->workers_alive = pool->alive;
    pthread_mutex_unlock(&pool->mutex);
}
