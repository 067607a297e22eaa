# SPDX-License-Identifier: MIT
"""Kernels of some fifty instructions that keep a preemption count as Linux does, in the thread_info of two tasks.

`spin` loops; between two stores on the count lie 2 N + 4 instructions. The tasks switch as Linux's do: first the
registers of the one that ran are stored, then those of the next are loaded, from another distance. Up to the second
switch nothing shows where the second task's thread_info lies. What is stored on the count of a task that does not run
counts for nothing.
"""

from tests.trace.bare_metal import ARM_HEAD

SEEN_LOOPS = (1000, 700, 300)
"""How often `spin` goes round in each stretch that a trace tells, the longest first."""

CONFIG = "CONFIG_PREEMPT_COUNT=y\nCONFIG_THREAD_INFO_IN_TASK=y\n"

_ARM64 = """
    .globl _text, start_kernel, init_task
    .set init_task, 0x40400000
    .section .head, "ax"
_text:
    b _stext
    .space 4
    .quad 0, 0x10000, 0
    .org 0x38
    .ascii "ARM\\x64"
    .org 0x80
    .asciz "Linux version 6.1.0 (x) #1"
    .text
    .type spin, %function
spin:
    subs x0, x0, #1
    b.ne spin
    ret
cpu_switch_to:
    str x9, [x0, #0x100]
    ldr x9, [x1, #0x108]
    ret
put:
    str w0, [x19]
    ret
    .macro held task, loops
    str w21, [\\task, #8]
    mov x0, #\\loops
    bl spin
    str w22, [\\task, #8]
    .endm
    .macro switch from, to
    mov x0, \\from
    mov x1, \\to
    bl cpu_switch_to
    .endm
_stext:
start_kernel:
    mov x19, #0x09000000
    mov x24, #0x40400000
    mov x25, #0x40500000
    mov w21, #1
    mov w22, #0
    held x24, 1000
    held x25, 900
    switch x24, x25
    held x25, 500
    switch x25, x24
    held x24, 300
    switch x24, x25
    held x25, 700
    switch x25, x24
    adr x20, text
2:  ldrb w0, [x20], #1
    cbz w0, 3f
    bl put
    b 2b
3:  wfi
    b 3b
_etext:
text: .asciz "done\\n"
"""

_ARM = """
    .arm
    .globl init_task
    .set init_task, 0x40400000
_text:
_stext:
start_kernel:
    b begin
    .asciz "Linux version 6.1.0 (x) #1"
    .balign 4
spin:
    subs r0, r0, #1
    bne spin
    bx lr
__switch_to:
    str r3, [r0, #0x100]
    ldr r3, [r1, #0x108]
    bx lr
put:
    str r0, [r8]
    bx lr
    .macro held task, loops
    str r4, [\\task, #4]
    mov r0, #\\loops
    bl spin
    str r5, [\\task, #4]
    .endm
    .macro switch from, to
    mov r0, \\from
    mov r1, \\to
    bl __switch_to
    .endm
begin:
    ldr r8, =0x09000000
    ldr r6, =0x40400000
    ldr r7, =0x40500000
    mov r4, #1
    mov r5, #0
    held r6, 1000
    held r7, 900
    switch r6, r7
    held r7, 500
    switch r7, r6
    held r6, 300
    switch r6, r7
    held r7, 700
    switch r7, r6
    adr r9, text
2:  ldrb r0, [r9], #1
    cmp r0, #0
    blne put
    bne 2b
3:  wfi
    b 3b
    .ltorg
_etext:
text: .asciz "done\\n"
    .balign 16
stack:
    .space 16
"""

_RISCV = """
    .globl _text, start_kernel, init_task
    .set init_task, 0x80400000
    .section .head, "ax"
    .option norvc
_text:
    j _stext
    .space 4
    .quad 0, 0x10000, 0
    .org 0x38
    .ascii "RSC\\x05"
    .org 0x80
    .asciz "Linux version 6.1.0 (x) #1"
    .text
spin:
    addi a0, a0, -1
    bnez a0, spin
    ret
__switch_to:
    sd t1, 0x100(a0)
    ld t1, 0x108(a1)
    mv tp, a1
    ret
put:
    sb a0, 0(s3)
    ret
    .macro held loops
    sw s5, 8(tp)
    li a0, \\loops
    jal spin
    sw zero, 8(tp)
    .endm
    .macro switch from, to
    mv a0, \\from
    mv a1, \\to
    jal __switch_to
    .endm
_stext:
start_kernel:
    li s3, 0x10000000
    li s6, 0x80400000
    li s7, 0x80500000
    li s5, 1
    mv tp, s6
    held 1000
    sw s5, 8(s7)
    switch s6, s7
    held 500
    switch s7, s6
    held 300
    switch s6, s7
    held 700
    switch s7, s6
    lla s4, text
2:  lbu a0, 0(s4)
    addi s4, s4, 1
    beqz a0, 3f
    jal put
    j 2b
3:  wfi
    j 3b
_etext:
text: .asciz "done\\n"
"""
SOURCES = {"arm64": _ARM64, "arm": ARM_HEAD + _ARM, "riscv64": _RISCV}
