// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When each instruction would be done: registers become ready, units are busy, a window is full, misses are under way.
 * In order (window 0) an instruction starts no earlier than the one before it. One pipeline at each end of the figures.
 */
#ifndef BOOTLAB_COST_PIPE_H
#define BOOTLAB_COST_PIPE_H

#include "cost-cache.h"
#include "cost-insn.h"

/* Executes a block's instructions with what they accessed, in the order of the instructions. */
void cost_pipe_block(const struct cost_insn *insns, unsigned n, const struct access *accesses, unsigned n_accesses);

/* The next instructions come late: from beyond L1I, through the TLB, after a branch that was taken. */
void cost_pipe_code(enum level level, enum translation translation);
void cost_pipe_taken(void);

/* They come only once the last instruction is done, and the pipeline is filled again. */
void cost_pipe_mispredicted(void);
void cost_pipe_exception(void);

/* Ticks so far of a corner. */
uint64_t cost_pipe_now(int corner);

#endif
