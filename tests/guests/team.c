// SPDX-License-Identifier: MIT
/*
 * A program without a system for several processors (-DPROCESSORS=N). The first starts the others, and then
 *   1. does one job alone, and has all do one each;
 *   2. has each write down TURNS times who it is and what its clock says, in one common list;
 *   3. hands a flag to the second and back, HANDS times, by looking at memory only;
 *   4. halts ROUNDS times for its timer, and wakes the others, which halt, by an interrupt each time.
 * It prints a line "name value" of 16 digits each for a job alone and for all (clock), a hand-over (clock), steps back that a
 * clock made, rounds that each of the others woke for; then a hash of the list and the clock.
 * Machines: hw/i386/pc.c (PVH entry), hw/arm/virt.c (PSCI by hvc, GICv2), hw/riscv/virt.c of QEMU.
 */
#define ARM_VIRT
#include "bare.h"

#ifndef PROCESSORS
#define PROCESSORS 2
#endif
#define STACK 4096
#define STACK_TEXT "4096"
#define JOB 200000
#define TURNS 400
#define HANDS 50
#define ROUNDS 20

__attribute__((used)) void run(void);
__attribute__((used)) void help(uint32_t self);
__attribute__((used)) uint8_t stacks[PROCESSORS][STACK] __attribute__((aligned(16)));

#if defined(__i386__)

#define APIC 0xfee00000u
#define VECTOR 0x40

static void relax(void) { __asm__ volatile("pause" ::: "memory"); }

static struct {
    uint16_t low, selector;
    uint16_t type, high;
} idt[96] __attribute__((aligned(8)));

__attribute__((used)) uint64_t gdt[3] = {0, 0x00cf9a000000ffff, 0x00cf92000000ffff};
__attribute__((used)) struct {
    uint16_t limit;
    uint32_t base;
} __attribute__((packed)) gdt_place, idt_place;
__attribute__((used)) uint32_t next_processor;

/* Real mode, copied to 0x8000: where a processor starts that a start-up interrupt with vector 8 calls. */
__asm__(".text\n.code16\n.globl trampoline, trampoline_end\ntrampoline: cli\nxorw %ax, %ax\nmovw %ax, %ds\n"
        "lgdtl 0x8000 + trampoline_gdt - trampoline\nmovl %cr0, %eax\norl $1, %eax\nmovl %eax, %cr0\n"
        "ljmpl $8, $helper\ntrampoline_gdt: .skip 6\ntrampoline_end:\n.code32\n"
        "helper: movl $16, %eax\nmovl %eax, %ds\nmovl %eax, %es\nmovl %eax, %ss\nmovl $1, %ebx\n"
        "lock xaddl %ebx, next_processor\nincl %ebx\nlidt idt_place\nmovl %ebx, %eax\nincl %eax\nimull $" STACK_TEXT ", %eax\n"
        "leal stacks(%eax), %esp\npushl %ebx\ncall help\n1: cli\nhlt\njmp 1b\n");
extern uint8_t trampoline[], trampoline_gdt[], trampoline_end[];

__attribute__((naked)) static void on_timer(void)
{
    __asm__ volatile("push %eax; movb $0x20, %al; outb %al, $0x20; pop %eax; iret");
}

__attribute__((naked)) static void on_call(void)
{
    __asm__ volatile("movl $0, 0xfee000b0; iret");
}

static void gate(unsigned i, void (*to)(void))
{
    idt[i].low = (uint16_t)(uint32_t)to;
    idt[i].selector = 8;
    idt[i].type = 0x8e00;
    idt[i].high = (uint16_t)((uint32_t)to >> 16);
}

static void start_self(void) { REG(APIC + 0xf0) = 0x1ff; }

static void start(void)
{
    gdt_place.limit = sizeof gdt - 1, gdt_place.base = (uint32_t)gdt;
    idt_place.limit = sizeof idt - 1, idt_place.base = (uint32_t)idt;
    __asm__ volatile("lgdt gdt_place; ljmp $8, $1f; 1: mov $16, %%eax; mov %%eax, %%ds; mov %%eax, %%es; mov %%eax, %%ss"
                     ::: "eax", "memory");
    for (unsigned i = 0; i < 64; i++)
        gate(i, on_timer);
    gate(VECTOR, on_call);
    __asm__ volatile("lidt idt_place" ::: "memory");
    out8(0x20, 0x11), out8(0x21, 0x20), out8(0x21, 4), out8(0x21, 1), out8(0x21, 0xfe), out8(0xa1, 0xff);
    start_self();
    REG(APIC + 0x350) = 0x700; /* its pin 0 is the PIC */
    volatile uint8_t *low = (volatile uint8_t *)0x8000;
    for (unsigned i = 0; i < (unsigned)(trampoline_end - trampoline); i++)
        low[i] = trampoline[i];
    for (unsigned i = 0; i < 6; i++)
        low[trampoline_gdt - trampoline + i] = ((uint8_t *)&gdt_place)[i];
    REG(APIC + 0x300) = 0xc4500; /* to all others: INIT, then start-up at page 8, twice as on hardware */
    REG(APIC + 0x300) = 0xc4608;
    REG(APIC + 0x300) = 0xc4608;
}

