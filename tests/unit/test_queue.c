#include "server/queue.h"

#include <string.h>

#include "base/bytes.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define MS 1000000u

Test(queue, first_in_first_out_within_a_lane)
{
    ws_queue queue;
    ws_job jobs[5] = {{0}};
    ws_queue_init(&queue, 2, 100, 400 * MS);
    for (int i = 0; i < 5; i++) {
        jobs[i].lane = WS_LANE_LIGHT;
        ws_queue_push(&queue, &jobs[i]);
    }
    for (int i = 0; i < 5; i++)
        cr_assert(ws_queue_pop(&queue) == &jobs[i]);
    cr_assert_null(ws_queue_pop(&queue));
}

Test(queue, system_jobs_go_first_and_always)
{
    ws_queue queue;
    ws_job light = {.lane = WS_LANE_LIGHT}, system = {.lane = WS_LANE_SYSTEM};
    ws_queue_init(&queue, 1, 1, 1);
    ws_queue_push(&queue, &light);
    cr_assert_eq(ws_queue_admit(&queue, WS_LANE_LIGHT), WS_REFUSE_FULL);
    cr_assert_eq(ws_queue_admit(&queue, WS_LANE_SYSTEM), WS_ADMIT);
    ws_queue_push(&queue, &system);
    cr_assert(ws_queue_pop(&queue) == &system);
    cr_assert(ws_queue_pop(&queue) == &light);
}

Test(queue, one_heavy_job_at_a_time_while_light_ones_wait_for_two_workers)
{
    ws_queue queue;
    ws_job heavy[3] = {{0}}, light[3] = {{0}};
    ws_queue_init(&queue, 2, 100, 400 * MS);
    for (int i = 0; i < 3; i++) {
        heavy[i].lane = WS_LANE_HEAVY;
        light[i].lane = WS_LANE_LIGHT;
        ws_queue_push(&queue, &heavy[i]);
    }
    cr_assert(ws_queue_pop(&queue) == &heavy[0]);
    for (int i = 0; i < 3; i++)
        ws_queue_push(&queue, &light[i]);
    for (int i = 0; i < 3; i++) {
        cr_assert(ws_queue_pop(&queue) == &light[i]);
        ws_queue_done(&queue, WS_LANE_LIGHT, MS);
    }
    /* No light one waits: the second worker is not left idle. */
    cr_assert(ws_queue_pop(&queue) == &heavy[1]);
}

Test(queue, neither_lane_starves_with_one_worker)
{
    ws_queue queue;
    ws_job jobs[100];
    unsigned started[WS_LANES] = {0};
    ws_queue_init(&queue, 1, 1000, 400 * MS);
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < 100; i++) {
        jobs[i].lane = i < 50 ? WS_LANE_HEAVY : WS_LANE_LIGHT;
        ws_queue_push(&queue, &jobs[i]);
    }
    for (int i = 0; i < 50; i++) {
        ws_job *job = ws_queue_pop(&queue);
        started[job->lane]++;
        ws_queue_done(&queue, (ws_lane)job->lane, MS);
    }
    cr_assert_eq(started[WS_LANE_LIGHT], 40);
    cr_assert_eq(started[WS_LANE_HEAVY], 10);
}

Test(queue, mean_follows_service_times)
{
    ws_queue queue;
    ws_job job = {.lane = WS_LANE_LIGHT};
    ws_queue_init(&queue, 1, 100, 400 * MS);
    uint64_t mean = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t service = i < 50 ? 8 * MS : 80 * MS;
        ws_queue_push(&queue, &job);
        ws_queue_pop(&queue);
        ws_queue_done(&queue, WS_LANE_LIGHT, service);
        mean = i == 0 ? service : mean - mean / 8 + service / 8;
        cr_assert_eq(queue.lanes[WS_LANE_LIGHT].mean_ns, mean);
    }
    cr_assert_gt(mean, 79 * MS);
    ws_queue_push(&queue, &job);
    ws_queue_pop(&queue);
    ws_queue_done(&queue, WS_LANE_LIGHT, 0); /* dropped: says nothing */
    cr_assert_eq(queue.lanes[WS_LANE_LIGHT].mean_ns, mean);
}

