#include "base/cpu.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

/* The kernel's list of features is the oracle. */
static int machine_says(const char *feature)
{
    char line[8192], word[64];
    int found = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(word, sizeof word, " %s ", feature);
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = ' ';
        found = strncmp(line, "flags", 5) == 0 && strstr(line, word) != NULL;
    }
    if (file)
        fclose(file);
    return found;
}

Test(cpu, best_is_never_auto_and_picks_itself)
{
    uint32_t best = ws_cpu_best_isa();
    cr_assert_neq(best, WS_ISA_AUTO);
    cr_assert_eq(ws_cpu_pick_isa(WS_ISA_AUTO), best);
    cr_assert_eq(ws_cpu_pick_isa(best), best);
}

Test(cpu, scalar_always_works_and_the_unknown_is_scalar)
{
    cr_assert_eq(ws_cpu_pick_isa(WS_ISA_SCALAR), WS_ISA_SCALAR);
    cr_assert_eq(ws_cpu_pick_isa(99), WS_ISA_SCALAR);
}

Test(cpu, agrees_with_the_kernel)
{
#if defined(__x86_64__)
    int avx512 = machine_says("avx512f") && machine_says("avx512bw") && machine_says("avx512vl") &&
                 machine_says("avx512_vbmi2");
    cr_assert_eq(ws_cpu_pick_isa(WS_ISA_AVX2) == WS_ISA_AVX2, machine_says("avx2"));
    cr_assert_eq(ws_cpu_pick_isa(WS_ISA_AVX512) == WS_ISA_AVX512, avx512);
    cr_assert_eq(ws_cpu_pick_isa(WS_ISA_NEON), WS_ISA_SCALAR);
#elif defined(__aarch64__)
    (void)machine_says;
    cr_assert_eq(ws_cpu_best_isa(), WS_ISA_NEON);
    cr_assert_eq(ws_cpu_pick_isa(WS_ISA_AVX2), WS_ISA_SCALAR);
#else
    (void)machine_says;
    cr_assert_eq(ws_cpu_best_isa(), WS_ISA_SCALAR);
#endif
}

Test(cpu, names)
{
    static const char *const names[] = {"auto", "scalar", "avx2", "avx512", "neon", "unknown"};
    for (uint32_t i = 0; i < 6; i++)
        cr_assert_str_eq(ws_cpu_isa_name(i), names[i]);
}