static void wait_timer(uint32_t us)
{
    uint32_t ticks = us; /* of 838 ns */
    out8(0x43, 0x30), out8(0x40, (uint8_t)ticks), out8(0x40, (uint8_t)(ticks >> 8));
    __asm__ volatile("sti; hlt; cli" ::: "memory");
}

static void wait_call(uint32_t self)
{
    (void)self;
    __asm__ volatile("sti; hlt; cli" ::: "memory");
}

static void call_others(void) { REG(APIC + 0x300) = 0xc4000 | VECTOR; }

__asm__(".section .note.pvh, \"a\", @note\n.long 4, 4, 18\n.asciz \"Xen\"\n.long _start\n"
        ".text\n.globl _start\n_start: cli\nmov $stacks + " STACK_TEXT ", %esp\ncall run\n1: cli\nhlt\njmp 1b\n");

#elif defined(__arm__) || defined(__aarch64__)

#define TIMER_IRQ 27

extern uint8_t helper[];

#ifdef __aarch64__
static void timer(uint32_t ticks, uint32_t on)
{
    __asm__ volatile("msr cntv_tval_el0, %0; msr cntv_ctl_el0, %1; isb" ::"r"((uint64_t)ticks), "r"((uint64_t)on) : "memory");
}
static uint32_t ticks_a_us(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (uint32_t)hz / 1000000;
}
static void power_on(uintptr_t which)
{
    register uintptr_t x0 __asm__("x0") = 0xc4000003, x1 __asm__("x1") = which, x2 __asm__("x2") = (uintptr_t)helper,
                       x3 __asm__("x3") = which;
    __asm__ volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)::"memory");
}
__asm__(".text\n.globl _start\n_start: ldr x0, =stacks + " STACK_TEXT "\nmov sp, x0\nbl run\n1: wfi\nb 1b\n.ltorg\n"
        ".globl helper\nhelper: ldr x1, =stacks + " STACK_TEXT "\nmov x2, #" STACK_TEXT "\nmadd x1, x0, x2, x1\nmov sp, x1\n"
        "bl help\n1: wfi\nb 1b\n.ltorg\n");
#else
static uint64_t clock_now(void)
{
    uint32_t low, high;
    __asm__ volatile("isb; mrrc p15, 1, %0, %1, c14" : "=r"(low), "=r"(high));
    return (uint64_t)high << 32 | low;
}
static void timer(uint32_t ticks, uint32_t on)
{
    __asm__ volatile("mcr p15, 0, %0, c14, c3, 0; mcr p15, 0, %1, c14, c3, 1; isb" ::"r"(ticks), "r"(on) : "memory");
}
static uint32_t ticks_a_us(void)
{
    uint32_t hz;
    __asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));
    return hz / 62500000 * 62 + hz / 1000000000 * 8; /* no division without a library: 62.5 MHz or 1 GHz */
}
static void power_on(uintptr_t which)
{
    register uintptr_t r0 __asm__("r0") = 0x84000003, r1 __asm__("r1") = which, r2 __asm__("r2") = (uintptr_t)helper,
                       r3 __asm__("r3") = which;
    __asm__ volatile(".arch_extension virt\nhvc #0" : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)::"memory");
}
__asm__(".text\n.globl _start\n_start: ldr sp, =stacks + " STACK_TEXT "\nbl run\n1: wfi\nb 1b\n.ltorg\n"
        ".globl helper\nhelper: ldr r1, =stacks + " STACK_TEXT "\nmov r2, #" STACK_TEXT "\nmla sp, r0, r2, r1\nbl help\n"
        "1: wfi\nb 1b\n.ltorg\n");
#endif

static void relax(void) { __asm__ volatile("yield" ::: "memory"); }

static void start_self(void)
{
    REG(GIC_DIST + 0x100) = 1u << TIMER_IRQ | 1u;
    REG(GIC_CPU + 4) = 0xff;
    REG(GIC_CPU) = 1;
}

static void start(void)
{
    REG(GIC_DIST) = 1;
    start_self();
    for (uint32_t i = 1; i < PROCESSORS; i++)
        power_on(i);
}

static void take(void)
{
    uint32_t id = REG(GIC_CPU + 12);
    timer(0, 0);
    REG(GIC_CPU + 16) = id;
}

static void wait_timer(uint32_t us)
{
    timer(us * ticks_a_us(), 1);
    __asm__ volatile("wfi" ::: "memory");
    take();
}

static void wait_call(uint32_t self)
{
    (void)self;
    __asm__ volatile("wfi" ::: "memory");
    take();
}

static void call_others(void) { REG(GIC_DIST + 0xf00) = 1u << 24; }

#elif defined(__riscv)

