// SPDX-License-Identifier: GPL-2.0-or-later
/* The longest stretches with interrupts off, with preemption off, and of a task without a point where others may run. */
#ifndef BOOTLAB_TRACE_IRQ_H
#define BOOTLAB_TRACE_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "trace-file.h"

struct stretches {
    bool on; /* nothing is held off */
    uint64_t off_ns;
    uint32_t off_node;
    uint64_t most_insns;
    uint32_t most_node;
    struct bootlab_stretch longest[BOOTLAB_MAX_STRETCHES];
    uint32_t n_longest;
};
extern struct stretches irqs, preemption, turns;

void stretches_keep(struct stretches *s, uint64_t now_ns, uint32_t node);

extern int stretches_shift; /* an instruction takes 2 to that power nanoseconds */

/* Forgets what is kept; a stretch that goes on begins now. */
void stretches_restart(struct stretches *s, uint64_t now_ns);

static inline void stretches_set(struct stretches *s, bool on, uint64_t now_ns, uint32_t node)
{
    if (on == s->on)
        return;
    s->on = on;
    if (on) {
        stretches_keep(s, now_ns, node);
    } else {
        s->off_ns = now_ns;
        s->off_node = s->most_node = node;
        s->most_insns = 0;
    }
}

/* So many instructions ran in a node. */
static inline void stretches_charge(struct stretches *s, uint64_t insns, uint32_t node)
{
    if (!s->on && insns > s->most_insns) {
        s->most_insns = insns;
        s->most_node = node;
    }
}

/* One stretch ends and the next begins. */
static inline void stretches_split(struct stretches *s, uint64_t now_ns, uint32_t node)
{
    if (s->on)
        return;
    stretches_set(s, true, now_ns, node);
    stretches_set(s, false, now_ns, node);
}

static inline void irqs_set(bool on, uint64_t now_ns, uint32_t node)
{
    stretches_set(&irqs, on, now_ns, node);
}

#endif
