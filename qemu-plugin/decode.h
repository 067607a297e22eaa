// SPDX-License-Identifier: GPL-2.0-or-later
/* What the last instruction of a block does to the flow of control; one file an architecture. */
#ifndef BOOTLAB_DECODE_H
#define BOOTLAB_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flow {
    FLOW_NONE, /* falls through or jumps */
    FLOW_CALL, /* leaves the address after it as the place to return to */
    FLOW_RETURN,
    FLOW_IRET, /* leaves an exception, an interrupt or a system call */
    FLOW_HALT, /* waits for an interrupt */
};

enum irq_change { IRQ_SAME, IRQ_OFF, IRQ_ON };

enum flow decode_x86_flow(const uint8_t *bytes, size_t n);
enum irq_change decode_x86_irq(const uint8_t *bytes, size_t n);

#endif
