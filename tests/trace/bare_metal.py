# SPDX-License-Identifier: MIT
"""Kernels of a few dozen instructions whose calls can be counted by hand, assembled by the cross compilers.

All do the same: `_stext` calls `outer` three times; that calls `leaf` twice (on ARM once through `thumb_leaf`, by an
instruction with a condition) and leaves by a jump to `last`. Then it makes two exceptions, whose handler calls
`handled` once each. Then it writes `done` to the serial port, byte by byte by `put`, and idles. On ARM `outer` is T32
and `leaf` A32.
"""

import shutil
import subprocess

import pytest

PREFIX = {"arm": "arm-linux-gnueabihf", "arm64": "aarch64-linux-gnu", "riscv64": "riscv64-linux-gnu"}
LINKED = {"arm": 0xC0008000, "arm64": 0xFFFF800008000000, "riscv64": 0xFFFFFFFF80000000}
# Up to the goal, which is the last letter's store: the first instruction of the fourth call of `put`.
CALLS = {"outer": 3, "leaf": 6, "last": 3, "handled": 2, "put": len("done") - 1}

_ARM64 = """
    .globl _text, start_kernel
    .section .head, "ax"
_text:
    b _stext
    .space 4
    .quad 0, 0x10000, 0
    .org 0x38
    .ascii "ARM\\x64"
    .text
    .type leaf, %function
leaf:
    mov x9, #1
    ret
last:
    add x10, x10, #1
    ret
outer:
    stp x29, x30, [sp, #-16]!
    bl leaf
    adr x9, leaf
    blr x9
    ldp x29, x30, [sp], #16
    b last
handled:
    ret
put:
    str w0, [x19]
    ret
    .balign 0x800
vectors:
    .space 0x200
    stp x29, x30, [sp, #-16]!
    b el1h_64_sync
    .balign 0x800
el1h_64_sync:
    bl handled
    ldp x29, x30, [sp], #16
    eret
_stext:
start_kernel:
    adr x0, stack
    add x0, x0, #0x1000
    mov sp, x0
    adr x0, vectors
    msr vbar_el1, x0
    mov x19, #0x09000000
    mov x20, #3
1:  bl outer
    subs x20, x20, #1
    b.ne 1b
    svc #0
    svc #1
    adr x20, text
2:  ldrb w0, [x20], #1
    cbz w0, 3f
    bl put
    b 2b
3:  wfi
    b 3b
_etext:
text: .asciz "done\\n"
    .balign 16
stack:
    .space 0x1000
"""

ARM_HEAD = """
    .syntax unified
    .arch armv7-a
    .globl _text, start_kernel
    .text
    .arm
    b unpack
    .org 0x24
    .word 0x016f2818, 0, 0x4000
unpack:                     @ the decompressor's part: the kernel lies at 0x8000 behind the start of RAM
    adr r4, _stext
    ldr r5, =0x40008000
    adr r6, stack
1:  ldr r7, [r4], #4
    str r7, [r5], #4
    cmp r4, r6
    blo 1b
    ldr pc, =0x40008000
    .ltorg
    .org 0x80
"""
_ARM = """
    .arm
_text:
_stext:
start_kernel:
    b begin
    .balign 32
vectors:
    b vectors
    b vectors
    b vector_swi
    b vectors
    b vectors
    b vectors
    b vectors
    b vectors
vector_swi:
    push {r0, lr}
    bl handled
    pop {r0, lr}
    movs pc, lr
begin:
    adr sp, stack
    add sp, sp, #0x1000
    adr r0, vectors
    mcr p15, 0, r0, c12, c0, 0
    ldr r8, =0x09000000
    adr r9, text
    mov r10, #3
1:  blx outer
    subs r10, r10, #1
    bne 1b
    svc #0
    svc #1
2:  ldrb r0, [r9], #1
    cmp r0, #0
    blne put
    bne 2b
3:  wfi
    b 3b
    .ltorg
put:
    str r0, [r8]
    bx lr
handled:
    mov pc, lr
leaf:
    mov r3, #1
    bx lr
    .thumb
    .thumb_func
outer:
    push {r4, lr}
    blx leaf
    movs r3, #1
    cmp r3, #1
    itt eq
    moveq r4, #0
    bleq thumb_leaf
    pop.w {r4, lr}
    b.w last
    .thumb_func
thumb_leaf:
    push {r4, lr}
    blx leaf
    pop {r4, pc}
    .thumb_func
last:
    bx lr
    .balign 4
_etext:
text: .asciz "done\\n"
    .balign 16
stack:
    .space 0x1000
"""

_RISCV = """
    .globl _text, start_kernel
    .section .head, "ax"
    .option norvc
_text:
    j _stext
    .space 4
    .quad 0, 0x10000, 0
    .org 0x38
    .ascii "RSC\\x05"
    .text
    .option rvc
leaf:
    li t1, 1
    ret
last:
    ret
outer:
    addi sp, sp, -16
    sd ra, 8(sp)
    call leaf
    lla t1, leaf
    jalr t1
    ld ra, 8(sp)
    addi sp, sp, 16
    tail last
handled:
    ret
put:
    sb a0, 0(s3)
    ret
    .balign 4
handle_exception:
    csrr t0, sepc
    addi t0, t0, 4
    csrw sepc, t0
    lla ra, ret_from_exception
    lla t0, do_trap
    jr t0
do_trap:
    addi sp, sp, -16
    sd ra, 8(sp)
    call handled
    ld ra, 8(sp)
    addi sp, sp, 16
    ret
ret_from_exception:
    sret
_stext:
start_kernel:
    lla sp, stack_end
    lla t0, handle_exception
    csrw stvec, t0
    li s3, 0x10000000
    li s4, 3
1:  call outer
    addi s4, s4, -1
    bnez s4, 1b
    .option push
    .option norvc
    ebreak
    ebreak
    .option pop
    lla s4, text
2:  lbu a0, 0(s4)
    addi s4, s4, 1
    beqz a0, 3f
    call put
    j 2b
3:  wfi
    j 3b
_etext:
text: .asciz "done\\n"
    .balign 16
stack:
    .space 0x1000
stack_end:
"""
_SOURCES = {"arm64": _ARM64, "arm": ARM_HEAD + _ARM, "riscv64": _RISCV}


def build(place, arch, source_text=""):
    """Write image and System.map, of this source or of the one above; skip without the cross compiler."""
    prefix = PREFIX[arch]
    if shutil.which(f"{prefix}-gcc") is None:
        pytest.skip(f"{prefix}-gcc is not installed: scripts/setup-debian.sh boards")
    source, linked, image = place / f"{arch}.S", place / f"{arch}.elf", place / f"{arch}.img"
    source.write_text(source_text or _SOURCES[arch])
    # The zImage's head lies before the kernel and is not a part of it.
    text_at = LINKED[arch] - (0x80 if arch == "arm" else 0)
    script = place / f"{arch}.lds"
    script.write_text(f"SECTIONS {{ . = {text_at:#x}; .text : {{ *(.head) *(.text) }} /DISCARD/ : {{ *(*) }} }}\n")
    flags = ["-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,--no-relax", f"-Wl,-T,{script}", "-Wl,--no-warn-rwx"]
    subprocess.run([f"{prefix}-gcc", *flags, "-o", linked, source], check=True, capture_output=True)
    subprocess.run([f"{prefix}-objcopy", "-O", "binary", linked, image], check=True)
    found = subprocess.run([f"{prefix}-nm", "-n", linked], check=True, capture_output=True, text=True).stdout
    table = place / f"{arch}.map"
    table.write_text(found)
    return image, table
