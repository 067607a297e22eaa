// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows the flow of control from function to function. */
#ifndef BOOTLAB_TRACE_FLOW_H
#define BOOTLAB_TRACE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "trace-block.h"

struct flow_state {
    uint32_t key;      /* the running function while nothing is awaited, KEY_NEVER else */
    uint8_t pending;   /* enum flow: how the block before this one ended */
    uint64_t pending_end;
    uint64_t last_insns; /* charged so far */
    uint64_t now_ns;     /* at the beginning of the block */
    int64_t bias_ns;   /* virtual time that passed without instructions */
    int shift;
    bool over;
    bool switch_armed;
    bool jumps_by_thunk; /* the function that runs is a retpoline's */
    uint8_t irq_ask;     /* enum irq_change whose outcome the next block's beginning shows */
    uint64_t entry_self; /* what the entered exception's node had before */
    uint64_t start_insns, start_ns, end_insns, idle_ns, unexplained_ns, slow_blocks;
};
extern struct flow_state flow;

void flow_open(int shift, uint64_t end_insns);

/* A block of another function, or one that begins after a call, a return or a halt. */
void flow_change(const struct block *b);

/* An instruction of this enum irq_change; `left` instructions of its block are charged and not executed. */
void flow_irq_change(unsigned change, unsigned left);

/* The preemption count was read or written. */
void flow_preempt_count(uint32_t count, unsigned left);

/* A store and a load of the function that switches stacks. */
void flow_switch_store(uint64_t vaddr);
void flow_switch_load(uint64_t vaddr);

/* QEMU ends. */
void flow_exit(void);

static inline void flow_remember(const struct block *b)
{
    flow.pending = b->flow;
    flow.pending_end = b->end;
    flow.key = KEY_NEVER;
}

#endif
