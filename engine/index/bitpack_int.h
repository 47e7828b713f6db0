/* Tables of the instruction sets, for the dispatcher and the tests. */
#ifndef WS_INDEX_BITPACK_INT_H
#define WS_INDEX_BITPACK_INT_H

#include "engine/index/bitpack.h"

extern const ws_bitpack ws_bitpack_scalar;
#if defined(__x86_64__)
extern const ws_bitpack ws_bitpack_avx2;
#endif
#if defined(__aarch64__)
extern const ws_bitpack ws_bitpack_neon;
#endif

#endif
