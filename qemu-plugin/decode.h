// SPDX-License-Identifier: GPL-2.0-or-later
/* What the last instruction of a block does to the flow of control; one file an instruction set. */
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
    FLOW_KIND = 7,
    FLOW_IF = 8, /* or nothing of the kind happens, and the next instruction is the one after it */
};

/* What an instruction does to the processor's interrupt mask. */
enum irq_change {
    IRQ_SAME,
    IRQ_OFF,
    IRQ_ON,
    IRQ_STATUS,     /* the processor's status register says, once it is executed */
    IRQ_ON_IF,      /* on when the interrupt bit is set in the register of IRQ_REGISTER */
    IRQ_OFF_IF,     /* off when it is set there */
    IRQ_AS,         /* on when it is set there, off when not */
    IRQ_CHANGE = 7,
};
#define IRQ_REGISTER_SHIFT 3

/* `n` is an instruction's whole length. Return enum flow (with FLOW_IF or not) and enum irq_change with its register. */
unsigned decode_x86_flow(const uint8_t *bytes, size_t n);
unsigned decode_x86_irq(const uint8_t *bytes, size_t n);
unsigned decode_arm64_flow(const uint8_t *bytes, size_t n);
unsigned decode_arm64_irq(const uint8_t *bytes, size_t n);
unsigned decode_a32_flow(const uint8_t *bytes, size_t n);
unsigned decode_a32_irq(const uint8_t *bytes, size_t n);
unsigned decode_t32_flow(const uint8_t *bytes, size_t n);
unsigned decode_t32_irq(const uint8_t *bytes, size_t n);
unsigned decode_riscv_flow(const uint8_t *bytes, size_t n);
unsigned decode_riscv_irq(const uint8_t *bytes, size_t n);

/* Instructions are little endian on every architecture here. */
static inline uint32_t decode_word(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint32_t decode_half(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

#endif
