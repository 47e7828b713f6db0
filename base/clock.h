/* Monotonic time, CPU time and wall time in nanoseconds. [any]. */
#ifndef WS_BASE_CLOCK_H
#define WS_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t ws_clock_read(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t ws_now_ns(void) /* since an arbitrary start; never jumps */
{
    return ws_clock_read(CLOCK_MONOTONIC);
}

static inline uint64_t ws_thread_cpu_ns(void) /* CPU used by this thread */
{
    return ws_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static inline uint64_t ws_process_cpu_ns(void) /* CPU used by the process */
{
    return ws_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

static inline uint64_t ws_wall_ns(void) /* since 1970; for logs and decay only */
{
    return ws_clock_read(CLOCK_REALTIME);
}

#endif
