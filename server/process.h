/* What the operating system says about this process. Linux. [any] */
#ifndef WS_SERVER_PROCESS_H
#define WS_SERVER_PROCESS_H

#include <stdint.h>

typedef struct {
    double cpu_seconds;
    double start_time_s; /* since 1970 */
    uint64_t resident_bytes;
    uint64_t major_faults;
    uint64_t open_fds, max_fds; /* max_fds: soft RLIMIT_NOFILE */
} ws_process_stats;

void ws_process_get_stats(ws_process_stats *stats); /* unknown values are 0 */

uint64_t ws_process_open_fds(void);

/* Raises the soft RLIMIT_NOFILE towards `wanted`, as far as the hard one allows. Returns what it is
 * now. */
uint64_t ws_process_raise_fds(uint64_t wanted);

uint32_t ws_process_cores(void); /* processors this process may run on, at least 1 */

#endif
