/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The firmware of QEMU's machine `virt` with a Cortex-A53 and a GICv2. Prints A; sleeps until the virtual timer has counted
 * 62500 ticks (1 ms) and prints B; executes 2000 instructions and prints C; ends QEMU by PSCI's SYSTEM_OFF.
 */
    mov x9, #0x08000000
    mov w0, #1
    str w0, [x9]
    mov w0, #(1 << 27)
    str w0, [x9, #0x100]
    mov x10, #0x08010000
    mov w0, #0xff
    str w0, [x10, #4]
    mov w0, #1
    str w0, [x10]
    mov x11, #0x09000000
    mov w0, #'A'
    str w0, [x11]
    mov x0, #62500
    msr cntv_tval_el0, x0
    mov x0, #1
    msr cntv_ctl_el0, x0
    isb
    wfi
    msr cntv_ctl_el0, xzr
    mov w0, #'B'
    str w0, [x11]
    mov x1, #1000
1:  subs x1, x1, #1
    b.ne 1b
    mov w0, #'C'
    str w0, [x11]
    movz w0, #0x0008
    movk w0, #0x8400, lsl #16
    hvc #0
2:  wfi
    b 2b
