// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-cost: a QEMU TCG plugin that tells what a processor of a given kind would take for what is executed.
 *
 * It changes nothing in the guest. Each block is decoded once, when it is translated. When it was executed its
 * instructions go through a model of caches, TLBs, a branch predictor and a pipeline, with the addresses that they
 * accessed. One processor only; without icount it works in QEMU's user mode too, where each process adds its own record.
 *
 * Arguments (all key=value):
 *   out=PATH     where the records go (cost-file.h)
 *   shift=N      N of `-icount shift=N`; absent: there is no clock
 *   every=N      a record each time that N instructions more were executed
 *   and the processor's figures (cost-core.c)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN_NAME "bootlab-cost"

#include "cost-branch.h"
#include "cost-cache.h"
#include "cost-core.h"
#include "cost-file.h"
#include "cost-insn.h"
#include "cost-page.h"
#include "cost-pipe.h"
#include "plugin-api.h"
#include "qemu-clock.h"
#include "refuse.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

#define MOST_ACCESSES 1024
#define LINE_BITS 6 /* of code, within a block */

struct block {
    struct block *next; /* of its slot */
    uint64_t start, end, last;
    uint64_t code; /* where its bytes are in the host: the same for all that run them */
    uint64_t digest;
    uint32_t n;
    uint8_t ends;
    bool changes_pages;
    struct cost_insn insns[];
};

static struct cost_insn (*decode)(const uint8_t *bytes, size_t n);
static struct cost_record sums;
static struct access accesses[MOST_ACCESSES];
static unsigned n_accesses;
static const struct block *running;
static uint64_t next_record, every = 1 << 18;
static int out = -1, shift = -1;
static bool whole_system, block_is_thumb;
static struct block *slots[1 << 16];

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
    r.magic = COST_MAGIC;
    if (shift >= 0) {
        struct qemu_time now = qemu_clock_at(left);
        r.insns = now.insns;
        r.ns = now.ns;
    }
    for (int c = 0; c < CORNERS; c++)
        r.ticks[c] = ticks_so_far(c);
    if (write(out, &r, sizeof r) != (ssize_t)sizeof r)
        fprintf(stderr, PLUGIN_NAME ": a record could not be written\n");
}

static void fetch(const struct block *b)
{
    enum translation translation = cost_cache_code_page(b->start, sums.event);
    if (detailed && translation != TLB_HIT)
        cost_pipe_code(IN_L1, translation);
    uint64_t last = (b->code + (b->end - b->start) - 1) >> LINE_BITS;
    for (uint64_t line = b->code >> LINE_BITS; line <= last; line++) {
        enum level level = cost_cache_code(line << LINE_BITS, sums.event);
        if (detailed && level != IN_L1)
            cost_pipe_code(level, TLB_HIT);
    }
}

