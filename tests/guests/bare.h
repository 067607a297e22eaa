// SPDX-License-Identifier: MIT
/* What programs without a system need of their machine: the console, the clock, registers in memory. */
#ifndef BARE_H
#define BARE_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))

#if defined(__i386__)

static inline void out8(uint16_t port, uint8_t value) { __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port)); }

static void put(char c) { out8(0x3f8, (uint8_t)c); }

static uint64_t clock_now(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__) || (defined(__arm__) && defined(ARM_VIRT)) /* QEMU's board `virt` */

#define UART 0x09000000
#define GIC_DIST 0x08000000
#define GIC_CPU 0x08010000

static void put(char c) { REG(UART) = (uint32_t)(uint8_t)c; }

#endif

#if defined(__aarch64__)

static uint64_t clock_now(void)
{
    uint64_t now;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now));
    return now;
}

#endif

#endif
