#include "server/queue.h"

#include <stddef.h>

void ws_queue_init(ws_queue *queue, uint32_t workers, uint32_t capacity, uint64_t budget_ns)
{
    *queue = (ws_queue){.workers = workers, .capacity = capacity, .budget_ns = budget_ns};
}

static uint64_t work_ns(const ws_queue_lane *lane, uint32_t jobs)
{
    return lane->mean_ns * jobs;
}

uint64_t ws_queue_wait_ns(const ws_queue *queue, ws_lane lane)
{
    const ws_queue_lane *light = &queue->lanes[WS_LANE_LIGHT];
    const ws_queue_lane *heavy = &queue->lanes[WS_LANE_HEAVY];
    uint32_t heavy_ahead = heavy->busy + (lane == WS_LANE_HEAVY ? heavy->queued : 0);
    uint32_t light_ahead = light->queued + light->busy;
    if (heavy_ahead + light_ahead < queue->workers)
        return 0; /* a worker is free, however slow the last jobs were */
    return (work_ns(light, light_ahead) + work_ns(heavy, heavy_ahead)) / queue->workers;
}

uint32_t ws_queue_depth(const ws_queue *queue)
{
    return queue->lanes[WS_LANE_LIGHT].queued + queue->lanes[WS_LANE_HEAVY].queued;
}

ws_admission ws_queue_admit(const ws_queue *queue, ws_lane lane)
{
    if (queue->capacity == 0 || lane == WS_LANE_SYSTEM)
        return WS_ADMIT;
    if (ws_queue_depth(queue) >= queue->capacity)
        return WS_REFUSE_FULL;
    if (lane == WS_LANE_HEAVY && queue->lanes[lane].queued >= (queue->capacity + 1) / 2)
        return WS_REFUSE_FULL;
    return ws_queue_wait_ns(queue, lane) <= queue->budget_ns ? WS_ADMIT : WS_REFUSE_BUDGET;
}

void ws_queue_push(ws_queue *queue, ws_job *job)
{
    ws_queue_lane *lane = &queue->lanes[job->lane];
    job->prev = lane->last;
    job->next = NULL;
    if (lane->last)
        lane->last->next = job;
    else
        lane->first = job;
    lane->last = job;
    lane->queued++;
    job->state = WS_JOB_QUEUED;
}

static void unlink_job(ws_queue *queue, ws_job *job)
{
    ws_queue_lane *lane = &queue->lanes[job->lane];
    if (job->prev)
        job->prev->next = job->next;
    else
        lane->first = job->next;
    if (job->next)
        job->next->prev = job->prev;
    else
        lane->last = job->prev;
    job->prev = job->next = NULL;
    lane->queued--;
}

void ws_queue_remove(ws_queue *queue, ws_job *job)
{
    unlink_job(queue, job);
    job->state = WS_JOB_IDLE;
}

/* Which lane is next, or WS_LANES. */
static ws_lane choose(ws_queue *queue)
{
    const ws_queue_lane *light = &queue->lanes[WS_LANE_LIGHT];
    const ws_queue_lane *heavy = &queue->lanes[WS_LANE_HEAVY];
    if (queue->lanes[WS_LANE_SYSTEM].first)
        return WS_LANE_SYSTEM;
    if (light->first == NULL)
        return heavy->first ? WS_LANE_HEAVY : WS_LANES;
    if (heavy->first == NULL)
        return WS_LANE_LIGHT;
    uint32_t heavy_max = queue->workers > 1 ? queue->workers - 1 : 1;
    if (heavy->busy >= heavy_max || queue->light_run < WS_LIGHT_PER_HEAVY)
        return WS_LANE_LIGHT;
    return WS_LANE_HEAVY;
}

ws_job *ws_queue_pop(ws_queue *queue)
{
    ws_lane lane = choose(queue);
    if (lane == WS_LANES)
        return NULL;
    ws_job *job = queue->lanes[lane].first;
    unlink_job(queue, job);
    queue->lanes[lane].busy++;
    job->state = WS_JOB_RUNNING;
    if (lane == WS_LANE_LIGHT && queue->lanes[WS_LANE_HEAVY].first)
        queue->light_run++;
    else if (lane != WS_LANE_SYSTEM)
        queue->light_run = 0;
    return job;
}

void ws_queue_done(ws_queue *queue, ws_lane lane, uint64_t service_ns)
{
    ws_queue_lane *l = &queue->lanes[lane];
    l->busy--;
    if (service_ns == 0)
        return;
    /* Weight 1/8: follows a change within a dozen jobs, is not thrown by one. */
    l->mean_ns = l->mean_ns ? l->mean_ns - l->mean_ns / 8 + service_ns / 8 : service_ns;
}
