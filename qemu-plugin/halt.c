// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * With `-icount sleep=off` an idle guest's clock jumps to its next timer. QEMU's main thread does that when it finds the
 * processor halted. But an instruction that halts sets `halted` first, and the processor's thread counts the
 * instructions of the slice only after it has left the slice. A main thread that looks in between reads a clock
 * that is behind, jumps by what was missing to the timer from there, and then the missing instructions are counted too:
 * the guest wakes too late, by as much as the host chose.
 *
 * So the instructions are counted before each instruction that may halt (icount_update(), what QEMU itself calls at
 * each read of the clock). Whenever the main thread finds the processor halted, the clock is complete.
 *
 * The second half of the race: the timers run in the processor's thread, while the guest is still halted. A callback that
 * arms its timer again before it raises the interrupt (hw/core/ptimer.c, hw/timer/hpet.c) has icount_start_warp_timer()
 * called from within; it finds all idle and lets the clock jump on to the next period, past the interrupt that is about
 * to be raised. Unless the main thread has queued work for the processor in the meantime, for then it is not idle: again
 * the host chooses. So work that does nothing is queued each time before the timers run.
 *
 * Patterns that match more than they must cost a call and alter nothing: counting early leaves the same sums.
 */
#include "halt.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-functions.h"

#define QEMU_CLOCK_VIRTUAL 1
#define ALL_TIMERS (-1)

static void (*icount_fold)(void *cpu);
static bool (*all_idle)(void);
static int64_t (*next_deadline_ns)(int clock, int attributes);
static void *(*cpu_by_index)(int index);
static void (*queue_work)(void *cpu, void (*work)(void *cpu, uintptr_t data), uintptr_t data);
static bool (*is_halt)(const uint8_t *bytes, size_t n);

/* Of tests/guests/widen.c, when it is preloaded: holds the processor between the count and the halt. */
__attribute__((weak)) void bootlab_widen_before_halt(void);

static uint32_t half(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static uint32_t word(const uint8_t *b)
{
    return half(b) | half(b + 2) << 16;
}

/* Intel SDM vol. 2: hlt; mwait, which QEMU halts at too. Prefixes do not matter, so the end is looked at. */
static bool is_x86_halt(const uint8_t *b, size_t n)
{
    return b[n - 1] == 0xf4 || (n >= 3 && b[n - 3] == 0x0f && b[n - 2] == 0x01 && b[n - 1] == 0xc9);
}

/* Arm ARM (DDI 0487): wfi; wfit; hvc and smc, by which firmware that QEMU plays (PSCI) is asked to suspend. */
static bool is_arm64_halt(const uint8_t *b, size_t n)
{
    if (n != 4)
        return false;
    uint32_t w = word(b);
    return w == 0xd503207f || (w & 0xffffffe0) == 0xd5031020 || (w & 0xffe0001f) == 0xd4000002 ||
           (w & 0xffe0001f) == 0xd4000003;
}

/* Arm ARM for ARMv7-A (DDI 0406), A32 and T32 alike, and the ways of ARMv5 and ARMv6 through coprocessor 15. */
static bool is_arm_halt(const uint8_t *b, size_t n)
{
    if (n == 2)
        return half(b) == 0xbf30;
    if (n != 4)
        return false;
    uint32_t w = word(b), t = half(b) << 16 | half(b + 2);
    return (w & 0x0fffffff) == 0x0320f003                                               /* wfi */
           || (w & 0x0fff0fff) == 0x0e070f90 || (w & 0x0fff0fff) == 0x0e070f58          /* mcr p15, c7, c0, 4; c7, c8, 2 */
           || (w & 0x0ff000f0) == 0x01400070 || (w & 0x0ff000f0) == 0x01600070          /* hvc, smc */
           || t == 0xf3af8003 || (t & 0xffff0fff) == 0xee070f90 || (t & 0xffff0fff) == 0xee070f58 /* the same, T32 */
           || (t & 0xfff0f000) == 0xf7e08000 || (t & 0xfff0f000) == 0xf7f08000;
}

static bool is_riscv_halt(const uint8_t *b, size_t n)
{
    return n == 4 && word(b) == 0x10500073; /* wfi */
}

static void on_halt(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    icount_fold(*qemu_current_cpu());
    if (bootlab_widen_before_halt)
        bootlab_widen_before_halt();
}

static void do_nothing(void *cpu, uintptr_t data)
{
    (void)cpu;
    (void)data;
}

/*
 * Called for each list of timers when one may be due; the processor's thread runs the timers right behind it. When it is
 * one of the host's clock nothing is due here, and work would only keep the thread from sleeping until that one has run.
 */
static void on_clock(void *data, int clock)
{
    (void)data;
    (void)clock;
    if (*qemu_current_cpu() && all_idle() && next_deadline_ns(QEMU_CLOCK_VIRTUAL, ALL_TIMERS) == 0)
        queue_work(cpu_by_index(0), do_nothing, 0);
}

const char *halt_open(const char *target)
{
    const char *watch = getenv("BOOTLAB_HALT_WATCH");
    if (watch && !strcmp(watch, "off")) {
        fprintf(stderr, "bootlab: BOOTLAB_HALT_WATCH=off: halts are not watched, boots may differ\n");
        return NULL;
    }
    static const struct {
        const char *target;
        bool (*is_halt)(const uint8_t *bytes, size_t n);
    } kinds[] = {
        {"x86_64", is_x86_halt},  {"i386", is_x86_halt},      {"arm", is_arm_halt},
        {"aarch64", is_arm64_halt}, {"riscv64", is_riscv_halt}, {"riscv32", is_riscv_halt},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].target, target))
            is_halt = kinds[i].is_halt;
    if (!is_halt)
        return "the instructions that halt this processor are not known";
    void *(*new_list)(int, void (*)(void *, int), void *);
    void *current;
    const struct qemu_function wanted[] = {
        {"icount_update", &icount_fold},
        {"all_cpu_threads_idle", &all_idle},
        {"qemu_clock_deadline_ns_all", &next_deadline_ns},
        {"qemu_get_cpu", &cpu_by_index},
        {"async_run_on_cpu", &queue_work},
        {"timerlist_new", &new_list},
        {"current_cpu", &current},
    };
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (why)
        return why;
    new_list(QEMU_CLOCK_VIRTUAL, on_clock, NULL); /* stays empty: QEMU tells the owner of each list */
    return NULL;
}

void halt_watch(struct qemu_plugin_tb *tb, size_t n)
{
    for (size_t i = 0; is_halt && i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint8_t bytes[16];
        size_t size = qemu_plugin_insn_size(insn);
        if (size == 0 || size > sizeof bytes)
            continue;
        bootlab_insn_bytes(insn, bytes, size);
        if (is_halt(bytes, size))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_halt, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}
