// SPDX-License-Identifier: MIT
/*
 * Instructions by what they do, in each assembler's words. %0 to %7: general registers; %8: an odd number; %9: memory
 * of a page. Vectors and floating point: registers 0 to 7; number 6 holds 3.3, number 7 its inverse (FLOAT_LOAD: %1 is the page).
 */
#ifndef WORDS_H
#define WORDS_H

#if defined(__x86_64__)
#define ADD(d) "add %8, %" #d "\n"
#define MOVE(d, s) "mov %" #s ", %" #d "\n"
#define SHIFT(d) "rol $5, %" #d "\n"
#define MULTIPLY(d) "imul %8, %" #d "\n"
#define DIVIDE(d) "mov %8, %%rax\nxor %%edx, %%edx\ndiv %" #d "\nmov %%rax, %" #d "\n"
#define DIVIDE_CHANGES "rax", "rdx"
#define LOAD(d, at) "mov " #at "(%9), %" #d "\n"
#define STORE(s, at) "mov %" #s ", " #at "(%9)\n"
#define BEFORE_SKIPS "test %0, %0\n"
#define SKIP "je 9f\n"
#define JUMP "jmp 1f\n1:\n"
#define ATOMIC "lock xadd %0, (%9)\n"
#define ATOMIC_INSTRUCTIONS 1
#define VECTOR(d) "paddd %%xmm" #d ", %%xmm" #d "\n"
#define FLOAT_ADD(d) "addsd %%xmm7, %%xmm" #d "\n"
#define FLOAT_MULTIPLY(d) "mulsd %%xmm6, %%xmm" #d "\nmulsd %%xmm7, %%xmm" #d "\n"
#define FLOAT_DIVIDE(d) "divsd %%xmm6, %%xmm" #d "\ndivsd %%xmm7, %%xmm" #d "\n"
#define FLOAT_LOAD(d, at) "movsd " #at "(%1), %%xmm" #d "\n"
#define AES(d) "aesenc %%xmm7, %%xmm" #d "\n"
#define CRC(d) "crc32q %8, %" #d "\n"
#define FLOATS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#define UNLESS(value, place) __asm__ goto("test %0, %0\njne %l1" : : "r"(value) : "cc" : place)
#elif defined(__aarch64__)
#define ADD(d) "add %" #d ", %" #d ", %8\n"
#define MOVE(d, s) "mov %" #d ", %" #s "\n"
#define SHIFT(d) "add %" #d ", %8, %" #d ", lsl #3\n"
#define MULTIPLY(d) "mul %" #d ", %" #d ", %8\n"
#define DIVIDE(d) "udiv %" #d ", %8, %" #d "\n"
#define LOAD(d, at) "ldr %" #d ", [%9, #" #at "]\n"
#define STORE(s, at) "str %" #s ", [%9, #" #at "]\n"
#define BEFORE_SKIPS ""
#define SKIP "cbz %0, 9f\n"
#define JUMP "b 1f\n1:\n"
#define ATOMIC "2: ldxr %0, [%9]\nstxr %w1, %0, [%9]\ncbnz %w1, 2b\n"
#define ATOMIC_INSTRUCTIONS 2
#define VECTOR(d) "add v" #d ".4s, v" #d ".4s, v" #d ".4s\n"
#define FLOAT_ADD(d) "fadd d" #d ", d" #d ", d7\n"
#define FLOAT_MULTIPLY(d) "fmul d" #d ", d" #d ", d6\nfmul d" #d ", d" #d ", d7\n"
#define FLOAT_DIVIDE(d) "fdiv d" #d ", d" #d ", d6\nfdiv d" #d ", d" #d ", d7\n"
#define FLOAT_LOAD(d, at) "ldr d" #d ", [%1, #" #at "]\n"
#define AES(d) ".arch_extension crypto\naese v" #d ".16b, v7.16b\n"
#define CRC(d) ".arch_extension crc\ncrc32x %w" #d ", %w" #d ", %8\n"
#define FLOATS "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"
#define UNLESS(value, place) __asm__ goto("cbnz %0, %l1" : : "r"(value) : "cc" : place)
#elif defined(__arm__)
#define ADD(d) "add %" #d ", %" #d ", %8\n"
#define MOVE(d, s) "mov %" #d ", %" #s "\n"
#define SHIFT(d) "add %" #d ", %8, %" #d ", lsl #3\n"
#define MULTIPLY(d) "mul %" #d ", %" #d ", %8\n"
#define DIVIDE(d) ".arch_extension idiv\nudiv %" #d ", %8, %" #d "\n"
#define LOAD(d, at) "ldr %" #d ", [%9, #" #at "]\n"
#define STORE(s, at) "str %" #s ", [%9, #" #at "]\n"
#define BEFORE_SKIPS "cmp %0, #0\n"
#define SKIP "beq 9f\n"
#define JUMP "b 1f\n1:\n"
#define ATOMIC "2: ldrex %0, [%9]\nstrex %1, %0, [%9]\ncmp %1, #0\nbne 2b\n"
#define ATOMIC_INSTRUCTIONS 2
#define VECTOR(d) ".fpu neon\nvadd.i32 q" #d ", q" #d ", q" #d "\n"
#define FLOAT_ADD(d) "vadd.f64 d" #d ", d" #d ", d7\n"
#define FLOAT_MULTIPLY(d) "vmul.f64 d" #d ", d" #d ", d6\nvmul.f64 d" #d ", d" #d ", d7\n"
#define FLOAT_DIVIDE(d) "vdiv.f64 d" #d ", d" #d ", d6\nvdiv.f64 d" #d ", d" #d ", d7\n"
#define FLOAT_LOAD(d, at) "vldr d" #d ", [%1, #" #at "]\n"
#define FLOATS "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15"
#define UNLESS(value, place) __asm__ goto("cmp %0, #0\nbne %l1" : : "r"(value) : "cc" : place)
#elif defined(__riscv)
#define ADD(d) "add %" #d ", %" #d ", %8\n"
#define MOVE(d, s) "mv %" #d ", %" #s "\n"
#define SHIFT(d) "slli %" #d ", %" #d ", 1\n"
#define MULTIPLY(d) "mul %" #d ", %" #d ", %8\n"
#define DIVIDE(d) "divu %" #d ", %8, %" #d "\n"
#define LOAD(d, at) "ld %" #d ", " #at "(%9)\n"
#define STORE(s, at) "sd %" #s ", " #at "(%9)\n"
#define BEFORE_SKIPS ""
#define SKIP "beqz %0, 9f\n"
#define JUMP "j 1f\n1:\n"
#define ATOMIC "amoadd.d %0, %8, (%9)\n"
#define ATOMIC_INSTRUCTIONS 1
#define FLOAT_ADD(d) "fadd.d ft" #d ", ft" #d ", ft7\n"
#define FLOAT_MULTIPLY(d) "fmul.d ft" #d ", ft" #d ", ft6\nfmul.d ft" #d ", ft" #d ", ft7\n"
#define FLOAT_DIVIDE(d) "fdiv.d ft" #d ", ft" #d ", ft6\nfdiv.d ft" #d ", ft" #d ", ft7\n"
#define FLOAT_LOAD(d, at) "fld ft" #d ", " #at "(%1)\n"
#define FLOATS "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7"
#define UNLESS(value, place) __asm__ goto("bnez %0, %l1" : : "r"(value) : "cc" : place)
#endif

#endif
