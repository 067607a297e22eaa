// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-block.h"

#include <stdlib.h>

#include "trace-file.h"
#include "trace-symbols.h"

#define N_SLOTS (1u << 16)

struct layout layout;
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

/*
 * Before the kernel has its page tables it runs at physical addresses: an identity map of the image. Firmware that the
 * set-up code or the kernel calls (below 1 MiB and at the top of 4 GiB on a PC) stays firmware.
 */
static uint32_t function_of(uint64_t at, uint64_t *linked)
{
    *linked = at;
    if (at >= layout.user_end) {
        if (at >= symbols.low && at < symbols.high)
            return symbols_at(at)->function;
        return BUCKET_NO_SYMBOL;
    }
    if (phase == PHASE_KERNEL)
        return BUCKET_USER;
    bool image = at + layout.offset >= symbols.low && at + layout.offset < symbols.high;
    if (image && (phase == PHASE_EARLY || is_entry(at))) {
        *linked = at + layout.offset;
        return symbols_at(*linked)->function;
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

static void fill(struct block *b, const struct qemu_plugin_tb *tb, size_t n)
{
    uint64_t linked;
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
    uint8_t bytes[16];
    size_t size = qemu_plugin_insn_size(last);
    b->start = qemu_plugin_tb_vaddr(tb);
    b->end = qemu_plugin_insn_vaddr(last) + size;
    b->n = (uint16_t)n;
    b->function = function_of(b->start, &linked);
    b->flow = FLOW_NONE;
    if (size && size <= sizeof bytes) {
        bootlab_insn_bytes(last, bytes, size);
        b->flow = (uint8_t)layout.flow(bytes, size);
    }
    if (!block_in_kernel(b) && b->flow != FLOW_HALT)
        b->flow = FLOW_NONE;
    if (b->function >= N_BUCKETS) {
        const struct bootlab_symbol *row = symbols_at(linked);
        uint32_t is = symbols.flags[b->function];
        if (row->start == linked)
            b->flags |= BLOCK_STARTS;
        if ((is & FN_ENTRY_STUBS) || ((is & FN_ENTRY) && row->start == linked))
            b->flags |= BLOCK_ENTRY;
        if (is & (FN_THUNK | FN_RETURN_THUNK))
            b->flags |= BLOCK_THUNK;
    }
    if (b->start == layout.setup || b->start == layout.decompress || is_entry(b->start) ||
        (phase == PHASE_EARLY && b->start >= layout.user_end))
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
struct block *block_of(const struct qemu_plugin_tb *tb, size_t n)
{
    struct block fresh = {0};
    fill(&fresh, tb, n);
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
    return b;
}
