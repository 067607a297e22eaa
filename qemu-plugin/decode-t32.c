// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ARM's Thumb-2 instruction set. Source: Arm ARM for ARMv7-A (DDI 0406), chapter A6 and section B9.3.
 *
 * Whether an instruction depends on a condition stands in an IT instruction before it, which may be in another block: all
 * are taken for conditional. That costs nothing, for no call and no return goes to the address after it.
 */
#include "decode.h"

#define LR 14

static unsigned narrow(uint32_t h)
{
    if ((h & 0xff87) == 0x4780) /* blx Rm */
        return FLOW_CALL;
    if ((h & 0xff87) == 0x4700 || (h & 0xff87) == 0x4687) /* bx Rm, mov pc, Rm */
        return (h >> 3 & 0xf) == LR ? FLOW_RETURN : FLOW_NONE;
    if ((h & 0xff00) == 0xbd00) /* pop {..., pc} */
        return FLOW_RETURN;
    return h == 0xbf20 || h == 0xbf30 ? FLOW_HALT : FLOW_NONE; /* wfe, wfi */
}

static unsigned wide(uint32_t first, uint32_t second)
{
    if ((first & 0xf800) == 0xf000 && (second & 0xc000) == 0xc000) /* bl, blx label; bit 12 clear: blx */
        return second & 0x1000 || !(second & 1) ? FLOW_CALL : FLOW_NONE;
    if (((first & 0xffd0) == 0xe890 || (first & 0xffd0) == 0xe910) && second & 0x8000) /* ldm with pc */
        return FLOW_RETURN;
    if (first == 0xf85d && (second & 0xff00) == 0xfb00) /* ldr pc, [sp], #n */
        return FLOW_RETURN;
    if (first == 0xf3de && (second & 0xff00) == 0x8f00) /* subs pc, lr, #n; n = 0: eret */
        return FLOW_IRET;
    if (((first & 0xffd0) == 0xe810 || (first & 0xffd0) == 0xe990) && second == 0xc000) /* rfe */
        return FLOW_IRET;
    if ((first == 0xf3af && (second & 0xfffe) == 0x8002) /* wfe.w, wfi.w */
        || (first == 0xee07 && (second & 0x0fff) == 0x0f90)) /* ARMv6's wfi */
        return FLOW_HALT;
    return FLOW_NONE;
}

unsigned decode_t32_flow(const uint8_t *b, size_t n)
{
    unsigned flow = n == 2 ? narrow(decode_half(b)) : n == 4 ? wide(decode_half(b), decode_half(b + 2)) : FLOW_NONE;
    return flow == FLOW_NONE || flow == FLOW_HALT ? flow : flow | FLOW_IF;
}

unsigned decode_t32_irq(const uint8_t *b, size_t n)
{
    if (n == 2) { /* cpsie, cpsid (bit 4) */
        uint32_t h = decode_half(b);
        return (h & 0xffe8) != 0xb660 || !(h & 2) ? IRQ_SAME : h & 0x10 ? IRQ_OFF : IRQ_ON;
    }
    if (n != 4)
        return IRQ_SAME;
    uint32_t first = decode_half(b), second = decode_half(b + 2);
    if (first == 0xf3af && (second & 0xfc00) == 0x8400) /* cpsie.w, cpsid.w (bit 9) */
        return !(second & 0x40) ? IRQ_SAME : second & 0x200 ? IRQ_OFF : IRQ_ON;
    return (first & 0xfff0) == 0xf380 && (second & 0xf1ff) == 0x8100 ? IRQ_STATUS : IRQ_SAME; /* msr cpsr_c, Rn */
}
