// SPDX-License-Identifier: MIT
/* An archive unpacked by the kernel's own decompressor into page after page, as an initramfs is, on a bare machine; then
 * power off. Defined when compiled: SOURCE (one of lib/decompress_*.c), PACKED, PACKED_BYTES,
 * UNPACKED_BYTES (where the archive lies, and its sizes), PAGES (where it is unpacked to), HEAP. */
#include <linux/types.h>

#define STATIC static
#define PAGE 4096UL
#define HEAP_BYTES (24UL << 20)

static unsigned long free_mem_ptr = HEAP, free_mem_end_ptr = HEAP + HEAP_BYTES;

/* In the place of the architecture's own, which are assembler: as many bytes at a time, and as few instructions. */

#ifdef __riscv
typedef unsigned long wide_t __attribute__((may_alias));
/* arch/riscv/lib/memcpy.S: 128 bytes and more whose addresses are alike below eight, in words; four bytes at a time
 * where both and the end are so aligned; else byte by byte. It has no accesses that are not aligned. */
void *memcpy(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (n >= 128 && ((unsigned long)t & 7) == ((unsigned long)f & 7)) {
        for (; (unsigned long)f & 7; n--) {
            *t++ = *f++;
            __asm__ volatile("" ::: "memory");
        }
        for (; n >= 8 * sizeof(wide_t); n -= 8 * sizeof(wide_t), t += 8 * sizeof(wide_t), f += 8 * sizeof(wide_t)) {
            wide_t part[8];
            for (int word = 0; word < 8; word++)
                part[word] = ((const wide_t *)f)[word];
            for (int word = 0; word < 8; word++)
                ((wide_t *)t)[word] = part[word];
        }
    }
    if ((((unsigned long)t | (unsigned long)f | n) & 3) == 0)
        for (; n; n -= 4, t += 4, f += 4) {
            *(uint32_t *)t = *(const uint32_t *)f;
            __asm__ volatile("" ::: "memory");
        }
    for (; n; n--) {
        *t++ = *f++;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}
#else
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

#endif

void *memset(void *to, int value, size_t n)
{
    unsigned char *t = to;
    wide_t wide = (unsigned char)value * (~0UL / 255);
#ifdef __riscv
    for (; n && (unsigned long)t & 7; n--) {
        *t++ = (unsigned char)value;
        __asm__ volatile("" ::: "memory");
    }
#endif
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

#ifdef __riscv
#define STAY "j"
#define LITERALS
#else
#define STAY "b"
#define LITERALS ".ltorg\n"
#endif
__asm__(
    ".pushsection .text.start, \"ax\"\n"
    ".globl _start\n"
    "_start:\n"
#if defined(__aarch64__)
    "ldr x0, =stack_end\n"
    "mov sp, x0\n"
    "bl run\n"
    "ldr x0, =0x84000008\n" /* PSCI: SYSTEM_OFF */
    "hvc #0\n"
#elif defined(__riscv)
    ".option push\n"
    ".option norelax\n"
    "la gp, __global_pointer$\n"
    ".option pop\n"
    "la sp, stack_end\n"
    "call run\n"
    "li a0, 0x100000\n" /* QEMU's test device: power off */
    "li a1, 0x5555\n"
    "sw a1, 0(a0)\n"
#else
    ".arm\n"
    "ldr sp, =stack_end\n"
    "bl run\n"
    "ldr r0, =0x84000008\n"
    ".arch_extension virt\n"
    "hvc #0\n"
#endif
    "1: " STAY " 1b\n"
    LITERALS ".popsection\n");
__asm__(".pushsection .bss\n.balign 64\n.space 65536\nstack_end:\n.popsection\n");
