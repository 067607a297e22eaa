// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-cost: a QEMU TCG plugin that tells what a processor of a given kind would take for what is executed.
 *
 * It changes nothing in the guest. Each block is decoded once, when it is translated. When it was executed its
 * instructions go through a model of caches, TLBs, a branch predictor and a pipeline, with the addresses that they
 * accessed. It models the first processor only: others of a machine must be idle.
 *
 * Without icount it works in QEMU's user mode too, where each process adds one record at its end, of what it executed
 * itself. A process with several threads adds none, and says so; what a process did before it executed another program
 * is lost.
 *
 * Arguments (all key=value):
 *   out=PATH     where the records go (cost-file.h)
 *   shift=N      N of `-icount shift=N`; absent: there is no clock
 *   every=N      with a clock: a record each time that N instructions more were executed
 *   and the processor's figures (cost-core.c)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN_NAME "bootlab-cost"

#include "cost-block.h"
#include "cost-branch.h"
#include "cost-cache.h"
#include "cost-core.h"
#include "cost-file.h"
#include "cost-page.h"
#include "cost-pipe.h"
#include "plugin-api.h"
#include "qemu-clock.h"
#include "refuse.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the records are little endian, and written as they are");

/* A block has at most 512 instructions (QEMU's TCG_MAX_INSNS), each of which accesses at most 16 registers' memory. */
#define MOST_ACCESSES (512 * 16)
#define MOST_SHIFT 10 /* of -icount */

static struct cost_record sums;
static struct access accesses[MOST_ACCESSES];
static unsigned n_accesses;
static uint64_t not_timed; /* accesses for which there was no place: repeated instructions of user mode */
static const struct block *running;
static uint32_t stopped; /* so many of the running block's instructions were executed; 0: all, as far as is known */
static uint64_t next_record, every = 1 << 18;
static int out = -1, shift = -1;
static bool whole_system;
static atomic_bool has_threads;

/*
 * Caches and the predictor see everything. Of the pipeline's work, which is most of it, one slice in SLICES is done; what
 * an instruction took there is taken for the slices after it.
 */
#define SLICE 2048
#define SLICES 4
static bool detailed = true;
static uint64_t slice_end = SLICE, slice_from; /* in instructions */
static uint64_t began[CORNERS], total[CORNERS];
static double each[CORNERS]; /* ticks an instruction of the last detailed slice */

static uint64_t ticks_so_far(int corner)
{
    uint64_t since = sums.insns - slice_from;
    return total[corner] + (detailed ? cost_pipe_now(corner) - began[corner] : (uint64_t)(each[corner] * (double)since));
}

static void next_slice(void)
{
    uint64_t insns = sums.insns - slice_from;
    for (int c = 0; c < CORNERS; c++) {
        uint64_t so_far = ticks_so_far(c);
        if (detailed && insns)
            each[c] = (double)(so_far - total[c]) / (double)insns;
        total[c] = so_far;
        began[c] = cost_pipe_now(c);
    }
    detailed = !detailed;
    slice_from = sums.insns;
    slice_end = sums.insns + (detailed ? SLICE : SLICE * (SLICES - 1));
}

static void keep(unsigned left)
{
    struct cost_record r = sums;
    if (out < 0)
        return;
    r.magic = COST_MAGIC;
    if (shift >= 0) {
        struct qemu_time now = qemu_clock_at(left);
        r.insns = now.insns;
        r.ns = now.ns;
    }
    for (int c = 0; c < CORNERS; c++)
        r.ticks[c] = ticks_so_far(c);
    if (write(out, &r, sizeof r) == (ssize_t)sizeof r)
        return;
    /* The file then ends early, which its reader notices; a gap in the middle it could not. */
    fprintf(stderr, PLUGIN_NAME ": a record could not be written; there are no more\n");
    close(out);
    out = -1;
}

static void fetch(const struct block *b)
{
    enum translation translation = cost_cache_code_page(b->start, b->code, sums.event);
    if (detailed && translation != TLB_HIT)
        cost_pipe_code(IN_L1, translation);
    uint64_t line = core.l1i.line, last = b->code + (b->end - b->start) - 1;
    for (uint64_t at = b->code & ~(line - 1); at <= last; at += line) {
        enum level level = cost_cache_code(at, sums.event);
        if (detailed && level != IN_L1)
            cost_pipe_code(level, TLB_HIT);
    }
}

static void exception(void)
{
    sums.event[EVENT_EXCEPTION]++;
    if (detailed)
        cost_pipe_exception();
}

/* What was executed since the last call was `b`, or its first instructions, and it went on at `to`. */
static void finish(const struct block *b, uint64_t to)
{
    uint32_t n = stopped ? stopped : b->n;
    if (detailed)
        cost_pipe_block(b->insns, n, accesses, n_accesses);
    n_accesses = 0;
    stopped = 0;
    sums.insns += n;
    for (uint32_t i = 0; i < n; i++)
        sums.class[b->insns[i].class]++;
    if (b->changes_pages)
        page_forget();
    if (n < b->n) {
        if (to != b->start + b->insns[n].offset)
            exception();
        return;
    }
    if (b->ends == END_NONE) {
        bool goes_on = to == b->end || to == b->last || to == b->start; /* a repeated instruction starts again */
        if (!goes_on)
            exception();
        return;
    }
    if (b->insns[b->n - 1].class == COST_SYSTEM) {
        exception();
        return;
    }
    sums.event[EVENT_BRANCH] += b->ends != END_JUMP && b->ends != END_CALL;
    if (cost_branch(b->ends, b->last, b->end, to)) {
        sums.event[EVENT_MISPREDICT]++;
        if (detailed)
            cost_pipe_mispredicted();
    } else if (detailed && to != b->end) {
        cost_pipe_taken();
    }
}

