// SPDX-License-Identifier: GPL-2.0-or-later
/* ARM's 32-bit instruction set. Source: Arm ARM for ARMv7-A (DDI 0406), chapter A5 and section B9.3. */
#include "decode.h"

#define LR 14
#define PC 15

/* Instructions without a condition. */
static unsigned unconditional(uint32_t w)
{
    if ((w & 0xfe000000) == 0xfa000000) /* blx label */
        return FLOW_CALL;
    if ((w & 0xfe50ffff) == 0xf8100a00) /* rfe */
        return FLOW_IRET;
    return FLOW_NONE;
}

static bool is_halt(uint32_t w)
{
    return (w & 0x0ffffffe) == 0x0320f002    /* wfe, wfi */
           || (w & 0x0fff0fff) == 0x0e070f90; /* mcr p15, 0, Rt, c7, c0, 4: ARMv6's wfi */
}

static unsigned data_processing(uint32_t w)
{
    uint32_t opcode = w >> 21 & 0xf;
    bool sets_flags = w >> 20 & 1;
    /* Bits 7 and 4 set: multiplications and odd loads. Compares have no destination; without S: miscellaneous. */
    if ((w & 0x02000090) == 0x90 || (opcode >= 8 && opcode < 12) || (w >> 12 & 0xf) != PC)
        return FLOW_NONE;
    if (sets_flags)
        return FLOW_IRET; /* the status register is that of the interrupted mode */
    return (w & 0x0fffffff) == 0x01a0f00e ? FLOW_RETURN : FLOW_NONE; /* mov pc, lr; any other is a jump */
}

static unsigned kind(uint32_t w)
{
    if ((w & 0x0f000000) == 0x0b000000 || (w & 0x0ffffff0) == 0x012fff30) /* bl, blx Rm */
        return FLOW_CALL;
    if ((w & 0x0fffffd0) == 0x012fff10) /* bx, bxj */
        return (w & 0xf) == LR && !(w & 0x20) ? FLOW_RETURN : FLOW_NONE;
    if ((w & 0x0fffffff) == 0x0160006e) /* eret */
        return FLOW_IRET;
    if ((w & 0x0e108000) == 0x08108000) /* ldm with pc; ^: with the status register */
        return w & 0x00400000 ? FLOW_IRET : FLOW_RETURN;
    if ((w & 0x0ffff000) == 0x049df000) /* ldr pc, [sp], #n */
        return FLOW_RETURN;
    return (w & 0x0c000000) == 0 ? data_processing(w) : FLOW_NONE;
}

unsigned decode_a32_flow(const uint8_t *b, size_t n)
{
    if (n != 4)
        return FLOW_NONE;
    uint32_t w = decode_word(b), condition = w >> 28;
    if (condition == 0xf)
        return unconditional(w);
    if (is_halt(w))
        return FLOW_HALT;
    unsigned flow = kind(w);
    return flow == FLOW_NONE || condition == 0xe ? flow : flow | FLOW_IF;
}

unsigned decode_a32_irq(const uint8_t *b, size_t n)
{
    if (n != 4)
        return IRQ_SAME;
    uint32_t w = decode_word(b);
    if ((w & 0xfff9fe20) == 0xf1080000) /* cpsie, cpsid (bit 18) */
        return !(w & 0x80) ? IRQ_SAME : w & 0x40000 ? IRQ_OFF : IRQ_ON;
    /* msr cpsr_c with a register or an immediate */
    bool writes = (w & 0x0ff1fff0) == 0x0121f000 || (w & 0x0ff1f000) == 0x0321f000;
    return writes && w >> 28 != 0xf ? IRQ_STATUS : IRQ_SAME;
}
