/* Who may wait for a worker, and who is next: the policy of the pool, without threads or clocks.
 *
 * Three lanes. SYSTEM (refreshes) goes first and is never refused. LIGHT and HEAVY are queries and
 * other requests by predicted cost. While light jobs wait, at most workers - 1 heavy ones run (1
 * when there is a single worker), and of both, four light jobs start for each heavy one; so a flood
 * of heavy queries costs light ones little, and neither starves.
 *
 * Admission is by predicted wait: jobs ahead x their lane's mean service time / workers, against a
 * budget, with a hard bound on the count behind it. Not thread-safe: the pool holds its lock. Every
 * operation is O(1).
 */
#ifndef WS_SERVER_QUEUE_H
#define WS_SERVER_QUEUE_H

#include <stdint.h>

typedef enum { WS_LANE_SYSTEM, WS_LANE_LIGHT, WS_LANE_HEAVY, WS_LANES } ws_lane;

typedef enum { WS_ADMIT, WS_REFUSE_FULL, WS_REFUSE_BUDGET } ws_admission;

typedef enum { WS_JOB_IDLE, WS_JOB_QUEUED, WS_JOB_RUNNING, WS_JOB_FINISHED } ws_job_state;

typedef struct ws_job ws_job;
struct ws_worker;

/* A piece of work; embedded in what it works on. */
struct ws_job {
    ws_job *prev, *next;
    void (*run)(ws_job *job, struct ws_worker *worker); /* in a worker */
    void (*finished)(ws_job *job); /* in the I/O thread, after ws_pool_take_finished */
    uint64_t deadline_ns; /* dropped unrun when it is taken up later than this; 0 = never */
    uint64_t queued_ns, started_ns, finished_ns;
    uint64_t cpu_ns; /* CPU time of the worker */
    uint8_t lane;    /* ws_lane */
    uint8_t state;   /* ws_job_state; holding the pool's lock */
    uint8_t expired; /* 1: the deadline had passed, run was not called */
};

typedef struct {
    ws_job *first, *last;
    uint32_t queued, busy;
    uint64_t mean_ns; /* exponentially weighted service time; 0 = nothing known */
} ws_queue_lane;

typedef struct {
    ws_queue_lane lanes[WS_LANES];
    uint32_t workers;
    uint32_t capacity;  /* light and heavy jobs that may wait; 0 = unbounded, and no budget */
    uint32_t light_run; /* light jobs started since a heavy one could have been */
    uint64_t budget_ns; /* longest predicted wait */
} ws_queue;

#define WS_LIGHT_PER_HEAVY 4u

void ws_queue_init(ws_queue *queue, uint32_t workers, uint32_t capacity, uint64_t budget_ns);

/* Predicted wait of a job that would join `lane` now, nanoseconds. Light jobs do not count queued
 * heavy ones, which they overtake. */
uint64_t ws_queue_wait_ns(const ws_queue *queue, ws_lane lane);

/* May a job join? Heavy ones may fill half of the capacity only. */
ws_admission ws_queue_admit(const ws_queue *queue, ws_lane lane);

void ws_queue_push(ws_queue *queue, ws_job *job); /* job->lane is set */
ws_job *ws_queue_pop(ws_queue *queue); /* next to run, counted busy; NULL when nothing may run */
void ws_queue_remove(ws_queue *queue, ws_job *job); /* takes a queued job out */

/* A popped job is done.
 *   service_ns  how long it ran; 0 = it was dropped, the mean stays */
void ws_queue_done(ws_queue *queue, ws_lane lane, uint64_t service_ns);

uint32_t ws_queue_depth(const ws_queue *queue); /* light and heavy jobs waiting */

#endif
