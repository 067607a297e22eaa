// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-irq.h"

int stretches_shift;
struct stretches irqs;
struct stretches preemption = {.on = true};
struct stretches turns = {.on = true};

/* A heap of the longest with the shortest of them at its root. */
static void sink(struct stretches *s, uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->n_longest; child++)
            if (s->longest[child].length_ns < s->longest[least].length_ns)
                least = child;
        if (least == at)
            return;
        struct bootlab_stretch kept = s->longest[at];
        s->longest[at] = s->longest[least];
        s->longest[least] = kept;
        at = least;
    }
}

void stretches_keep(struct stretches *s, uint64_t now_ns, uint32_t node)
{
    struct bootlab_stretch stretch = {
        .start_ns = s->off_ns,
        .length_ns = now_ns - s->off_ns,
        .start_node = s->off_node,
        .end_node = node,
        .most_ns = s->most_insns << stretches_shift,
        .most_node = s->most_node,
    };
    if (s->n_longest < BOOTLAB_MAX_STRETCHES) {
        s->longest[s->n_longest++] = stretch;
        if (s->n_longest == BOOTLAB_MAX_STRETCHES)
            for (uint32_t at = BOOTLAB_MAX_STRETCHES / 2; at-- > 0;)
                sink(s, at);
    } else if (stretch.length_ns > s->longest[0].length_ns) {
        s->longest[0] = stretch;
        sink(s, 0);
    }
}

void stretches_restart(struct stretches *s, uint64_t now_ns)
{
    s->n_longest = 0;
    s->off_ns = now_ns;
}