Test(queue, a_free_worker_means_no_wait_however_slow_the_last_job_was)
{
    ws_queue queue;
    ws_job job = {.lane = WS_LANE_LIGHT}, other = {.lane = WS_LANE_LIGHT};
    ws_queue_init(&queue, 2, 100, 400 * MS);
    ws_queue_push(&queue, &job);
    ws_queue_pop(&queue);
    ws_queue_done(&queue, WS_LANE_LIGHT, 5000 * (uint64_t)MS);
    ws_queue_push(&queue, &job);
    ws_queue_pop(&queue);
    cr_assert_eq(ws_queue_admit(&queue, WS_LANE_LIGHT), WS_ADMIT);
    ws_queue_push(&queue, &other);
    ws_queue_pop(&queue);
    cr_assert_eq(ws_queue_admit(&queue, WS_LANE_LIGHT), WS_REFUSE_BUDGET);
}

Test(queue, unbounded_takes_everything)
{
    ws_queue queue;
    static ws_job jobs[5000];
    ws_queue_init(&queue, 1, 0, 1);
    memset(jobs, 0, sizeof jobs);
    queue.lanes[WS_LANE_HEAVY].mean_ns = 1000 * (uint64_t)MS;
    for (int i = 0; i < 5000; i++) {
        cr_assert_eq(ws_queue_admit(&queue, WS_LANE_HEAVY), WS_ADMIT);
        jobs[i].lane = WS_LANE_HEAVY;
        ws_queue_push(&queue, &jobs[i]);
    }
    cr_assert_eq(ws_queue_depth(&queue), 5000);
}

/* --- against a model that keeps plain arrays --- */

#define JOBS 64

typedef struct {
    int waiting[WS_LANES][JOBS];
    int n_waiting[WS_LANES], n_busy[WS_LANES];
    uint64_t mean[WS_LANES];
    int workers, capacity, light_run;
    uint64_t budget;
} model;

static uint64_t model_wait(const model *m, int lane)
{
    int light = m->n_waiting[WS_LANE_LIGHT] + m->n_busy[WS_LANE_LIGHT];
    int heavy = m->n_busy[WS_LANE_HEAVY];
    if (lane == WS_LANE_HEAVY)
        heavy += m->n_waiting[WS_LANE_HEAVY];
    if (light + heavy < m->workers)
        return 0;
    return ((uint64_t)light * m->mean[WS_LANE_LIGHT] + (uint64_t)heavy * m->mean[WS_LANE_HEAVY]) /
           (uint64_t)m->workers;
}

static ws_admission model_admit(const model *m, int lane)
{
    int depth = m->n_waiting[WS_LANE_LIGHT] + m->n_waiting[WS_LANE_HEAVY];
    if (lane == WS_LANE_SYSTEM)
        return WS_ADMIT;
    if (depth >= m->capacity)
        return WS_REFUSE_FULL;
    if (lane == WS_LANE_HEAVY && 2 * m->n_waiting[lane] >= m->capacity)
        return WS_REFUSE_FULL;
    return model_wait(m, lane) <= m->budget ? WS_ADMIT : WS_REFUSE_BUDGET;
}

static int model_remove(model *m, int lane, int at)
{
    int job = m->waiting[lane][at];
    m->n_waiting[lane]--;
    memmove(&m->waiting[lane][at], &m->waiting[lane][at + 1],
            sizeof(int) * (size_t)(m->n_waiting[lane] - at));
    return job;
}

