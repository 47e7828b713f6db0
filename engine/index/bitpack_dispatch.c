#include "base/cpu.h"
#include "engine/index/bitpack_int.h"

const ws_bitpack *ws_bitpack_for(uint32_t isa)
{
    switch (ws_cpu_pick_isa(isa)) {
#if defined(__x86_64__)
    case WS_ISA_AVX2:
    case WS_ISA_AVX512:
        return &ws_bitpack_avx2;
#endif
#if defined(__aarch64__)
    case WS_ISA_NEON:
        return &ws_bitpack_neon;
#endif
    default:
        return &ws_bitpack_scalar;
    }
}
