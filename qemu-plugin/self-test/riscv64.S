/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The firmware of QEMU's machine `virt`, in machine mode. Prints A; sleeps until the machine timer has counted 10000 ticks
 * (1 ms) and prints B; executes 2000 instructions and prints C; ends QEMU by the test device.
 */
.option norvc
    li s0, 0x10000000
    li a0, 'A'
    sb a0, 0(s0)
    li t0, 0x02004000
    li t1, 0x0200c000
    ld t2, -8(t1)
    li t3, 10000
    add t2, t2, t3
    sd t2, 0(t0)
    li t4, 0x80
    csrs mie, t4
    wfi
    csrw mie, zero
    li a0, 'B'
    sb a0, 0(s0)
    li a1, 1000
1:  addi a1, a1, -1
    bnez a1, 1b
    li a0, 'C'
    sb a0, 0(s0)
    li t0, 0x00100000
    li t1, 0x5555
    sw t1, 0(t0)
2:  wfi
    j 2b
