/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The firmware of a PC (machine `pc`, 64 KiB, the reset vector 16 bytes before its end), in 16-bit code. Prints A; sleeps
 * until the interval timer has counted 4096 ticks and prints B; executes 1000 instructions and prints C; has the disk read
 * its first sector, asks until it is not busy, prints the sector's first byte; ends QEMU by isa-debug-exit.
 */
.code16
start:
    cli
    xor %ax, %ax
    mov %ax, %ds
    mov %ax, %ss
    mov $0x7000, %sp
    movw $(handler - start), 0x20
    movw $0xf000, 0x22
    mov $0x11, %al          /* 8259A: edge triggered, cascade, ICW4; vector 8; only the timer */
    out %al, $0x20
    mov $0x08, %al
    out %al, $0x21
    mov $0x04, %al
    out %al, $0x21
    mov $0x01, %al
    out %al, $0x21
    mov $0xfe, %al
    out %al, $0x21
    mov $0x3f8, %dx
    mov $'A', %al
    out %al, %dx
    mov $0x30, %al          /* 8254: counter 0, both bytes, mode 0 */
    out %al, $0x43
    mov $0x00, %al
    out %al, $0x40
    mov $0x10, %al
    out %al, $0x40
    sti
    hlt
    cli
    mov $'B', %al
    out %al, %dx
    mov $1000, %cx
1:  loop 1b
    mov $'C', %al
    out %al, %dx
    mov $0x1f6, %dx         /* ATA: first disk, one sector from block 0 */
    mov $0xe0, %al
    out %al, %dx
    mov $0x1f2, %dx
    mov $1, %al
    out %al, %dx
    mov $0, %al
    inc %dx
    out %al, %dx
    inc %dx
    out %al, %dx
    inc %dx
    out %al, %dx
    mov $0x1f7, %dx
    mov $0x20, %al
    out %al, %dx
2:  in %dx, %al
    test $0x80, %al
    jnz 2b
    mov $0x1f0, %dx
    in %dx, %ax
    mov $0x3f8, %dx
    out %al, %dx
    mov $0, %al
    out %al, $0xf4
3:  hlt
    jmp 3b
handler:
    push %ax
    mov $0x20, %al
    out %al, $0x20
    pop %ax
    iret
