// SPDX-License-Identifier: GPL-2.0-or-later
/* x86, all modes. Source: Intel SDM vol. 2, appendix A (opcode maps). */
#include "decode.h"

static size_t skip_prefixes(const uint8_t *b, size_t n)
{
    size_t i = 0;
    while (i < n && (b[i] == 0x66 || b[i] == 0x67 || b[i] == 0xf0 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x2e ||
                     b[i] == 0x36 || b[i] == 0x3e || b[i] == 0x26 || b[i] == 0x64 || b[i] == 0x65))
        i++;
    /* REX: in 32-bit code 40..4f are inc and dec, which end no block with what follows. */
    if (i + 1 < n && (b[i] & 0xf0) == 0x40)
        i++;
    return i;
}

unsigned decode_x86_flow(const uint8_t *b, size_t n)
{
    size_t i = skip_prefixes(b, n);
    if (i >= n)
        return FLOW_NONE;
    switch (b[i]) {
    case 0xe8:
    case 0x9a:
        return FLOW_CALL;
    case 0xff: /* group 5: /2 call, /3 far call */
        return i + 1 < n && (((b[i + 1] >> 3) & 7) == 2 || ((b[i + 1] >> 3) & 7) == 3) ? FLOW_CALL : FLOW_NONE;
    case 0xc2:
    case 0xc3:
    case 0xca:
    case 0xcb:
        return FLOW_RETURN;
    case 0xcf:
        return FLOW_IRET;
    case 0xf4:
        return FLOW_HALT;
    case 0x0f:
        if (i + 1 >= n)
            return FLOW_NONE;
        if (b[i + 1] == 0x07 || b[i + 1] == 0x35) /* sysret, sysexit */
            return FLOW_IRET;
        if (b[i + 1] == 0x01 && i + 2 < n && b[i + 2] == 0xc9) /* mwait */
            return FLOW_HALT;
        return FLOW_NONE;
    default:
        return FLOW_NONE;
    }
}

/* Kernels before 5.12 restore the interrupt flag by popf (asm/irqflags.h), whose value only the processor knows. */
unsigned decode_x86_irq(const uint8_t *b, size_t n)
{
    if (n != 1)
        return IRQ_SAME;
    if (b[0] == 0x9d)
        return IRQ_STATUS;
    return b[0] == 0xfa ? IRQ_OFF : b[0] == 0xfb ? IRQ_ON : IRQ_SAME;
}
