// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-trace: a QEMU TCG plugin that says in which function of an unmodified kernel each instruction was executed.
 *
 * Arguments (all key=value):
 *   syms=PATH, out=PATH   trace-file.h
 *   shift=N               N of `-icount shift=N`; there is no trace without an instruction count
 *   end=N                 the trace ends before instruction number N; without it when QEMU ends
 *   setup=A, decompress=A first instructions of those phases; kernel=A (up to four) of the kernel, at physical addresses
 *   offset=A              the kernel's linked address less its physical one
 *   image=A-B, idmap=A-B, firmware=A-B, kuser=A-B  struct layout's ranges, from A to before B
 *   user_end=A            user space's addresses are below
 *   preempt=A             the preemption count's place in the per-CPU data, or in a task's thread_info
 *   thread=A              thread_info of the task that boots, where the count lies in it
 *   min_ns=N, depth=N     calls that took less, or lie deeper, leave no span (initcalls do); the tree has them all
 *
 * How the sum is exact. The function changes only where a block begins. Every block calls back, and the call returns at
 * once while the running function goes on. Where another function begins, QEMU's own executed-instruction counter is
 * read, less the length of the block that begins, which QEMU has charged already; all that was executed since the last
 * such read belongs to the function that ran till then. The self times are differences of one counter, so they add up
 * to it whatever happens in between: a faulting instruction's rest of a block, given back by QEMU before the handler's
 * first block begins, is never charged to anybody, and device accesses that QEMU translates again alone (without
 * calling back) are in the counter as in the guest.
 *
 * One instruction may stand in the neighbour's account: QEMU up to 8.0 tells a plugin of an x86 instruction that crosses
 * into the next page as the last of a block, and translates it with the next block. The sum does not notice.
 *
 * Nothing in the guest changes: no register is read, no time passes on the virtual clock.
 */
#include <stdlib.h>
#include <string.h>

#define PLUGIN_NAME "bootlab-trace"

#include "halt.h"
#include "plugin-api.h"
#include "refuse.h"
#include "trace-block.h"
#include "trace-count.h"
#include "trace-cpu.h"
#include "trace-flow.h"
#include "trace-irq.h"
#include "trace-out.h"
#include "trace-preempt.h"
#include "trace-stack.h"
#include "trace-symbols.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

static void on_block(unsigned cpu, void *data)
{
    (void)cpu;
    const struct block *b = data;
    if (__builtin_expect(b->key == flow.key, 1))
        return;
    if (b->flow_key == flow.key) {
        flow_remember(b);
        return;
    }
    flow_change(b);
}

static void on_irq_change(unsigned cpu, void *data)
{
    (void)cpu;
    uintptr_t site = (uintptr_t)data;
    flow_irq_change((unsigned)(site & 0xff), (unsigned)(site >> 8));
}

static void on_switch(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)cpu;
    (void)data;
    if (qemu_plugin_mem_is_store(info))
        flow_switch_store(vaddr);
    else
        flow_switch_load(vaddr);
}

static void on_translate(ON_TRANSLATE(tb))
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    halt_watch(tb, n);
    const struct decoder *decoder = cpu_decoder();
    struct block *b = n ? block_of(tb, n, decoder) : NULL;
    if (!b)
        return;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
    if (!block_in_kernel(b))
        return;
    bool switches = symbols.flags[b->function] & FN_SWITCH;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        /* Both directions: QEMU 7.2 takes one for the other when it is asked for loads alone. */
        if (switches)
            qemu_plugin_register_vcpu_mem_cb(insn, on_switch, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
        preempt_watch(insn, (unsigned)(n - i));
        uint8_t bytes[4];
        size_t size = qemu_plugin_insn_size(insn);
        if (size > sizeof bytes)
            continue;
        bootlab_insn_bytes(insn, bytes, size);
        unsigned change = decoder->irq(bytes, size);
        if (change != IRQ_SAME)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_irq_change, QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(uintptr_t)((n - i) << 8 | change));
    }
}

static void on_end(ON_END)
{
    flow_exit();
}

static bool number_of(const char *arg, const char *key, uint64_t *value)
{
    size_t n = strlen(key);
    if (strncmp(arg, key, n) != 0 || arg[n] != '=')
        return false;
    *value = strtoull(arg + n + 1, NULL, 0);
    return true;
}

static bool range_of(const char *arg, const char *key, struct range *range)
{
    if (!number_of(arg, key, &range->low))
        return false;
    const char *behind = strchr(arg, '-');
    range->high = behind ? strtoull(behind + 1, NULL, 0) : 0;
    return true;
}

struct arguments {
    const char *syms, *out;
    uint64_t shift, end, min_ns, depth, preempt, thread, alone;
};

static int parse(const char *arg, struct arguments *a)
{
    uint64_t entry;
    if (!strncmp(arg, "syms=", 5))
        a->syms = arg + 5;
    else if (!strncmp(arg, "out=", 4))
        a->out = arg + 4;
    else if (number_of(arg, "kernel", &entry) && layout.n_entries < 4)
        layout.entry[layout.n_entries++] = entry;
    else if (!number_of(arg, "shift", &a->shift) && !number_of(arg, "end", &a->end) &&
             !number_of(arg, "min_ns", &a->min_ns) && !number_of(arg, "depth", &a->depth) &&
             !number_of(arg, "preempt", &a->preempt) && !number_of(arg, "thread", &a->thread) &&
             !number_of(arg, "alone", &a->alone) &&
             !number_of(arg, "setup", &layout.setup) && !number_of(arg, "decompress", &layout.decompress) &&
             !number_of(arg, "offset", &layout.offset) && !number_of(arg, "user_end", &layout.user_end) &&
             !range_of(arg, "image", &layout.image) && !range_of(arg, "idmap", &layout.idmap) &&
             !range_of(arg, "firmware", &layout.firmware) && !range_of(arg, "kuser", &layout.kuser))
        return refuse("unknown argument");
    return 0;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    static struct arguments a = {.shift = UINT64_MAX, .end = UINT64_MAX, .min_ns = 20000, .depth = UINT32_MAX};
    for (int i = 0; i < argc; i++)
        if (parse(argv[i], &a))
            return 1;
    if (!a.syms || !a.out || a.shift > 10 || !layout.user_end)
        return refuse("syms=, out=, shift= (0 to 10) and user_end= are needed");
    /* Processors that the kernel does not bring up wait, or run firmware: what they execute counts as that. */
    if (info->system_emulation && info->system.max_vcpus > 1 && !a.alone)
        return refuse("there is no exact trace of a machine with more than one processor");
    const char *why = cpu_open(info->target_name);
    if (!why)
        why = symbols_open(a.syms);
    if (!why)
        why = count_open((int)a.shift);
    if (!why)
        why = halt_open(info->target_name);
    if (why)
        return refuse(why);
    if (!tree_open(symbols.n_functions) || !stacks_open())
        return refuse("no memory");
    out_path = strdup(a.out);
    stacks.min_ns = a.min_ns;
    stacks.max_depth = (uint32_t)a.depth;
    for (uint32_t i = 0; i < symbols.n_functions; i++)
        stacks.subtree_only |= (symbols.flags[i] & FN_SUBTREE) != 0;
    flow_open((int)a.shift, a.end);
    preempt_open(info->target_name, a.preempt, a.thread);
    qemu_plugin_register_vcpu_tb_trans_cb(BOOTLAB_REGISTER(id, on_translate));
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
