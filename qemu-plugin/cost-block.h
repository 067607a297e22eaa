// SPDX-License-Identifier: GPL-2.0-or-later
/* What a block of instructions is to the model: decoded once, when QEMU translates it, and shared by all equal ones. */
#ifndef BOOTLAB_COST_BLOCK_H
#define BOOTLAB_COST_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "cost-insn.h"
#include "plugin-api.h"

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

/* Chooses the decoder of a machine. Returns why not, or NULL. */
const char *block_decoder(const char *target);

/* The block of a translation. Ends QEMU where there is no memory, for what is not seen would be missing unnoticed. */
const struct block *block_of(const struct qemu_plugin_tb *tb);

/* The block that an instruction of block_of() is in. */
const struct block *block_with(const struct cost_insn *insn);

/* The place in `b` of the instruction at an address, or b->n. */
uint32_t block_place(const struct block *b, uint64_t address);

/* QEMU has thrown all translations away, and with them all pointers to blocks but `running`. */
void block_forget(const struct block *running);

#endif
