/* Makes the nth allocation fail, for sweeps: n = 0, 1, 2, ... until a run needs fewer. [1].
 *
 *   int failed = 1;
 *   for (uint64_t n = 0; failed; n++) {
 *       ws_faults_arm(&faults, n);
 *       ... run ...
 *       failed = ws_faults_disarm(&faults);
 *       ... failed: WS_ERR_NOMEM and nothing leaked; else WS_OK ...
 *   }
 */
#ifndef WS_TESTS_SUPPORT_FAULTS_H
#define WS_TESTS_SUPPORT_FAULTS_H

#include <stdint.h>

#include "base/mem.h"

typedef struct {
    uint64_t left;   /* allocations until the one that fails */
    uint64_t failed; /* allocations that failed */
    uint64_t seen;
} ws_faults;

static inline int ws_faults_hook(void *ctx, size_t size)
{
    ws_faults *f = ctx;
    (void)size;
    f->seen++;
    if (f->left-- != 0)
        return 0;
    f->failed++;
    return 1;
}

/* The allocation number `nth` (0 = the first) fails, once. */
static inline void ws_faults_arm(ws_faults *f, uint64_t nth)
{
    *f = (ws_faults){.left = nth};
    ws_mem_set_fault(ws_faults_hook, f);
}

/* Returns 1 when an allocation failed since arm. */
static inline int ws_faults_disarm(const ws_faults *f)
{
    ws_mem_set_fault(NULL, NULL);
    return f->failed != 0;
}

#endif
