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
 * One case is left: a timer that is due at this very instruction. Its callback may run before `halted` is set or
 * behind it, and one that arms the timer again before it raises the interrupt (hw/core/ptimer.c) lets the clock jump
 * once more if the processor is halted. So the processor waits here until the main thread has run what is due.
 * Then nothing is due before the next jump, and the order of the two threads does not matter any more.
 *
 * Patterns that match more than they must cost a call and alter nothing: counting early leaves the same sums.
 */
#define _GNU_SOURCE
#include "halt.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define QEMU_CLOCK_VIRTUAL 1
#define ALL_TIMERS (-1)
#define WAIT_NS 20000
#define MAX_WAITS 500000 /* at least 10 s: the main thread is stuck then */

static void (*icount_fold)(void *cpu);
static int64_t (*next_deadline_ns)(int type, int attributes);
static void (*wake_main_loop)(void);
static bool (*is_halt)(const uint8_t *bytes, size_t n);

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

/*
 * QEMU answers nobody in the middle of a block who has a processor, as time could go back for him; what is asked here
 * lies behind the fold, where it cannot.
 */
static int64_t deadline_ns(void **current)
{
    void *self = *current;
    *current = NULL;
    int64_t ns = next_deadline_ns(QEMU_CLOCK_VIRTUAL, ALL_TIMERS);
    *current = self;
    return ns;
}

static void on_halt(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    static __thread void **current; /* QEMU's, thread-local too */
    if (!current)
        current = dlsym(RTLD_DEFAULT, "current_cpu");
    icount_fold(*current);
    const struct timespec pause = {.tv_nsec = WAIT_NS};
    for (unsigned waits = 0; deadline_ns(current) == 0; waits++) {
        if (waits == MAX_WAITS) {
            fprintf(stderr, "bootlab: QEMU's main loop ran no timer for 10 s: this boot may not repeat\n");
            return;
        }
        wake_main_loop();
        nanosleep(&pause, NULL);
    }
}

const char *halt_open(const char *target)
{
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
    icount_fold = (void (*)(void *))dlsym(RTLD_DEFAULT, "icount_update");
    next_deadline_ns = (int64_t(*)(int, int))dlsym(RTLD_DEFAULT, "qemu_clock_deadline_ns_all");
    wake_main_loop = (void (*)(void))dlsym(RTLD_DEFAULT, "qemu_notify_event");
    if (!icount_fold || !next_deadline_ns || !wake_main_loop || !dlsym(RTLD_DEFAULT, "current_cpu"))
        return "this QEMU exports neither its instruction counter nor its timers";
    return NULL;
}

void halt_watch(struct qemu_plugin_tb *tb, size_t n)
{
    for (size_t i = 0; i < n; i++) {
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
