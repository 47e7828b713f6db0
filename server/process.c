#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT */
#include "server/process.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

uint64_t ws_process_open_fds(void)
{
    uint64_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL)
        return 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(dir);
    return n ? n - 1 : 0; /* the directory itself */
}

uint64_t ws_process_raise_fds(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur;
}

uint32_t ws_process_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1)
        return 1;
    return (uint32_t)CPU_COUNT(&set);
}

/* Start time: field 22 of /proc/self/stat, in clock ticks since boot. */
static double start_time(void)
{
    char text[1024];
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "r");
    if (file == NULL)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    const char *p = strrchr(text, ')'); /* the name may hold spaces and parentheses */
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    if (p == NULL || sscanf(p, "%llu", &ticks) != 1)
        return 0;
    double since_boot = (double)ticks / (double)sysconf(_SC_CLK_TCK);
    double now_boot = (double)ws_clock_read(CLOCK_BOOTTIME) * 1e-9;
    return (double)ws_wall_ns() * 1e-9 - now_boot + since_boot;
}

static uint64_t resident_bytes(void)
{
    unsigned long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    int n = fscanf(file, "%llu %llu", &total, &resident);
    fclose(file);
    return n == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void ws_process_get_stats(ws_process_stats *stats)
{
    struct rusage usage;
    struct rlimit limit;
    *stats = (ws_process_stats){.cpu_seconds = (double)ws_process_cpu_ns() * 1e-9};
    stats->start_time_s = start_time();
    stats->resident_bytes = resident_bytes();
    stats->open_fds = ws_process_open_fds();
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        stats->major_faults = (uint64_t)usage.ru_majflt;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        stats->max_fds = limit.rlim_cur;
}
