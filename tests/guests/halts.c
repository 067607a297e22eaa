// SPDX-License-Identifier: MIT
/*
 * A program without a system: it halts HALTS times until a timer wakes it, and prints what its clock said behind every
 * one, folded into one word. A halt that is too long by one nanosecond on one boot changes the word.
 *
 * -DHALTS=N; -DHPET: on x86 the HPET is read before each halt (memory-mapped, so that QEMU's main thread wants its lock);
 * -DPERIODIC: on ARM the SP804 runs periodically, as under a kernel with highres=off.
 * -DFLOOD=N: print N lines of 64 bytes before the word.
 * Machines: hw/i386/pc.c (PVH entry), hw/arm/vexpress.c (Cortex-A9), hw/arm/virt.c, hw/riscv/virt.c of QEMU.
 */
#include "bare.h"

#ifndef HALTS
#define HALTS 1000
#endif
#ifndef FLOOD
#define FLOOD 0
#endif

#if defined(__i386__)

#define HPET_BASE 0xfed00000u

static struct {
    uint16_t low, selector;
    uint16_t type, high;
} idt[64] __attribute__((aligned(8)));

static uint64_t gdt[3] = {0, 0x00cf9a000000ffff, 0x00cf92000000ffff};

__attribute__((naked)) static void on_irq(void)
{
    __asm__ volatile("push %eax; movb $0x20, %al; outb %al, $0x20; pop %eax; iret");
}

static void start(void)
{
    struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) table = {sizeof gdt - 1, (uint32_t)gdt};
    __asm__ volatile("lgdt %0; ljmp $8, $1f; 1: mov $16, %%eax; mov %%eax, %%ds; mov %%eax, %%es; mov %%eax, %%ss"
                     ::"m"(table) : "eax", "memory");
    for (unsigned i = 0; i < 64; i++) {
        idt[i].low = (uint16_t)(uint32_t)on_irq;
        idt[i].selector = 8;
        idt[i].type = 0x8e00;
        idt[i].high = (uint16_t)((uint32_t)on_irq >> 16);
    }
    table.limit = sizeof idt - 1;
    table.base = (uint32_t)idt;
    __asm__ volatile("lidt %0" ::"m"(table));
    /* PIC: vectors 0x20 on, the timer alone */
    out8(0x20, 0x11), out8(0x21, 0x20), out8(0x21, 4), out8(0x21, 1), out8(0x21, 0xfe), out8(0xa1, 0xff);
    REG(0xfee000f0) = 0x1ff, REG(0xfee00350) = 0x700; /* local APIC: on, its pin 0 is the PIC */
#ifdef HPET
    REG(HPET_BASE + 0x10) |= 1; /* runs */
#endif
}

static uint32_t halt_for(uint32_t ticks)
{
    uint32_t seen = 0;
    out8(0x43, 0x30), out8(0x40, (uint8_t)ticks), out8(0x40, (uint8_t)(ticks >> 8)); /* PIT: mode 0 */
#ifdef HPET
    seen = REG(HPET_BASE + 0xf0);
#endif
    __asm__ volatile("sti; hlt; cli" ::: "memory");
    return seen;
}

__asm__(".section .note.pvh, \"a\", @note\n.long 4, 4, 18\n.asciz \"Xen\"\n.long _start\n"
        ".text\n.globl _start\n_start: cli\nmov $stack_end, %esp\ncall run\n1: cli\nhlt\njmp 1b\n"
        ".bss\n.skip 4096\nstack_end:\n.text\n");

#elif defined(__arm__)

#define UART 0x10009000
#define TIMER1 0x10011000
#define TIMER2 0x10011020
#define GIC_CPU 0x1e000100
#define GIC_DIST 0x1e001000

static void put(char c) { REG(UART) = (uint32_t)(uint8_t)c; }

static uint64_t clock_now(void) { return 0xffffffffu - REG(TIMER2 + 4); }

