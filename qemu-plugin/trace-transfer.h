// SPDX-License-Identifier: GPL-2.0-or-later
/* From one block to the next: what a call, a return, a jump or an exception does to the running task's stack. */
#ifndef BOOTLAB_TRACE_TRANSFER_H
#define BOOTLAB_TRACE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace-block.h"

/* Does what the end of the block before this one announced; afterwards the block's function is the running one. */
void transfer_resolve(const struct block *b);

/* The block begins an exception, an interrupt or a system call. `parent`: the node that it is counted below. */
void transfer_enter(const struct block *b, uint32_t parent, uint16_t flags);

/* What began as an exception moves to the interrupts' root. */
void transfer_becomes_irq(void);

/* True: the block's function is the running one's caller as far as the stack knows. */
bool transfer_is_thunk(const struct block *b);

/* True: the block is the firmware's, below a kernel that runs. */
bool transfer_is_firmware(const struct block *b);

#endif
