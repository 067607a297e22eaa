// SPDX-License-Identifier: GPL-2.0-or-later
/* The guest's virtual time, and the instructions that it has executed. */
#ifndef BOOTLAB_QEMU_CLOCK_H
#define BOOTLAB_QEMU_CLOCK_H

#include <stdint.h>

struct qemu_time {
    uint64_t ns, insns;
};

/* `shift` of -icount; less than 0: QEMU counts no instructions, and none are told. Returns why it cannot be, or NULL. */
const char *qemu_clock_open(int shift);

/* Virtual time, for any thread; in one that runs no processor as of the last slice's end. */
uint64_t qemu_clock_ns(void);

/*
 * When an instruction starts, asked by the thread that executes it. QEMU charges a block's whole length when it enters
 * it, so the `left` instructions from this one to the block's end are taken off again.
 */
struct qemu_time qemu_clock_at(unsigned left);

/* Instructions charged so far, the block's that runs included. */
uint64_t qemu_clock_insns(void);

#endif
