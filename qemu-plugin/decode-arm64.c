// SPDX-License-Identifier: GPL-2.0-or-later
/* AArch64. Source: Arm ARM (DDI 0487), C4.1 "A64 instruction set encoding", branches, exceptions and system. */
#include "decode.h"

#define WFE 0xd503205f
#define WFI 0xd503207f
#define WFET 0xd5031000 /* and WFIT, which is the next; the register is in the low five bits */
#define DAIF_I 2        /* of the immediate of DAIFSet and DAIFClr */

unsigned decode_arm64_flow(const uint8_t *b, size_t n)
{
    if (n != 4)
        return FLOW_NONE;
    uint32_t w = decode_word(b);
    if (w >> 26 == 0x25) /* bl */
        return FLOW_CALL;
    if (w == WFI || w == WFE || (w & 0xffffffc0) == WFET)
        return FLOW_HALT;
    if ((w & 0xfe1f0000) != 0xd61f0000) /* branch to a register */
        return FLOW_NONE;
    bool plain = (w & 0xffff) >> 10 == 0 && (w & 0x1f) == 0;
    bool signed_zero = (w >> 11 & 0x1f) == 1 && (w & 0x1f) == 0x1f; /* ...AAZ, ...ABZ, RETAA, RETAB, ERETAA, ERETAB */
    switch (w >> 21 & 0xf) {
    case 1:
        return plain || signed_zero ? FLOW_CALL : FLOW_NONE;
    case 9: /* blraa, blrab */
        return (w >> 11 & 0x1f) == 1 ? FLOW_CALL : FLOW_NONE;
    case 2:
        return plain || (signed_zero && (w >> 5 & 0x1f) == 0x1f) ? FLOW_RETURN : FLOW_NONE;
    case 4:
        return (plain || signed_zero) && (w >> 5 & 0x1f) == 0x1f ? FLOW_IRET : FLOW_NONE;
    default:
        return FLOW_NONE;
    }
}

unsigned decode_arm64_irq(const uint8_t *b, size_t n)
{
    if (n != 4)
        return IRQ_SAME;
    uint32_t w = decode_word(b);
    bool interrupts = w >> 8 & DAIF_I;
    if ((w & 0xfffff0ff) == 0xd50340df) /* msr daifset, #imm */
        return interrupts ? IRQ_OFF : IRQ_SAME;
    if ((w & 0xfffff0ff) == 0xd50340ff) /* msr daifclr, #imm */
        return interrupts ? IRQ_ON : IRQ_SAME;
    return (w & 0xffffffe0) == 0xd51b4220 ? IRQ_STATUS : IRQ_SAME; /* msr daif, Xt */
}
