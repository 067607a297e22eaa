// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86: instructions that work on the count name it in one way: a gs prefix (none in kernels for one processor) and an address
 * relative to the instruction pointer, whose sum is the symbol's value (per-CPU symbols count from 0 in kernels before
 * 6.15; later ones have addresses like all others, and gs all the same). From version 4
 * of the interface on QEMU says which value an access read or wrote. Before, the accesses say where the count lies; its
 * memory in QEMU is looked up once a place. QEMU 7.2 tells a read and a write of an increment apart unreliably, so the
 * value after each access is taken.
 *
 * Elsewhere the count lies in each task's struct thread_info (arch/arm64, arch/arm and arch/riscv, asm/thread_info.h).
 * RISC-V stores it relative to tp, the others relative to any register: a store with the count's distance is one on the
 * count if it goes to the running task's. Which task runs is learnt where the kernel switches: first it stores
 * the registers of the task that ran, at one distance from its thread_info, then it loads those of the next, at another.
 * The first task's thread_info is a symbol, and each later one is told by the store when its task stops running.
 */
#include "trace-preempt.h"

#include <string.h>

#include "qemu-functions.h"
#include "trace-flow.h"
#include "trace-irq.h"

#define NEED_RESCHED 0x80000000u /* inverted flag in the same word, not a count */

#define LOWEST_ADDRESS 0x100000000u

/* How often preemption, soft and hard interrupts are off, a byte each at most (linux/preempt.h): never as often as this. */
#define NONSENSE 0x40c0c0c0u

static uint64_t count_offset;
static enum { PER_CPU, RISCV, ARM64, ARM } kind;

static struct {
    uint64_t now;        /* thread_info of the running task; 0: not known */
    uint64_t loaded_at;  /* where the running task's registers were loaded */
    uint64_t store_at;   /* distance of the first store of a switch from the thread_info */
    uint64_t load_at;    /* that of its first load */
    bool stored, knows_store, knows_load;
} task;

/* QEMU 7.2 tells of accesses that a helper makes (CMPXCHG16B) as if an instruction before it had made them. */
static bool is_at_count(uint64_t vaddr)
{
    if (kind == PER_CPU)
        return !((vaddr ^ count_offset) & 0xfff);
    return task.now && vaddr == task.now + count_offset;
}

static void tell_nothing(void)
{
    count_offset = 0;
    preemption.n_longest = 0;
    preemption.on = true;
}

static void count_is(uint32_t count, void *data)
{
    if (kind == PER_CPU)
        count &= ~NEED_RESCHED;
    if (count & NONSENSE)
        tell_nothing();
    else
        flow_preempt_count(count, (unsigned)(uintptr_t)data);
}

#if BOOTLAB_PLUGIN_API >= 4

static void open_values(uint64_t offset)
{
    count_offset = offset;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)cpu;
    if (!count_offset || !is_at_count(vaddr))
        return;
    qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);
    if (value.type == QEMU_PLUGIN_MEM_VALUE_U32)
        count_is(value.data.u32, data);
}

#else

static void *(*map)(uint64_t physical, uint64_t *length, bool is_write);
static uint64_t known_at;
static const uint32_t *known;

static void open_values(uint64_t offset)
{
    const struct qemu_function wanted[] = {{"cpu_physical_memory_map", &map}};
    count_offset = qemu_find(QEMU_FUNCTIONS(wanted)) ? 0 : offset;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)cpu;
    if (!count_offset || !is_at_count(vaddr))
        return;
    if (vaddr != known_at || !known) {
        struct qemu_plugin_hwaddr *place = qemu_plugin_get_hwaddr(info, vaddr);
        uint64_t length = sizeof *known;
        if (!place || qemu_plugin_hwaddr_is_io(place))
            return;
        known = map(qemu_plugin_hwaddr_phys_addr(place), &length, false);
        known_at = vaddr;
        if (!known)
            return;
    }
    uint32_t count;
    memcpy(&count, known, sizeof count);
    count_is(count, data);
}

#endif

static bool is_per_cpu(const uint8_t *b, size_t n, uint64_t end)
{
    size_t i = 0;
    bool gs = false;
    while (i < n && (b[i] == 0x65 || b[i] == 0x66 || b[i] == 0x2e || b[i] == 0x3e))
        gs |= b[i++] == 0x65;
    if (i < n && (b[i] & 0xf0) == 0x40)
        i++;
    /* One opcode byte, mod 0 rm 5: relative to the instruction's end. */
    if ((!gs && count_offset < LOWEST_ADDRESS) || i + 6 > n || (b[i + 1] & 0xc7) != 0x05)
        return false;
    int32_t distance;
    memcpy(&distance, b + i + 2, sizeof distance);
    return end + (uint64_t)(int64_t)distance == count_offset;
}

static bool is_store(uint32_t word)
{
    switch (kind) {
    case RISCV: /* sw rs2, distance(tp) */
        return (word & 0xff07f) == 0x22023 && ((word >> 25) << 5 | (word >> 7 & 31)) == count_offset;
    case ARM64: /* str wN, [xN, #distance] */
        return (word & 0xffc00000) == 0xb9000000 && (word >> 10 & 0xfff) * 4 == count_offset;
    case ARM: /* str rN, [rN, #distance] */
        return (word & 0x0ff00000) == 0x05800000 && (word & 0xfff) == count_offset;
    default:
        return false;
    }
}

static bool is_on_count(struct qemu_plugin_insn *insn)
{
    uint8_t bytes[15];
    size_t size = qemu_plugin_insn_size(insn);
    if (size > sizeof bytes || size < sizeof(uint32_t))
        return false;
    bootlab_insn_bytes(insn, bytes, size);
    if (kind == PER_CPU)
        return is_per_cpu(bytes, size, qemu_plugin_insn_vaddr(insn) + size);
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return size == sizeof word && is_store(word);
}

void preempt_open(const char *target, uint64_t offset, uint64_t thread_info)
{
    static const struct {
        const char *target;
        int kind;
    } known[] = {{"aarch64", ARM64}, {"arm", ARM}, {"riscv64", RISCV}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].target, target))
            kind = known[i].kind;
    task.now = thread_info;
    open_values(offset);
}

void preempt_watch(struct qemu_plugin_insn *insn, unsigned left)
{
    if (count_offset && is_on_count(insn))
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)left);
}

void preempt_switch_stores(uint64_t vaddr)
{
    if (task.stored)
        return;
    task.stored = true;
    if (!task.knows_store) {
        task.store_at = vaddr - task.now; /* the first task stops running for the first time */
        task.knows_store = true;
    }
    if (!task.knows_load && task.loaded_at) {
        task.load_at = task.loaded_at - (vaddr - task.store_at);
        task.knows_load = true;
    }
}

void preempt_switch_loads(uint64_t vaddr)
{
    task.stored = false;
    task.loaded_at = vaddr;
    task.now = task.knows_load ? vaddr - task.load_at : 0;
    if (kind != PER_CPU && !task.now)
        preemption.on = true; /* the end of this stretch is not seen */
}

void preempt_in_user_space(void)
{
    if (count_offset && !preemption.on)
        tell_nothing();
}
