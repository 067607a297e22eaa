// SPDX-License-Identifier: GPL-2.0-or-later
/* The QEMU that the plugin runs in: its functions by name, its accelerator's operations, and the one call that is redirected. */
#ifndef QEMU_SMP_QEMU_H
#define QEMU_SMP_QEMU_H

#include <stdbool.h>
#include <stdint.h>

#include "../qemu-functions.h"

/* include/exec/cpu-common.h: why a processor left the generated code. */
#define EXCP_INTERRUPT 0x10000
#define EXCP_YIELD 0x10004

struct qemu {
    int64_t (*icount_get)(void), (*icount_get_raw)(void), (*icount_to_ns)(int64_t), (*icount_round)(int64_t);
    void (*icount_update)(void *cpu);
    void (*icount_prepare_for_run)(void *cpu, int64_t budget);
    void (*icount_process_data)(void *cpu);
    void (*icount_handle_interrupt)(void *cpu, int mask);
    int (*tcg_cpu_exec)(void *cpu);
    void (*rr_kick_vcpu_thread)(void *cpu);
    void (*cpu_exit)(void *cpu);
    bool (*cpu_thread_is_idle)(void *cpu);
    bool (*cpu_work_list_empty)(void *cpu);
    void *(*qemu_get_cpu)(int index);
    int64_t (*qemu_clock_deadline_ns_all)(int clock, int attributes);
    void **(*cpus_get_accel)(void);
};

extern struct qemu qemu;

/* Finds the functions above. Returns why it cannot be done, or NULL. */
const char *qemu_open(void);

/* What takes the place of the accelerator's operations. */
struct qemu_operations {
    int64_t (*clock)(void);
    void (*interrupt)(void *cpu, int mask);
    void (*kick)(void *cpu);
};

/* Puts them into the accelerator's table, which exists once there is a processor. Returns why not, or NULL. */
const char *qemu_take_operations(const struct qemu_operations *operations);

/* Makes QEMU's loop call `exec` where it calls tcg_cpu_exec(). Returns why not, or NULL; then nothing was changed. */
const char *qemu_redirect_exec(int (*exec)(void *cpu));

/* Instructions that all processors have executed, as ns. In the middle of a block as QEMU itself counts it. */
int64_t qemu_executed_ns(void);

/* The same where QEMU would refuse to answer: the instructions of the slice are counted first. */
int64_t qemu_executed_now_ns(void);

/* How far the main loop has moved the clock on while all were idle, in all. */
int64_t qemu_jumped_ns(void);

int64_t qemu_next_timer_ns(void);

#endif
