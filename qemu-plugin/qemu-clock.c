// SPDX-License-Identifier: GPL-2.0-or-later
#include "qemu-clock.h"

#include <stddef.h>

#include "qemu-functions.h"

#define QEMU_CLOCK_VIRTUAL 1

static int64_t (*clock_get_ns)(int type);
static int64_t (*icount_raw)(void);
static void (*icount_fold)(void *cpu);
static void *(*cpu_by_index)(int index);
static int shift = -1;

const char *qemu_clock_open(int icount_shift)
{
    void *current; /* this thread's: only whether it is there */
    const struct qemu_function clock[] = {{"qemu_clock_get_ns", &clock_get_ns}};
    const struct qemu_function counter[] = {
        {"icount_get_raw", &icount_raw},
        {"icount_update", &icount_fold},
        {"qemu_get_cpu", &cpu_by_index},
        {"current_cpu", &current},
    };
    shift = icount_shift;
    const char *why = qemu_find(QEMU_FUNCTIONS(clock));
    return why || shift < 0 ? why : qemu_find(QEMU_FUNCTIONS(counter));
}

uint64_t qemu_clock_ns(void)
{
    return (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/*
 * icount_get_raw() refuses to answer in the middle of a block (its caller could see time go back). Folding the executed
 * instructions in first and asking as "no CPU" is what QEMU itself does at an I/O instruction, and leaves the same sums
 * behind.
 */
static void *begin_asking(void **current)
{
    void *self = *current;
    icount_fold(self ? self : cpu_by_index(0));
    *current = NULL;
    return self;
}

struct qemu_time qemu_clock_at(unsigned left)
{
    if (shift < 0)
        return (struct qemu_time){.ns = qemu_clock_ns()};
    void **current = qemu_current_cpu(), *self = begin_asking(current);
    struct qemu_time now = {.ns = qemu_clock_ns() - ((uint64_t)left << shift), .insns = (uint64_t)icount_raw() - left};
    *current = self;
    return now;
}

uint64_t qemu_clock_insns(void)
{
    void **current = qemu_current_cpu(), *self = begin_asking(current);
    uint64_t insns = (uint64_t)icount_raw();
    *current = self;
    return insns;
}
