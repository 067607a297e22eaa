// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions that work on the count name it in one way: a gs prefix (none in kernels for one processor) and an address
 * relative to the instruction pointer, whose sum is the symbol's value (per-CPU symbols count from 0 in kernels before
 * 6.15; later ones have addresses like all others, and gs all the same). From version 4
 * of the interface on QEMU says which value an access read or wrote. Before, the accesses say where the count lies; its
 * memory in QEMU is looked up once a place. QEMU 7.2 tells a read and a write of an increment apart unreliably, so the
 * value after each access is taken.
 */
#include "trace-preempt.h"

#include <string.h>

#include "qemu-functions.h"
#include "trace-flow.h"

#define NEED_RESCHED 0x80000000u /* inverted flag in the same word, not a count */

#define LOWEST_ADDRESS 0x100000000u

static uint64_t count_offset;

#if BOOTLAB_PLUGIN_API >= 4

void preempt_open(uint64_t offset)
{
    count_offset = offset;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)cpu;
    (void)vaddr;
    qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);
    if (value.type == QEMU_PLUGIN_MEM_VALUE_U32)
        flow_preempt_count(value.data.u32 & ~NEED_RESCHED, (unsigned)(uintptr_t)data);
}

#else

static void *(*map)(uint64_t physical, uint64_t *length, bool is_write);
static uint64_t known_at;
static const uint32_t *known;

void preempt_open(uint64_t offset)
{
    const struct qemu_function wanted[] = {{"cpu_physical_memory_map", &map}};
    count_offset = qemu_find(QEMU_FUNCTIONS(wanted)) ? 0 : offset;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)cpu;
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
    flow_preempt_count(count & ~NEED_RESCHED, (unsigned)(uintptr_t)data);
}

#endif

static bool is_on_count(const uint8_t *b, size_t n, uint64_t end)
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

void preempt_watch(struct qemu_plugin_insn *insn, unsigned left)
{
    uint8_t bytes[15];
    size_t size = qemu_plugin_insn_size(insn);
    if (!count_offset || size < 6 || size > sizeof bytes)
        return;
    bootlab_insn_bytes(insn, bytes, size);
    if (is_on_count(bytes, size, qemu_plugin_insn_vaddr(insn) + size))
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)left);
}
