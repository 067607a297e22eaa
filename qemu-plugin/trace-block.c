// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-block.h"

#include <stdlib.h>

#include "trace-code.h"
#include "trace-file.h"
#include "trace-symbols.h"

#define N_SLOTS (1u << 16)

/* A board's boot ROM is entered at address 0, which is not to be taken for a phase that the kernel has not. */
struct layout layout = {.setup = UINT64_MAX, .decompress = UINT64_MAX};
enum phase phase;
static struct block *slots[N_SLOTS];

bool block_in_kernel(const struct block *b)
{
    return b->function >= N_BUCKETS || b->function == BUCKET_NO_SYMBOL;
}

static bool is_entry(uint64_t at)
{
    for (unsigned i = 0; i < layout.n_entries; i++)
        if (layout.entry[i] == at)
            return true;
    return false;
}

static bool within(uint64_t at, const struct range *range)
{
    return at >= range->low && at < range->high;
}

static uint32_t symbol_of(uint64_t linked)
{
    return linked >= symbols.low && linked < symbols.high ? symbols_at(linked)->function : BUCKET_NO_SYMBOL;
}

/*
 * Before the kernel has its page tables it runs at physical addresses: an identity map of the image. Firmware that the
 * set-up code or the kernel calls (below 1 MiB and at the top of 4 GiB on a PC) stays firmware.
 */
static uint32_t function_of(uint64_t at, uint64_t *linked)
{
    *linked = at;
    if (at >= layout.user_end)
        return within(at, &layout.kuser) ? BUCKET_USER : symbol_of(at);
    if (within(at, &layout.firmware))
        return BUCKET_FIRMWARE;
    bool idmap = within(at, &layout.idmap);
    if (phase == PHASE_KERNEL && !idmap)
        return BUCKET_USER;
    bool image = within(at, &layout.image) ||
                 (at + layout.offset >= symbols.low && at + layout.offset < symbols.high);
    if (image && (phase >= PHASE_EARLY || is_entry(at))) {
        *linked = at + layout.offset;
        return symbol_of(*linked);
    }
    bool firmware = (at >= 0xa0000 && at < 0x100000) || (at >= 0xfff00000 && at <= 0xffffffff);
    if (phase == PHASE_FIRMWARE && at != layout.setup && at != layout.decompress)
        return BUCKET_FIRMWARE;
    if (firmware)
        return BUCKET_FIRMWARE;
    if (at == layout.decompress || phase >= PHASE_DECOMPRESS)
        return BUCKET_DECOMPRESS;
    return BUCKET_SETUP;
}

static void fill(struct block *b, const struct qemu_plugin_tb *tb, size_t n, const struct decoder *decoder)
{
    uint64_t linked;
    b->start = qemu_plugin_tb_vaddr(tb);
    b->n = (uint16_t)n;
    b->function = function_of(b->start, &linked);
    b->flow = FLOW_NONE;
    /* The last instruction tells, or one before it that halts: QEMU goes on translating behind RISC-V's wfi. */
    for (size_t i = 0; i < n && b->flow != FLOW_HALT; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint8_t bytes[16];
        size_t size = qemu_plugin_insn_size(insn);
        if (size && size <= sizeof bytes) {
            bootlab_insn_bytes(insn, bytes, size);
            b->flow = (uint8_t)decoder->flow(bytes, size);
        }
        b->end = qemu_plugin_insn_vaddr(insn) + size;
    }
    if (!block_in_kernel(b) && b->flow != FLOW_HALT)
        b->flow = FLOW_NONE;
    if (b->function >= N_BUCKETS) {
        const struct bootlab_symbol *row = symbols_at(linked);
        uint32_t is = symbols.flags[b->function];
        bool starts = row->start == linked && !row->part;
        if (starts)
            b->flags |= BLOCK_STARTS;
        if ((is & FN_ENTRY_STUBS) || ((is & FN_ENTRY) && starts))
            b->flags |= BLOCK_ENTRY;
        else if ((is & FN_IRQ) && !(is & FN_ENTRY) && starts)
            b->flags |= BLOCK_IRQ;
        if (is & (FN_THUNK | FN_RETURN_THUNK))
            b->flags |= BLOCK_THUNK;
        /* An entry has no caller: what reads as its return is a jump. */
        unsigned kind = b->flow & FLOW_KIND;
        if (((is & FN_GOES_ON) && kind != FLOW_CALL) || ((is & (FN_ENTRY | FN_ENTRY_STUBS)) && kind == FLOW_RETURN))
            b->flow = FLOW_NONE;
    }
    if (b->start == layout.setup || b->start == layout.decompress || is_entry(b->start) ||
        (phase < PHASE_KERNEL && b->start >= layout.user_end && (phase == PHASE_EARLY || b->function >= N_BUCKETS)))
        b->flags |= BLOCK_PHASE;
    b->key = b->flow == FLOW_NONE && !(b->flags & ~BLOCK_STARTS) ? b->function : KEY_NONE;
    b->flow_key = b->flow != FLOW_NONE && !(b->flags & ~BLOCK_STARTS) ? b->function : KEY_NONE;
}

static bool same(const struct block *a, const struct block *b)
{
    return a->start == b->start && a->n == b->n && a->end == b->end && a->function == b->function &&
           a->flow == b->flow && a->flags == b->flags;
}

/* QEMU throws translations away and makes them again; their records are shared, so that memory stays bounded. */
struct block *block_of(const struct qemu_plugin_tb *tb, size_t n, const struct decoder *decoder)
{
    struct block fresh = {0};
    fill(&fresh, tb, n, decoder);
    if (!block_in_kernel(&fresh) && !(fresh.flags & BLOCK_PHASE))
        fresh.start = fresh.end = 0; /* nothing asks where in a bucket a block lies */
    uint64_t hash = (fresh.start + fresh.n) * 0x9e3779b97f4a7c15u;
    struct block **slot = &slots[hash >> 48];
    for (struct block *b = *slot; b; b = b->next)
        if (same(b, &fresh))
            return b;
    struct block *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    *b = fresh;
    b->next = *slot;
    *slot = b;
    if (b->function == BUCKET_NO_SYMBOL)
        code_keep(tb, n);
    return b;
}
