// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RISC-V, 64 bits, compressed instructions included. Which jumps are calls and returns: the hints for return address
 * stacks in the unprivileged manual, section 2.5, whose link registers the psABI uses: ra (x1) and t0 (x5).
 */
#include "decode.h"

#define MRET 0x30200073
#define SRET 0x10200073
#define MNRET 0x70200073
#define WFI 0x10500073
#define SSTATUS 0x100
#define SIE 2 /* of sstatus */

static bool is_link(uint32_t reg)
{
    return reg == 1 || reg == 5;
}

/* A jump from link register to link register (a coroutine's swap) leaves a return address, so it is a call too. */
static unsigned jump_register(uint32_t to_link, uint32_t from)
{
    return is_link(to_link) ? FLOW_CALL : is_link(from) ? FLOW_RETURN : FLOW_NONE;
}

static unsigned compressed(uint32_t h)
{
    uint32_t from = h >> 7 & 0x1f;
    if ((h & 0xe07f) != 0x8002 || !from) /* c.jr, c.jalr (bit 12) */
        return FLOW_NONE;
    return jump_register(h >> 12 & 1, from);
}

unsigned decode_riscv_flow(const uint8_t *b, size_t n)
{
    if (n == 2)
        return compressed(decode_half(b));
    if (n != 4)
        return FLOW_NONE;
    uint32_t w = decode_word(b), to_link = w >> 7 & 0x1f;
    if ((w & 0x7f) == 0x6f) /* jal */
        return is_link(to_link) ? FLOW_CALL : FLOW_NONE;
    if ((w & 0x707f) == 0x67) /* jalr */
        return jump_register(to_link, w >> 15 & 0x1f);
    if (w == SRET || w == MRET || w == MNRET)
        return FLOW_IRET;
    return w == WFI ? FLOW_HALT : FLOW_NONE;
}

/* The supervisor's interrupts: the kernel's. */
unsigned decode_riscv_irq(const uint8_t *b, size_t n)
{
    static const uint8_t of_register[4] = {IRQ_SAME, IRQ_AS, IRQ_ON_IF, IRQ_OFF_IF}; /* csrrw, csrrs, csrrc */
    if (n != 4)
        return IRQ_SAME;
    uint32_t w = decode_word(b), from = w >> 15 & 0x1f, write = w >> 12 & 3;
    if ((w & 0x7f) != 0x73 || w >> 20 != SSTATUS || !write || (write != 1 && !from))
        return IRQ_SAME;
    if (!(w >> 14 & 1))
        return of_register[write] | from << IRQ_REGISTER_SHIFT;
    bool on = from & SIE; /* the five bits are the value */
    return write == 1 ? (on ? IRQ_ON : IRQ_OFF) : !on ? IRQ_SAME : write == 2 ? IRQ_ON : IRQ_OFF;
}
