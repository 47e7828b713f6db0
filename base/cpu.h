/* Instruction sets: what the machine has, and what a handle was told to use.
 *
 * Function tables live in handles, chosen once at open; there is no global dispatch. Tests force a
 * level with option `isa`. */
#ifndef WS_BASE_CPU_H
#define WS_BASE_CPU_H

#include <stdint.h>

#define WS_ISA_AUTO   0u
#define WS_ISA_SCALAR 1u
#define WS_ISA_AVX2   2u
#define WS_ISA_AVX512 3u /* F, BW, VL, VBMI2 */
#define WS_ISA_NEON   4u

/* Best level of this machine, never WS_ISA_AUTO. [any] */
uint32_t ws_cpu_best_isa(void);

/* `wanted` when this machine has it, the best one for WS_ISA_AUTO, else WS_ISA_SCALAR. [any] */
uint32_t ws_cpu_pick_isa(uint32_t wanted);

const char *ws_cpu_isa_name(uint32_t isa);

#endif
