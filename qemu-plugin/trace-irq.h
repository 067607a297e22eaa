// SPDX-License-Identifier: GPL-2.0-or-later
/* The longest stretches with interrupts off. */
#ifndef BOOTLAB_TRACE_IRQ_H
#define BOOTLAB_TRACE_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "trace-file.h"

struct irqs {
    bool on;
    uint64_t off_ns;
    uint32_t off_node;
    struct bootlab_irq_off longest[BOOTLAB_MAX_IRQ_OFF];
    uint32_t n_longest;
};
extern struct irqs irqs;

void irqs_keep(uint64_t now_ns, uint32_t node);

static inline void irqs_set(bool on, uint64_t now_ns, uint32_t node)
{
    if (on == irqs.on)
        return;
    irqs.on = on;
    if (on) {
        irqs_keep(now_ns, node);
    } else {
        irqs.off_ns = now_ns;
        irqs.off_node = node;
    }
}

#endif