static void start(void)
{
    REG(GIC_DIST) = 1;
    REG(GIC_DIST + 0x104) = 1u << 2; /* interrupt 34 */
    REG(GIC_CPU + 4) = 0xff;
    REG(GIC_CPU) = 1;
    REG(TIMER2) = 0xffffffff;
    REG(TIMER2 + 8) = 0xc2; /* on, periodic, 32 bit, no interrupt */
#ifdef PERIODIC
    REG(TIMER1) = 1000;
    REG(TIMER1 + 8) = 0xe2; /* on, periodic, interrupt, 32 bit */
#endif
}

static uint32_t halt_for(uint32_t ticks)
{
#ifndef PERIODIC
    REG(TIMER1 + 8) = 0;
    REG(TIMER1) = ticks;
    REG(TIMER1 + 8) = 0xa3; /* on, interrupt, 32 bit, one shot */
#else
    (void)ticks;
#endif
    uint32_t seen = REG(TIMER2 + 4);
    __asm__ volatile("wfi" ::: "memory"); /* ends at the interrupt, masked as it is */
    REG(TIMER1 + 12) = 1;
    REG(GIC_CPU + 16) = REG(GIC_CPU + 12);
    return seen;
}

__asm__(".text\n.globl _start\n_start: ldr sp, =stack_end\nbl run\n1: wfi\nb 1b\n.ltorg\n"
        ".bss\n.align 3\n.skip 4096\nstack_end:\n.text\n");

#elif defined(__aarch64__)

static void start(void)
{
    REG(GIC_DIST) = 1;
    REG(GIC_DIST + 0x100) = 1u << 27; /* the virtual timer's */
    REG(GIC_CPU + 4) = 0xff;
    REG(GIC_CPU) = 1;
}

static uint32_t halt_for(uint32_t ticks)
{
    __asm__ volatile("msr cntv_tval_el0, %0; msr cntv_ctl_el0, %1; isb; wfi" ::"r"((uint64_t)ticks * 16), "r"(1ul)
                     : "memory");
    uint32_t id = REG(GIC_CPU + 12);
    __asm__ volatile("msr cntv_ctl_el0, xzr; isb" ::: "memory");
    REG(GIC_CPU + 16) = id;
    return id;
}

__asm__(".text\n.globl _start\n_start: ldr x0, =stack_end\nmov sp, x0\nbl run\n1: wfi\nb 1b\n.ltorg\n"
        ".bss\n.align 4\n.skip 4096\nstack_end:\n.text\n");

#elif defined(__riscv)

/* The reset code jumps to the memory's first byte: compiled with -fno-toplevel-reorder this stands there. */
__asm__(".text\n.globl _start\n_start: la sp, stack_end\ncall run\n1: wfi\nj 1b\n"
        ".bss\n.align 4\n.skip 4096\nstack_end:\n.text\n");

#define MTIMECMP 0x02004000
#define MTIME 0x0200bff8

static void put(char c) { *(volatile uint8_t *)0x10000000 = (uint8_t)c; }

static uint64_t clock_now(void) { return *(volatile uint64_t *)MTIME; }

static void start(void) { __asm__ volatile("csrw mie, %0" ::"r"(1 << 7)); }

static uint32_t halt_for(uint32_t ticks)
{
    *(volatile uint64_t *)MTIMECMP = *(volatile uint64_t *)MTIME + (uint64_t)ticks * 3;
    __asm__ volatile("wfi" ::: "memory"); /* ends at the interrupt, masked as it is */
    *(volatile uint64_t *)MTIMECMP = ~0ull;
    return 0;
}

#endif

static void put_word(uint64_t value)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        put("0123456789abcdef"[value >> shift & 15]);
}

__attribute__((used)) void run(void)
{
    uint64_t word = 0;
    uint32_t random = 1;
    __attribute__((unused)) volatile uint32_t work = 0; // it is only to take time
    start();
    for (uint32_t i = 0; i < HALTS; i++) {
        random = random * 1664525 + 1013904223;
        for (uint32_t n = random >> 24; n; n--)
            work += n;
        word = word * 31 + halt_for(200 + (random >> 16 & 0x3ff));
        word = word * 31 + clock_now();
    }
    for (uint32_t i = 0; i < FLOOD; i++)
        for (uint32_t n = 0; n < 64; n++)
            put(n < 63 ? (char)('0' + n) : '\n');
    put_word(word);
    put(' ');
    put_word(clock_now());
    put('\n');
}
