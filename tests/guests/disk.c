// SPDX-License-Identifier: MIT
/*
 * A program without a system: it reads READS blocks of a disk, one after the other, counts how often it had to look until
 * each was there, and prints the counts and what it read, folded into one word. A disk that the host serves when it likes
 * changes the word from boot to boot.
 *
 * x86: an IDE disk by its ports (ATA-6; hw/ide/core.c of QEMU). AArch64: virtio on memory-mapped registers, in their old
 * form (virtio 1.2, section 4.2.4; hw/virtio/virtio-mmio.c), in the board's last slot. -DDISPLAY: a display in that slot,
 * which is asked READS times what is connected to it (section 5.7.6.7, VIRTIO_GPU_CMD_GET_DISPLAY_INFO).
 */
#include "bare.h"

#ifndef READS
#define READS 200
#endif
#define SECTORS 4
#define WORDS (SECTORS * 128)

static uint32_t block[WORDS] __attribute__((aligned(16)));

#if defined(__i386__)

#define COMMAND 0x1f7
#define BUSY 0x80
#define READY 0x08

static uint8_t in8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "d"(port));
    return value;
}

static void start(void) {}

static uint32_t read_block(uint32_t sector)
{
    uint32_t looks = 0;
    out8(0x3f6, 2); /* no interrupts */
    out8(0x1f6, 0xe0), out8(0x1f2, SECTORS), out8(0x1f3, (uint8_t)sector), out8(0x1f4, (uint8_t)(sector >> 8));
    out8(0x1f5, 0), out8(COMMAND, 0x20);
    for (uint32_t i = 0; i < SECTORS; i++) {
        void *to = block + i * 128;
        uint32_t words = 128;
        while ((in8(COMMAND) & (BUSY | READY)) != READY)
            looks++;
        __asm__ volatile("cld; rep insl" : "+D"(to), "+c"(words) : "d"(0x1f0) : "memory");
    }
    return looks;
}

__asm__(".section .note.pvh, \"a\", @note\n.long 4, 4, 18\n.asciz \"Xen\"\n.long _start\n"
        ".text\n.globl _start\n_start: cli\nmov $stack_end, %esp\ncall run\n1: cli\nhlt\njmp 1b\n"
        ".bss\n.skip 4096\nstack_end:\n.text\n");

#elif defined(__aarch64__)

#define SLOT 0x0a003e00ul
#define QUEUE 8
#define NEXT 1 /* flags of a descriptor */
#define WRITE 2

static struct {
    struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } descriptors[QUEUE];
    uint16_t flags, made, ring[QUEUE], event;
    uint8_t gap[4096 - QUEUE * 16 - 6 - QUEUE * 2];
    uint16_t used_flags;
    volatile uint16_t used;
    uint8_t rest[4096 - 4];
} queue __attribute__((aligned(4096)));
#ifdef DISPLAY
static struct {
    uint32_t type, flags;
    uint64_t fence, sector; /* the last is not read: nothing but a place */
} request = {.type = 0x100};
#define ANSWER_BYTES 408
#else
static struct {
    uint32_t type, reserved;
    uint64_t sector;
} request;
#define ANSWER_BYTES sizeof block
#endif
static volatile uint8_t status;

static void start(void)
{
    REG(SLOT + 0x70) = 0, REG(SLOT + 0x70) = 3; /* reset; a driver is here */
#ifdef DISPLAY
    /* No display knows the old form (section 4.2.2): a driver of version 1, and where the three parts of the queue are. */
    REG(SLOT + 0x24) = 1, REG(SLOT + 0x20) = 1, REG(SLOT + 0x70) = 11;
    REG(SLOT + 0x30) = 0, REG(SLOT + 0x38) = QUEUE;
    REG(SLOT + 0x80) = (uint32_t)(uint64_t)&queue;
    REG(SLOT + 0x90) = (uint32_t)(uint64_t)&queue.flags;
    REG(SLOT + 0xa0) = (uint32_t)(uint64_t)&queue.used_flags;
    REG(SLOT + 0x44) = 1, REG(SLOT + 0x70) = 15;
#else
    REG(SLOT + 0x20) = 0; /* no features */
    REG(SLOT + 0x28) = 4096, REG(SLOT + 0x30) = 0, REG(SLOT + 0x38) = QUEUE, REG(SLOT + 0x3c) = 4096;
    REG(SLOT + 0x40) = (uint32_t)((uint64_t)&queue / 4096);
    REG(SLOT + 0x70) = 7;
#endif
    queue.descriptors[0].address = (uint64_t)&request, queue.descriptors[0].length = sizeof request;
    queue.descriptors[0].flags = NEXT, queue.descriptors[0].next = 1;
    queue.descriptors[1].address = (uint64_t)block, queue.descriptors[1].length = ANSWER_BYTES;
#ifdef DISPLAY
    queue.descriptors[1].flags = WRITE;
#else
    queue.descriptors[1].flags = NEXT | WRITE, queue.descriptors[1].next = 2;
#endif
    queue.descriptors[2].address = (uint64_t)&status, queue.descriptors[2].length = 1;
    queue.descriptors[2].flags = WRITE;
}

static uint32_t read_block(uint32_t sector)
{
    uint32_t looks = 0;
    uint16_t wanted = (uint16_t)(queue.used + 1);
    request.sector = sector;
    queue.ring[queue.made % QUEUE] = 0;
    __asm__ volatile("dmb sy" ::: "memory");
    queue.made++;
    __asm__ volatile("dmb sy" ::: "memory");
    REG(SLOT + 0x50) = 0;
    while (queue.used != wanted)
        looks++;
    REG(SLOT + 0x64) = REG(SLOT + 0x60);
    return looks * 3 + status;
}

__asm__(".text\n.globl _start\n_start: ldr x0, =stack_end\nmov sp, x0\nbl run\n1: wfi\nb 1b\n.ltorg\n"
        ".bss\n.align 4\n.skip 4096\nstack_end:\n.text\n");

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
    start();
    for (uint32_t i = 0; i < READS; i++) {
        random = random * 1664525 + 1013904223;
        word = word * 31 + read_block(random >> 20 & ~3u);
        for (uint32_t n = 0; n < WORDS; n++)
            word = word * 31 + block[n];
    }
    put_word(word);
    put(' ');
    put_word(clock_now());
    put('\n');
}
