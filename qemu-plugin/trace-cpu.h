// SPDX-License-Identifier: GPL-2.0-or-later
/* The processor: its decoders, and what its registers say that an instruction's bytes do not show. */
#ifndef BOOTLAB_TRACE_CPU_H
#define BOOTLAB_TRACE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decoder {
    unsigned (*flow)(const uint8_t *bytes, size_t n);
    unsigned (*irq)(const uint8_t *bytes, size_t n);
};

/* `target`: QEMU's name of the architecture. Returns why it cannot be traced, or NULL. */
const char *cpu_open(const char *target);

/*
 * The decoder of the block that is being translated. ARM code does not show whether it is A32 or T32: the same bytes can
 * be both. QEMU translates a block when the processor has come to it, so that the processor's T bit is the block's.
 */
const struct decoder *cpu_decoder(void);

/* Whether interrupts are on behind an instruction of this enum irq_change (IRQ_STATUS and following). */
bool cpu_irqs_on(unsigned change, bool were_on);

#endif
