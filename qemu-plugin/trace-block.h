// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of a translated block: its function and how it ends. */
#ifndef BOOTLAB_TRACE_BLOCK_H
#define BOOTLAB_TRACE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode.h"
#include "plugin-api.h"
#include "trace-cpu.h"

enum block_flag {
    BLOCK_STARTS = 1, /* it is its function's first */
    BLOCK_ENTRY = 2,  /* an exception, an interrupt or a system call enters here */
    BLOCK_THUNK = 4,
    BLOCK_PHASE = 8, /* the boot's next phase begins here */
    BLOCK_IRQ = 16,  /* the exception that was entered turns out to be an interrupt */
};

/* Keys that no running function has. */
#define KEY_NEVER 0xffffffffu
#define KEY_NONE 0xfffffffeu

struct block {
    uint32_t key;      /* function, when executing the block in that very function changes nothing */
    uint32_t flow_key; /* function, when all that is to do is to remember how the block ends */
    uint32_t function;
    uint16_t n; /* instructions */
    uint8_t flow;
    uint8_t flags;
    uint64_t start;
    uint64_t end; /* behind the last instruction: where a call returns to */
    struct block *next;
};

enum phase { PHASE_FIRMWARE, PHASE_SETUP, PHASE_DECOMPRESS, PHASE_EARLY, PHASE_KERNEL };

struct range {
    uint64_t low, high; /* high: the first address behind */
};

struct layout {
    uint64_t setup, decompress; /* first instructions of those phases; 0: no such phase */
    uint64_t entry[4];          /* the kernel image's first instructions, at physical addresses */
    unsigned n_entries;
    uint64_t offset;       /* linked address less physical address */
    uint64_t user_end;     /* addresses below are user space's, once the kernel runs at its own */
    struct range image;    /* the kernel at physical addresses, as far as it has more than the symbols' range */
    struct range idmap;    /* what the kernel runs at physical addresses later too, to switch page tables */
    struct range firmware; /* what stays and answers the kernel's calls */
    struct range kuser;    /* what the kernel lends to user space, above user_end */
};
extern struct layout layout;
extern enum phase phase;

/* Returns the block of a translation, NULL without memory. */
struct block *block_of(const struct qemu_plugin_tb *tb, size_t n, const struct decoder *decoder);

bool block_in_kernel(const struct block *b);

#endif
