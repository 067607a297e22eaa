// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost-block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define SLOT_BITS 16

enum state { ARM, THUMB, EITHER };

static struct cost_insn (*decode)(const uint8_t *bytes, size_t n);
static struct block *slots[1 << SLOT_BITS];
static enum state state; /* of the last block */

static struct cost_insn decode_arm(const uint8_t *bytes, size_t n)
{
    return state == THUMB ? cost_t32(bytes, n) : cost_a32(bytes, n);
}

const char *block_decoder(const char *target)
{
    const struct {
        const char *name;
        struct cost_insn (*decode)(const uint8_t *bytes, size_t n);
    } known[] = {{"x86_64", cost_x86}, {"aarch64", cost_arm64}, {"arm", decode_arm}, {"riscv64", cost_riscv}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, target))
            decode = known[i].decode;
    return decode ? NULL : "the instructions of this machine are not known";
}

/*
 * A block has one kind. Instructions of two bytes are Thumb's. The first half of a long Thumb instruction begins with
 * 11101, 11110 or 11111: a block that has an instruction without that is A32's. Where all have it (`bxeq lr` alone,
 * whose condition stands where a short Thumb instruction would be; or only `bl` and the like) nothing tells.
 */
static enum state state_of(const struct qemu_plugin_tb *tb, size_t n)
{
    if (qemu_plugin_tb_vaddr(tb) % 4)
        return THUMB;
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[4] = {0};
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t size = qemu_plugin_insn_size(insn);
        if (size != sizeof bytes)
            return THUMB;
        bootlab_insn_bytes(insn, bytes, size);
        if (bytes[1] < 0xe8)
            return ARM;
    }
    return EITHER;
}

static uint64_t hash_of(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 31);
}

static void read_insn(struct block *b, size_t place, struct qemu_plugin_insn *insn)
{
    uint8_t bytes[16] = {0};
    size_t size = qemu_plugin_insn_size(insn);
    struct cost_insn *into = &b->insns[place];
    *into = cost_insn_none();
    if (size && size <= sizeof bytes) {
        bootlab_insn_bytes(insn, bytes, size);
        *into = decode(bytes, size);
    }
    b->last = qemu_plugin_insn_vaddr(insn);
    b->end = b->last + size;
    into->place = (uint16_t)place;
    into->offset = (uint16_t)(b->last - b->start);
    b->changes_pages |= into->class == COST_SYSTEM;
    for (size_t at = 0; at < sizeof bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        b->digest = hash_of(b->digest, word);
    }
}

const struct block *block_of(const struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    struct block *b = calloc(1, sizeof *b + n * sizeof *b->insns);
    if (!b || n > UINT16_MAX) {
        fprintf(stderr, "bootlab-cost: there is no memory for what is executed\n");
        exit(1);
    }
    b->start = qemu_plugin_tb_vaddr(tb);
    b->n = (uint32_t)n;
    b->code = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
    if (!b->code)
        b->code = b->start;
    if (decode == decode_arm) {
        enum state found = state_of(tb, n);
        state = found == EITHER ? state : found;
    }
    for (size_t i = 0; i < n; i++)
        read_insn(b, i, qemu_plugin_tb_get_insn(tb, i));
    b->ends = b->insns[n - 1].end;
    b->digest = hash_of(b->digest, state);
    struct block **slot = &slots[hash_of(b->start, b->digest) >> (64 - SLOT_BITS)];
    for (struct block *old = *slot; old; old = old->next)
        if (old->start == b->start && old->n == b->n && old->digest == b->digest && old->code == b->code) {
            free(b);
            return old;
        }
    b->next = *slot;
    return *slot = b;
}

const struct block *block_with(const struct cost_insn *insn)
{
    return (const struct block *)(const void *)((const char *)(insn - insn->place) - offsetof(struct block, insns));
}

uint32_t block_place(const struct block *b, uint64_t address)
{
    uint32_t place = 0;
    while (place < b->n && b->start + b->insns[place].offset != address)
        place++;
    return place;
}

void block_forget(const struct block *running)
{
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        struct block *kept = NULL;
        for (struct block *b = slots[i], *next; b; b = next) {
            next = b->next;
            if (b == running) {
                kept = b;
                b->next = NULL;
            } else {
                free(b);
            }
        }
        slots[i] = kept;
    }
}
