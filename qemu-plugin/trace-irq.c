// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-irq.h"

struct irqs irqs;

/* A heap of the longest with the shortest of them at its root. */
static void sink(uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < irqs.n_longest; child++)
            if (irqs.longest[child].length_ns < irqs.longest[least].length_ns)
                least = child;
        if (least == at)
            return;
        struct bootlab_irq_off kept = irqs.longest[at];
        irqs.longest[at] = irqs.longest[least];
        irqs.longest[least] = kept;
        at = least;
    }
}

void irqs_keep(uint64_t now_ns, uint32_t node)
{
    struct bootlab_irq_off stretch = {irqs.off_ns, now_ns - irqs.off_ns, irqs.off_node, node};
    if (irqs.n_longest < BOOTLAB_MAX_IRQ_OFF) {
        irqs.longest[irqs.n_longest++] = stretch;
        if (irqs.n_longest == BOOTLAB_MAX_IRQ_OFF)
            for (uint32_t at = BOOTLAB_MAX_IRQ_OFF / 2; at-- > 0;)
                sink(at);
    } else if (stretch.length_ns > irqs.longest[0].length_ns) {
        irqs.longest[0] = stretch;
        sink(0);
    }
}
