#include "base/cpu.h"

static int has_isa(uint32_t isa)
{
    switch (isa) {
    case WS_ISA_SCALAR:
        return 1;
#if defined(__x86_64__) || defined(__i386__)
    case WS_ISA_AVX2:
        return __builtin_cpu_supports("avx2") != 0;
    case WS_ISA_AVX512:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vbmi2");
#elif defined(__aarch64__)
    case WS_ISA_NEON: /* part of the architecture's base profile */
        return 1;
#endif
    default:
        return 0;
    }
}

uint32_t ws_cpu_best_isa(void)
{
    static const uint32_t by_speed[] = {WS_ISA_AVX512, WS_ISA_AVX2, WS_ISA_NEON};
    for (unsigned i = 0; i < sizeof by_speed / sizeof by_speed[0]; i++) {
        if (has_isa(by_speed[i]))
            return by_speed[i];
    }
    return WS_ISA_SCALAR;
}

uint32_t ws_cpu_pick_isa(uint32_t wanted)
{
    if (wanted == WS_ISA_AUTO)
        return ws_cpu_best_isa();
    return has_isa(wanted) ? wanted : WS_ISA_SCALAR;
}

const char *ws_cpu_isa_name(uint32_t isa)
{
    switch (isa) {
    case WS_ISA_AUTO:
        return "auto";
    case WS_ISA_SCALAR:
        return "scalar";
    case WS_ISA_AVX2:
        return "avx2";
    case WS_ISA_AVX512:
        return "avx512";
    case WS_ISA_NEON:
        return "neon";
    default:
        return "unknown";
    }
}