static int model_pop(model *m)
{
    int light = m->n_waiting[WS_LANE_LIGHT], heavy = m->n_waiting[WS_LANE_HEAVY], lane;
    if (m->n_waiting[WS_LANE_SYSTEM]) {
        lane = WS_LANE_SYSTEM;
    } else if (light && heavy) {
        int most = m->workers > 1 ? m->workers - 1 : 1;
        int heavy_turn = m->n_busy[WS_LANE_HEAVY] < most && m->light_run >= 4;
        lane = heavy_turn ? WS_LANE_HEAVY : WS_LANE_LIGHT;
        m->light_run = heavy_turn ? 0 : m->light_run + 1;
    } else if (light || heavy) {
        lane = light ? WS_LANE_LIGHT : WS_LANE_HEAVY;
        m->light_run = 0;
    } else {
        return -1;
    }
    m->n_busy[lane]++;
    return model_remove(m, lane, 0);
}

static void play(ws_rng *rng)
{
    ws_queue queue;
    model m = {.workers = (int)ws_rng_between(rng, 1, 4)};
    ws_job jobs[JOBS];
    int free_jobs[JOBS], n_free = JOBS, running[JOBS], n_running = 0;
    m.capacity = (int)ws_rng_between(rng, 1, 24);
    m.budget = ws_rng_between(rng, 1, 50) * MS;
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < JOBS; i++)
        free_jobs[i] = i;
    ws_queue_init(&queue, (uint32_t)m.workers, (uint32_t)m.capacity, m.budget);

    for (int turn = 0; turn < 2000; turn++) {
        uint64_t action = ws_rng_below(rng, 10);
        if (action < 4 && n_free) {
            int lane = ws_rng_below(rng, 20) == 0 ? WS_LANE_SYSTEM
                       : ws_rng_below(rng, 2)     ? WS_LANE_LIGHT
                                                  : WS_LANE_HEAVY;
            cr_assert_eq(ws_queue_wait_ns(&queue, (ws_lane)lane), model_wait(&m, lane));
            ws_admission verdict = ws_queue_admit(&queue, (ws_lane)lane);
            cr_assert_eq(verdict, model_admit(&m, lane), "seed %llu turn %d",
                         (unsigned long long)rng->seed, turn);
            if (verdict != WS_ADMIT)
                continue;
            int job = free_jobs[--n_free];
            jobs[job].lane = (uint8_t)lane;
            ws_queue_push(&queue, &jobs[job]);
            m.waiting[lane][m.n_waiting[lane]++] = job;
        } else if (action < 7 && n_running < m.workers) {
            int wanted = model_pop(&m);
            ws_job *job = ws_queue_pop(&queue);
            cr_assert_eq(job ? (int)(job - jobs) : -1, wanted, "seed %llu turn %d",
                         (unsigned long long)rng->seed, turn);
            if (job)
                running[n_running++] = wanted;
        } else if (action < 9 && n_running) {
            int at = (int)ws_rng_below(rng, (uint64_t)n_running);
            int job = running[at], lane = jobs[job].lane;
            uint64_t service = ws_rng_below(rng, 30) * MS;
            running[at] = running[--n_running];
            free_jobs[n_free++] = job;
            ws_queue_done(&queue, (ws_lane)lane, service);
            m.n_busy[lane]--;
            if (service)
                m.mean[lane] =
                    m.mean[lane] ? m.mean[lane] - m.mean[lane] / 8 + service / 8 : service;
        } else {
            int lane = (int)ws_rng_below(rng, WS_LANES);
            if (m.n_waiting[lane] == 0)
                continue;
            int at = (int)ws_rng_below(rng, (uint64_t)m.n_waiting[lane]);
            int job = model_remove(&m, lane, at);
            ws_queue_remove(&queue, &jobs[job]);
            cr_assert_eq(jobs[job].state, WS_JOB_IDLE);
            free_jobs[n_free++] = job;
        }
    }
}

Test(queue, agrees_with_a_model)
{
    ws_rng rng = ws_rng_seeded(7);
    for (int i = 0; i < 50; i++)
        play(&rng);
}
