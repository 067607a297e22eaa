/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Firmware of a PC (64 KiB, machine `pc`, no APIC). 200 times: executes a loop of 1000 instructions, sleeps until the interval
 * timer has counted 2048 ticks. Then prints the time-stamp counter, which is the virtual clock under -icount, as 16
 * hexadecimal digits, and ends QEMU by isa-debug-exit.
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
    mov $0x11, %al          /* 8259A */
    out %al, $0x20
    mov $0x08, %al
    out %al, $0x21
    mov $0x04, %al
    out %al, $0x21
    mov $0x01, %al
    out %al, $0x21
    mov $0xfe, %al
    out %al, $0x21
    mov $200, %bp
again:
    mov $0x30, %al          /* 8254, counter 0, mode 0 */
    out %al, $0x43
    mov $0x00, %al
    out %al, $0x40
    mov $0x08, %al
    out %al, $0x40
    mov $1000, %cx
1:  loop 1b
    sti
    hlt
    cli
    dec %bp
    jnz again
    rdtsc
    mov %eax, %esi
    mov %edx, %edi
    mov $0x3f8, %dx
    mov $16, %bp
2:  mov %edi, %eax
    shr $28, %eax
    add $'0', %al
    cmp $'9', %al
    jbe 3f
    add $('a' - '9' - 1), %al
3:  out %al, %dx
    shld $4, %esi, %edi
    shl $4, %esi
    dec %bp
    jnz 2b
    mov $'\n', %al
    out %al, %dx
    mov $0, %al
    out %al, $0xf4
4:  hlt
    jmp 4b
handler:
    push %ax
    mov $0x20, %al
    out %al, $0x20
    pop %ax
    iret
. = 0xfff0
    ljmp $0xf000, $0
. = 0x10000