/* What was executed since the last call was `b`, and it went on at `to`. */
static void finish(const struct block *b, uint64_t to)
{
    if (detailed)
        cost_pipe_block(b->insns, b->n, accesses, n_accesses);
    n_accesses = 0;
    sums.insns += b->n;
    for (uint32_t i = 0; i < b->n; i++)
        sums.class[b->insns[i].class]++;
    if (b->changes_pages)
        page_forget();
    if (b->ends == END_NONE) {
        bool goes_on = to == b->end || to == b->last || to == b->start; /* a repeated instruction starts again */
        if (!goes_on) {
            sums.event[EVENT_EXCEPTION]++;
            if (detailed)
                cost_pipe_exception();
        }
        return;
    }
    bool is_system = b->insns[b->n - 1].class == COST_SYSTEM;
    if (is_system) {
        sums.event[EVENT_EXCEPTION]++;
        if (detailed)
            cost_pipe_exception();
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

static void on_block(unsigned cpu, void *data)
{
    (void)cpu;
    const struct block *b = data;
    if (running)
        finish(running, b->start);
    running = b;
    if (sums.insns >= slice_end)
        next_slice();
    fetch(b);
    if (sums.insns >= next_record) {
        next_record = sums.insns + every;
        keep(b->n);
    }
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t virtual, void *data)
{
    (void)cpu;
    if (n_accesses == MOST_ACCESSES)
        return;
    struct access *a = &accesses[n_accesses++];
    uintptr_t site = (uintptr_t)data;
    a->insn = (uint16_t)site;
    a->bytes = (uint8_t)(1u << qemu_plugin_mem_size_shift(info));
    a->is_store = qemu_plugin_mem_is_store(info);
    a->address = virtual;
    uint64_t physical = virtual;
    a->is_device = whole_system && page_of(info, virtual, &physical);
    if (a->is_device)
        sums.event[EVENT_DEVICE]++;
    else
        cost_cache_data(a, virtual, physical, sums.event);
}

static uint64_t hash_of(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 31);
}

/* QEMU throws translations away and makes them again; what was decoded is shared, so that memory stays bounded. */
static struct block *block_of(struct qemu_plugin_tb *tb, size_t n)
{
    struct block *b = calloc(1, sizeof *b + n * sizeof *b->insns);
    if (!b)
        return NULL;
    b->start = qemu_plugin_tb_vaddr(tb);
    b->n = (uint32_t)n;
    b->code = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
    if (!b->code)
        b->code = b->start;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint8_t bytes[16] = {0};
        size_t size = qemu_plugin_insn_size(insn);
        b->insns[i] = cost_insn_none();
        if (size && size <= sizeof bytes) {
            bootlab_insn_bytes(insn, bytes, size);
            b->insns[i] = decode(bytes, size);
        }
        b->last = qemu_plugin_insn_vaddr(insn);
        b->end = b->last + size;
        b->changes_pages |= b->insns[i].class == COST_SYSTEM;
        for (size_t at = 0; at < sizeof bytes; at += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, bytes + at, sizeof word);
            b->digest = hash_of(b->digest, word);
        }
    }
    b->ends = b->insns[n - 1].end;
    struct block **slot = &slots[hash_of(b->start, b->digest) >> 48];
    for (struct block *old = *slot; old; old = old->next)
        if (old->start == b->start && old->n == b->n && old->digest == b->digest && old->code == b->code) {
            free(b);
            return old;
        }
    b->next = *slot;
    return *slot = b;
}

static struct cost_insn decode_arm(const uint8_t *bytes, size_t n)
{
    return block_is_thumb ? cost_t32(bytes, n) : cost_a32(bytes, n);
}

/* Instructions of two bytes are Thumb's; a block has one kind. A block of long ones only is followed by its state. */
static bool is_thumb(struct qemu_plugin_tb *tb, size_t n)
{
    bool aligned = qemu_plugin_tb_vaddr(tb) % 4 == 0, thumb = false, arm = aligned;
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[4] = {0};
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t size = qemu_plugin_insn_size(insn);
        if (size != 4)
            return true;
        bootlab_insn_bytes(insn, bytes, size);
        /* The first half of a long Thumb instruction begins with 11101, 11110 or 11111. */
        thumb |= bytes[1] >= 0xe8 && (bytes[3] & 0xf0) != 0xe0;
        arm = arm && bytes[1] < 0xe8;
    }
    return !aligned || (thumb && !arm);
}

static void on_translate(ON_TRANSLATE(tb))
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    if (!n)
        return;
    if (decode == decode_arm)
        block_is_thumb = is_thumb(tb, n);
    struct block *b = block_of(tb, n);
    if (!b)
        return;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
    for (size_t i = 0; i < n; i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, (void *)i);
}

static void on_end(ON_END)
{
    if (running)
        finish(running, running->end);
    running = NULL;
    /* At the end no processor runs, and its clock is no longer to be asked: the last records stand. */
    if (shift < 0)
        keep(0);
}

static bool know(const char *target)
{
    const struct {
        const char *name;
        struct cost_insn (*decode)(const uint8_t *bytes, size_t n);
    } known[] = {{"x86_64", cost_x86}, {"aarch64", cost_arm64}, {"arm", decode_arm}, {"riscv64", cost_riscv}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, target))
            decode = known[i].decode;
    return decode;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *path = NULL, *why = NULL;
    for (int i = 0; i < argc && !why; i++) {
        if (!strncmp(argv[i], "out=", 4))
            path = argv[i] + 4;
        else if (!strncmp(argv[i], "shift=", 6))
            shift = atoi(argv[i] + 6);
        else if (!strncmp(argv[i], "every=", 6))
            every = strtoull(argv[i] + 6, NULL, 0);
        else
            why = cost_core_argument(argv[i]);
    }
    if (!why && !know(info->target_name))
        why = "the instructions of this machine are not known";
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
    out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (out < 0)
        return refuse("cannot create the file named by out=");
    qemu_plugin_register_vcpu_tb_trans_cb(BOOTLAB_REGISTER(id, on_translate));
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
