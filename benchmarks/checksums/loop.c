// SPDX-License-Identifier: MIT
/* One of the kernel's routines that its own log times, again and again, on a bare machine; then power off. */
#include <linux/raid/pq.h>

#define PAGE 4096
#ifndef DISKS
#define DISKS 8 /* lib/raid6/algos.c: RAID6_TEST_DISKS; 18 before Linux 5.6 */
#endif

#if defined(__riscv)
#define STAY "j"
#else
#define STAY "b"
#endif

static unsigned char memory[DISKS * PAGE + 4 * PAGE] __attribute__((aligned(65536)));

#ifdef CHECKSUM /* crypto/xor.c: two blocks, the second two pages and a block behind the first */
#define prefetch(x) ((void)(x))
#define prefetchw(x) ((void)(x))
#ifndef __maybe_unused
#define __maybe_unused __attribute__((unused))
#endif
struct xor_block_template {
    const char *name;
    void *do_2, *do_3, *do_4, *do_5;
};
#include CHECKSUM
#endif

void run(void)
{
    void *disks[DISKS];
    /* The bytes stay zero: no routine's time depends on them, and a loop that filled them would count. */
    for (int i = 0; i < DISKS; i++)
        disks[i] = memory + i * PAGE;
    for (int i = 0; i < CALLS; i++) {
        __asm__ volatile("" ::: "memory");
        CALL;
    }
}

void *memcpy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

__asm__(
    ".section .text.start, \"ax\"\n"
    ".globl _start\n"
    "_start:\n"
#if defined(__aarch64__)
    "mov x0, #(3 << 20)\n" /* CPACR_EL1: floating point is allowed */
    "msr cpacr_el1, x0\n"
    "isb\n"
    "ldr x0, =stack_end\n"
    "mov sp, x0\n"
    "bl run\n"
    "ldr x0, =0x84000008\n" /* PSCI: SYSTEM_OFF */
    "hvc #0\n"
#elif defined(__arm__)
    ".arm\n"
    ".fpu neon\n"
    "mrc p15, 0, r0, c1, c0, 2\n"
    "orr r0, r0, #(15 << 20)\n"
    "mcr p15, 0, r0, c1, c0, 2\n"
    "isb\n"
    "mov r0, #(1 << 30)\n"
    "vmsr fpexc, r0\n"
    "ldr sp, =stack_end\n"
    "bl run\n"
    "ldr r0, =0x84000008\n"
    ".arch_extension virt\n"
    "hvc #0\n"
#else
    "la sp, stack_end\n"
    "call run\n"
    "li a0, 0x100000\n" /* QEMU's test device: power off */
    "li a1, 0x5555\n"
    "sw a1, 0(a0)\n"
#endif
    "1: " STAY " 1b\n"
    ".previous\n");
__asm__(".bss\n.balign 64\n.space 16384\nstack_end:\n.previous\n");
