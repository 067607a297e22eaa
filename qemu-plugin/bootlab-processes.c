// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-processes: a QEMU TCG plugin that tells which task ran from which instruction to which.
 *
 * It changes nothing in the guest. Three kernel functions call back at their first instruction, which begins a block, so
 * that QEMU holds every register in its processor's structure; arguments are read as its gdb stub reads registers.
 *
 * Arguments (all key=value):
 *   out=PATH     where the records go, each as it happens (struct record)
 *   shift=N      N of `-icount shift=N`
 *   switch=ADDR  __switch_to(previous, next); on 32-bit ARM (previous, its thread_info, the next one's thread_info)
 *   comm=ADDR    __set_task_comm(task, name, exec): `exec` tells a program that is started from a name that is given
 *   fork=ADDR    wake_up_new_task(task): a new task has the name of the one that made it, whatever its address was before
 * Read by python/bootlab/collectors/processes.py.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN_NAME "bootlab-processes"

#include "plugin-api.h"
#include "qemu-clock.h"
#include "qemu-functions.h"
#include "qemu-registers.h"
#include "refuse.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

enum kind { SWITCHED, NAMED, FORKED, N_KINDS, EXECUTED = N_KINDS };

struct record {
    uint64_t insns; /* executed before this */
    uint64_t ns;
    uint64_t task; /* the next one, the named one, the new one */
    uint64_t kind;
    char name[16]; /* of NAMED and EXECUTED: as the kernel keeps it */
};

/*
 * Numbers of the first arguments' registers in QEMU's gdb stub: rdi, rsi and rdx, x0 to x2, a0 to a2, r0 to r2.
 * `thread_info`: __switch_to() has the next task's thread_info (arch/arm/include/asm/switch_to.h).
 */
static const struct architecture {
    const char *target, *reader;
    int argument[3];
    bool thread_info;
} architectures[] = {
    {"x86_64", "x86_cpu_gdb_read_register", {5, 4, 3}, false},
    {"aarch64", "aarch64_cpu_gdb_read_register", {0, 1, 2}, false},
    {"riscv64", "riscv_cpu_gdb_read_register", {10, 11, 12}, false},
    {"arm", "arm_cpu_gdb_read_register", {0, 1, 2}, true},
};

/* struct thread_info is at the beginning of its task, or has a pointer to it, not far from its own beginning. */
#define THREAD_INFO_BYTES 64

static const struct architecture *arch;
static void *(*cpu_by_index)(int index);
static int (*read_memory)(void *cpu, uint64_t address, void *into, size_t n, bool write);
static uint64_t addresses[N_KINDS];
static int out = -1, shift = -1;

/* Where the pointer is differs from kernel to kernel. That of the previous task is known, so its place can be found. */
static uint32_t next_task(void)
{
    uint32_t previous = (uint32_t)qemu_register(arch->argument[0]);
    uint32_t info = (uint32_t)qemu_register(arch->argument[1]), next = (uint32_t)qemu_register(arch->argument[2]), word, task;
    if (info == previous)
        return next;
    for (uint32_t at = 0; at < THREAD_INFO_BYTES; at += sizeof word)
        if (read_memory(cpu_by_index(0), info + at, &word, sizeof word, false) == 0 && word == previous &&
            read_memory(cpu_by_index(0), next + at, &task, sizeof task, false) == 0)
            return task;
    return next;
}

static void on_call(enum kind kind, unsigned left)
{
    struct qemu_time now = qemu_clock_at(left);
    struct record r = {.insns = now.insns, .ns = now.ns, .kind = kind};
    if (kind == SWITCHED)
        r.task = arch->thread_info ? next_task() : qemu_register(arch->argument[1]);
    else
        r.task = qemu_register(arch->argument[0]);
    if (kind == NAMED && read_memory(cpu_by_index(0), qemu_register(arch->argument[1]), r.name, sizeof r.name - 1, false) != 0)
        memset(r.name, 0, sizeof r.name);
    if (kind == NAMED && (qemu_register(arch->argument[2]) & 0xff))
        r.kind = EXECUTED;
    if (write(out, &r, sizeof r) != (ssize_t)sizeof r)
        fprintf(stderr, "bootlab-processes: a record could not be written\n");
}

static void on_switch(unsigned cpu, void *left)
{
    (void)cpu;
    on_call(SWITCHED, (unsigned)(uintptr_t)left);
}

static void on_name(unsigned cpu, void *left)
{
    (void)cpu;
    on_call(NAMED, (unsigned)(uintptr_t)left);
}

static void on_fork(unsigned cpu, void *left)
{
    (void)cpu;
    on_call(FORKED, (unsigned)(uintptr_t)left);
}

static void on_translate(ON_TRANSLATE(tb))
{
    static const qemu_plugin_vcpu_udata_cb_t calls[N_KINDS] = {on_switch, on_name, on_fork};
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t at = qemu_plugin_tb_vaddr(tb);
    for (int kind = 0; kind < N_KINDS; kind++)
        if (addresses[kind] && at == addresses[kind])
            qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, 0), calls[kind], QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(uintptr_t)n);
}

static const char *find_qemu_functions(void)
{
    const struct qemu_function wanted[] = {{"qemu_get_cpu", &cpu_by_index}, {"cpu_memory_rw_debug", &read_memory}};
    const char *why = qemu_registers_open(arch->reader);
    if (!why)
        why = qemu_clock_open(shift);
    return why ? why : qemu_find(QEMU_FUNCTIONS(wanted));
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *path = NULL;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4))
            path = argv[i] + 4;
        else if (!strncmp(argv[i], "shift=", 6))
            shift = atoi(argv[i] + 6);
        else if (!strncmp(argv[i], "switch=", 7))
            addresses[SWITCHED] = strtoull(argv[i] + 7, NULL, 0);
        else if (!strncmp(argv[i], "comm=", 5))
            addresses[NAMED] = strtoull(argv[i] + 5, NULL, 0);
        else if (!strncmp(argv[i], "fork=", 5))
            addresses[FORKED] = strtoull(argv[i] + 5, NULL, 0);
        else
            return refuse("unknown argument");
    }
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (!strcmp(architectures[i].target, info->target_name))
            arch = &architectures[i];
    if (!arch)
        return refuse("this machine's processes cannot be told yet");
    if (!path || shift < 0 || !addresses[SWITCHED] || !addresses[NAMED] || !addresses[FORKED])
        return refuse("out=, shift=, switch=, comm= and fork= are needed");
    const char *why = find_qemu_functions();
    if (why)
        return refuse(why);
    out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out < 0)
        return refuse("cannot create the file named by out=");
    qemu_plugin_register_vcpu_tb_trans_cb(BOOTLAB_REGISTER(id, on_translate));
    return 0;
}
