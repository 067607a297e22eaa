// SPDX-License-Identifier: MIT
/* An archive unpacked by the kernel's own decompressor into page after page, as an initramfs is, on a bare machine; then
 * power off. Defined when compiled: SOURCE (lib/decompress_inflate.c, lib/decompress_unzstd.c), PACKED, PACKED_BYTES,
 * UNPACKED_BYTES (where the archive lies, and its sizes), PAGES (where it is unpacked to), HEAP. */
#include <linux/types.h>

#define STATIC static
#define PAGE 4096UL
#define HEAP_BYTES (24UL << 20)

static unsigned long free_mem_ptr = HEAP, free_mem_end_ptr = HEAP + HEAP_BYTES;

/* In the place of the architecture's own, which are assembler: as many bytes at a time, and as few instructions. */

typedef unsigned long wide_t __attribute__((aligned(1), may_alias));

void *memcpy(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (; n >= 4 * sizeof(wide_t); n -= 4 * sizeof(wide_t), t += 4 * sizeof(wide_t), f += 4 * sizeof(wide_t)) {
        wide_t a = ((const wide_t *)f)[0], b = ((const wide_t *)f)[1];
        wide_t c = ((const wide_t *)f)[2], d = ((const wide_t *)f)[3];
        ((wide_t *)t)[0] = a, ((wide_t *)t)[1] = b, ((wide_t *)t)[2] = c, ((wide_t *)t)[3] = d;
    }
    for (; n >= sizeof(wide_t); n -= sizeof(wide_t), t += sizeof(wide_t), f += sizeof(wide_t))
        *(wide_t *)t = *(const wide_t *)f;
    for (; n; n--) {
        *t++ = *f++;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

void *memset(void *to, int value, size_t n)
{
    unsigned char *t = to;
    wide_t wide = (unsigned char)value * (~0UL / 255);
    for (; n >= 4 * sizeof(wide_t); n -= 4 * sizeof(wide_t), t += 4 * sizeof(wide_t))
        ((wide_t *)t)[0] = wide, ((wide_t *)t)[1] = wide, ((wide_t *)t)[2] = wide, ((wide_t *)t)[3] = wide;
    for (; n; n--) {
        *t++ = (unsigned char)value;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    if (to <= from)
        return memcpy(to, from, n);
    for (unsigned char *t = to; n--;) {
        t[n] = ((const unsigned char *)from)[n];
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

#include SOURCE

static unsigned long filled;

/* What write() does for each page of a file of rootfs: a page of its own, cleared when it is taken, and the bytes. */
static long flush(void *from, unsigned long n)
{
    for (unsigned long done = 0, part; done < n; done += part, filled += part) {
        unsigned long within = filled % PAGE;
        part = n - done < PAGE - within ? n - done : PAGE - within;
        if (within == 0)
            memset((void *)(PAGES + filled), 0, PAGE);
        memcpy((void *)(PAGES + filled), (char *)from + done, part);
    }
    return n;
}

static void failed(char *words)
{
    (void)words;
    for (;;) /* the script's limit of time tells */
        ;
}

/* What libgcc's division asks for when it divides by zero. */
int raise(int number)
{
    (void)number;
    failed("");
    return 0;
}

void run(void)
{
    long read = 0;
    if (__decompress((unsigned char *)PACKED, PACKED_BYTES, 0, flush, 0, 0, &read, failed) != 0 || filled != UNPACKED_BYTES)
        failed("");
}

__asm__(
    ".section .text.start, \"ax\"\n"
    ".globl _start\n"
    "_start:\n"
#if defined(__aarch64__)
    "ldr x0, =stack_end\n"
    "mov sp, x0\n"
    "bl run\n"
    "ldr x0, =0x84000008\n" /* PSCI: SYSTEM_OFF */
    "hvc #0\n"
#else
    ".arm\n"
    "ldr sp, =stack_end\n"
    "bl run\n"
    "ldr r0, =0x84000008\n"
    ".arch_extension virt\n"
    "hvc #0\n"
#endif
    "1: b 1b\n"
    ".ltorg\n"
    ".previous\n");
__asm__(".bss\n.balign 64\n.space 65536\nstack_end:\n.previous\n");
