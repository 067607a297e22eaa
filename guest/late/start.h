// SPDX-License-Identifier: MIT
/*
 * A program without a C library: where it starts, and how it calls the kernel. What is carried in an initramfs costs
 * time to unpack, and a static C library is some hundred kilobytes.
 *
 * Calling conventions: syscall(2), the tables "Architecture calling conventions".
 */
#ifndef START_H
#define START_H

#include <sys/syscall.h>

/* A program of several files starts in one of them. */
#ifdef STARTED_ELSEWHERE
#define START(words)
#else
#define START(words) __asm__(words)
#endif

#if defined(__x86_64__)
START(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall start\n");
#define CALL "syscall"
#define IN_NUMBER "rax"
#define IN_FIRST "rdi"
#define IN_SECOND "rsi"
#define IN_THIRD "rdx"
#define IN_FOURTH "r10"
#define IN_FIFTH "r8"
#define IN_SIXTH "r9"
#define RESULT "rax"
#elif defined(__aarch64__)
START(".globl _start\n_start:\n\tmov x0, sp\n\tbl start\n");
#define CALL "svc 0"
#define IN_NUMBER "x8"
#define IN_FIRST "x0"
#define IN_SECOND "x1"
#define IN_THIRD "x2"
#define IN_FOURTH "x3"
#define IN_FIFTH "x4"
#define IN_SIXTH "x5"
#elif defined(__arm__)
START(".globl _start\n.type _start, %function\n_start:\n\tmov r0, sp\n\tbic r1, r0, #7\n\tmov sp, r1\n\tbl start\n");
#define CALL "svc 0"
#define IN_NUMBER "r7"
#define IN_FIRST "r0"
#define IN_SECOND "r1"
#define IN_THIRD "r2"
#define IN_FOURTH "r3"
#define IN_FIFTH "r4"
#define IN_SIXTH "r5"
#elif defined(__riscv)
START(".globl _start\n_start:\n\t.option push\n\t.option norelax\n\tla gp, __global_pointer$\n\t.option pop\n"
	"\tmv a0, sp\n\tandi sp, sp, -16\n\tcall start\n");
#define CALL "ecall"
#define IN_NUMBER "a7"
#define IN_FIRST "a0"
#define IN_SECOND "a1"
#define IN_THIRD "a2"
#define IN_FOURTH "a3"
#define IN_FIFTH "a4"
#define IN_SIXTH "a5"
#else
#error "no start for this processor"
#endif

static inline long call_kernel_six(long number, long a, long b, long c, long d, long e, long f)
{
	register long in_number __asm__(IN_NUMBER) = number;
	register long first __asm__(IN_FIRST) = a;
	register long second __asm__(IN_SECOND) = b;
	register long third __asm__(IN_THIRD) = c;
	register long fourth __asm__(IN_FOURTH) = d;
	register long fifth __asm__(IN_FIFTH) = e;
	register long sixth __asm__(IN_SIXTH) = f;

#ifdef RESULT
	__asm__ volatile(CALL
			 : "+r"(in_number)
			 : "r"(first), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "memory", "rcx", "r11");
	return in_number;
#else
	__asm__ volatile(CALL
			 : "+r"(first)
			 : "r"(in_number), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "memory");
	return first;
#endif
}

static inline long call_kernel(long number, long a, long b, long c, long d, long e)
{
	return call_kernel_six(number, a, b, c, d, e, 0);
}

#endif