static bool is_ours(unsigned cpu)
{
    if (cpu && !whole_system)
        has_threads = true;
    return !cpu;
}

static void on_block(unsigned cpu, void *data)
{
    if (!is_ours(cpu))
        return;
    const struct block *b = data;
    if (running)
        finish(running, b->start);
    running = b;
    if (sums.insns >= slice_end)
        next_slice();
    fetch(b);
    if (shift >= 0 && sums.insns >= next_record) {
        next_record = sums.insns + every;
        keep(b->n);
    }
}

/*
 * Where in the running block an instruction is. With icount QEMU leaves a block in the middle when it comes to a
 * device's access, translates that instruction alone, and runs it without the callback of a block: then the rest of the
 * running block is not executed, but follows as a block of its own.
 */
static uint32_t place_of(const struct cost_insn *insn)
{
    const struct block *b = block_with(insn);
    if (b == running)
        return insn->place;
    uint32_t place = block_place(running, b->start + insn->offset);
    if (place == running->n)
        return running->n - 1;
    stopped = place + 1;
    return place;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t virtual, void *data)
{
    if (!is_ours(cpu) || !running)
        return;
    struct access a = {
        .insn = (uint16_t)place_of(data),
        .bytes = (uint8_t)(1u << qemu_plugin_mem_size_shift(info)),
        .is_store = qemu_plugin_mem_is_store(info),
        .address = virtual,
    };
    uint64_t physical = virtual;
    a.is_device = whole_system && page_of(info, virtual, &physical);
    if (a.is_device)
        sums.event[EVENT_DEVICE]++;
    else
        cost_cache_data(&a, virtual, physical, sums.event);
    if (n_accesses < MOST_ACCESSES)
        accesses[n_accesses++] = a;
    else
        not_timed++;
}

static void on_translate(ON_TRANSLATE(tb))
{
    if (!qemu_plugin_tb_n_insns(tb))
        return;
    const struct block *b = block_of(tb);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, (void *)b);
    for (uint32_t i = 0; i < b->n; i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, (void *)&b->insns[i]);
}

static void on_flush(ON_FLUSH)
{
    block_forget(running);
}

/* A process that was forked has what its parent executed in its caches, but not in its sums. */
static void on_fork(void)
{
    memset(&sums, 0, sizeof sums);
    memset(total, 0, sizeof total);
    next_record = slice_from = not_timed = 0;
    slice_end = SLICE;
    detailed = true;
    for (int c = 0; c < CORNERS; c++)
        began[c] = cost_pipe_now(c);
}

static void on_end(ON_END)
{
    if (running)
        finish(running, running->end);
    running = NULL;
    if (not_timed)
        fprintf(stderr, PLUGIN_NAME ": %llu accesses were counted, but not timed\n", (unsigned long long)not_timed);
    /* At the end no processor runs, and its clock is no longer to be asked: the last records stand. */
    if (shift >= 0)
        return;
    if (has_threads)
        fprintf(stderr, PLUGIN_NAME ": the process has several threads, which are not modelled: there is no record\n");
    else
        keep(0);
}

static const char *whole_number(const char *text, uint64_t most, uint64_t *into)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    bool is_number = *text >= '0' && *text <= '9' && !*end && value <= most;
    *into = value;
    return is_number ? NULL : "shift= or every= is out of range";
}

static const char *argument(char *given, const char **path)
{
    uint64_t number;
    const char *why = NULL;
    if (!strncmp(given, "out=", 4)) {
        *path = given + 4;
    } else if (!strncmp(given, "shift=", 6)) {
        why = whole_number(given + 6, MOST_SHIFT, &number);
        shift = (int)number;
    } else if (!strncmp(given, "every=", 6)) {
        why = whole_number(given + 6, UINT64_MAX / 2, &every);
    } else {
        why = cost_core_argument(given);
    }
    return why;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *path = NULL, *why = NULL;
    for (int i = 0; i < argc && !why; i++)
        why = argument(argv[i], &path);
    if (!why)
        why = block_decoder(info->target_name);
    if (!why && (!path || !every))
        why = "out= is needed, and every= must not be 0";
    if (!why)
        why = cost_core_check();
    if (!why)
        why = cost_cache_open();
    if (!why && shift >= 0)
        why = qemu_clock_open(shift);
    if (why)
        return refuse(why);
    whole_system = info->system_emulation;
    if (whole_system)
        cost_cache_kernel(info->target_name);
    else if (pthread_atfork(NULL, NULL, on_fork))
        return refuse("processes that fork cannot be told apart");
    out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (out < 0)
        return refuse("cannot create the file named by out=");
    qemu_plugin_register_vcpu_tb_trans_cb(BOOTLAB_REGISTER(id, on_translate));
    qemu_plugin_register_flush_cb(BOOTLAB_REGISTER(id, on_flush));
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
