/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As arm64.S, for a Cortex-A15. */
.arch armv7-a
.arch_extension virt
.arm
    mov r9, #0x08000000
    mov r0, #1
    str r0, [r9]
    mov r0, #(1 << 27)
    str r0, [r9, #0x100]
    add r10, r9, #0x10000
    mov r0, #0xff
    str r0, [r10, #4]
    mov r0, #1
    str r0, [r10]
    mov r11, #0x09000000
    mov r0, #'A'
    str r0, [r11]
    movw r0, #62500
    mcr p15, 0, r0, c14, c3, 0
    mov r0, #1
    mcr p15, 0, r0, c14, c3, 1
    isb
    wfi
    mov r0, #0
    mcr p15, 0, r0, c14, c3, 1
    mov r0, #'B'
    str r0, [r11]
    mov r1, #1000
1:  subs r1, r1, #1
    bne 1b
    mov r0, #'C'
    str r0, [r11]
    movw r0, #0x0008
    movt r0, #0x8400
    hvc #0
2:  wfi
    b 2b