/* All processors start here; a0 is the number of each. */
__asm__(".text\n.globl _start\n_start: csrr a0, mhartid\nla sp, stacks + " STACK_TEXT "\nli t0, " STACK_TEXT "\nmul t0, t0, a0\n"
        "add sp, sp, t0\nbnez a0, 1f\ncall run\n2: wfi\nj 2b\n1: call help\nj 2b\n");

#define MSIP 0x02000000
#define MTIMECMP 0x02004000
#define MTIME 0x0200bff8
#define NEVER (1ull << 40) /* QEMU with several processors hangs when the clock jumps to the end of time */

static void put(char c) { *(volatile uint8_t *)0x10000000 = (uint8_t)c; }
static uint64_t clock_now(void) { return *(volatile uint64_t *)MTIME; }
static void relax(void) { __asm__ volatile("" ::: "memory"); }
static void start_self(void)
{
    uint64_t self;
    __asm__ volatile("csrr %0, mhartid" : "=r"(self));
    *(volatile uint64_t *)(MTIMECMP + 8 * self) = NEVER; /* 0 at power-on: due */
    __asm__ volatile("csrw mie, %0" ::"r"(1 << 7 | 1 << 3));
}
static void start(void) { start_self(); }

static void wait_timer(uint32_t us)
{
    *(volatile uint64_t *)MTIMECMP = *(volatile uint64_t *)MTIME + (uint64_t)us * 10;
    __asm__ volatile("wfi" ::: "memory");
    *(volatile uint64_t *)MTIMECMP = NEVER;
}

static void wait_call(uint32_t self)
{
    __asm__ volatile("wfi" ::: "memory");
    REG(MSIP + 4 * self) = 0;
}

static void call_others(void)
{
    for (uint32_t i = 1; i < PROCESSORS; i++)
        REG(MSIP + 4 * i) = 1;
}

#endif

static volatile uint32_t phase, here, done, flag, rounds, woken[PROCESSORS];
static uint64_t list[PROCESSORS * TURNS];
static volatile uint32_t n_list, back;

static void add(volatile uint32_t *to) { __atomic_fetch_add(to, 1, __ATOMIC_SEQ_CST); }

static void job(void)
{
    __attribute__((unused)) volatile uint32_t work = 0; // it is only to take time
    for (uint32_t i = 0; i < JOB; i++)
        work += i;
}

static void write_down(uint32_t self)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < TURNS; i++) {
        uint64_t now = clock_now();
        if (now < last)
            add(&back);
        last = now;
        uint32_t at = __atomic_fetch_add(&n_list, 1, __ATOMIC_SEQ_CST);
        list[at] = now * PROCESSORS + self;
    }
}

static void wait_phase(uint32_t wanted)
{
    while (phase < wanted)
        relax();
}

static void wait_done(uint32_t wanted)
{
    while (done < wanted)
        relax();
}

void help(uint32_t self)
{
    start_self();
    add(&here);
    wait_phase(1);
    job();
    add(&done);
    wait_phase(2);
    write_down(self);
    add(&done);
    wait_phase(3);
    for (uint32_t i = 0; self == 1 && i < HANDS; i++) {
        while (flag != 2 * i + 1)
            relax();
        flag = 2 * i + 2;
    }
    for (;;) {
        wait_call(self);
        if (rounds)
            woken[self]++;
    }
}

static void put_word(uint64_t value)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        put("0123456789abcdef"[value >> shift & 15]);
}

static void say(const char *name, uint64_t value)
{
    while (*name)
        put(*name++);
    put(' ');
    put_word(value);
    put('\n');
}

void run(void)
{
    uint64_t begin, word = 0, most = 0, least = ~0ull;
    start();
    while (here < PROCESSORS - 1)
        relax();
    begin = clock_now();
    job();
    say("one", clock_now() - begin);
    begin = clock_now();
    phase = 1;
    job();
    wait_done(PROCESSORS - 1);
    say("all", clock_now() - begin);
    phase = 2;
    write_down(0);
    wait_done(2 * (PROCESSORS - 1));
    for (uint32_t i = 0; i < PROCESSORS * TURNS; i++)
        word = word * 31 + list[i];
    begin = clock_now();
    phase = 3;
    for (uint32_t i = 0; i < HANDS; i++) {
        flag = 2 * i + 1;
        while (flag != 2 * i + 2)
            relax();
    }
    say("hand", (clock_now() - begin) / HANDS);
    wait_timer(1000); /* all halt */
    for (rounds = 1; rounds <= ROUNDS; rounds++) {
        call_others();
        wait_timer(1000);
        word = word * 31 + clock_now();
    }
    for (uint32_t i = 1; i < PROCESSORS; i++) {
        most = woken[i] > most ? woken[i] : most;
        least = woken[i] < least ? woken[i] : least;
    }
    say("back", back);
    say("woken", most << 32 | least);
    put_word(word);
    put(' ');
    put_word(clock_now());
    put('\n');
}
