// SPDX-License-Identifier: MIT
/* What the kernel's decompressors take from other headers of the kernel, each of which includes this one. */
#ifndef UNPACKING_KERNEL_H
#define UNPACKING_KERNEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INT_MAX __INT_MAX__
#define UINT_MAX (2U * __INT_MAX__ + 1)
#define EINVAL 22
#define __LITTLE_ENDIAN 1234
/* HAVE_EFFICIENT_UNALIGNED_ACCESS, the only option that is asked for: arm64 and ARMv7 have it, RISC-V has not. */
#ifdef __riscv
#define IS_ENABLED(option) 0
#else
#define IS_ENABLED(option) 1
#endif
#if __SIZEOF_LONG__ == 8
#define CONFIG_64BIT 1
#endif
#define BITS_PER_LONG (8 * __SIZEOF_LONG__)
#define __ffs __builtin_ctzl

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef long ssize_t;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define fallthrough __attribute__((fallthrough))
#define __maybe_unused __attribute__((unused))
#define __must_check
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define MODULE_LICENSE(words)
#define MODULE_DESCRIPTION(words)
#define WARN_ON(x) (void)(x)
#define BUG_ON(x) (void)(x)
#define BUILD_BUG_ON(x) (void)(x)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define swab32 __builtin_bswap32
#define swab64 __builtin_bswap64

#define LOOSE(type, place) (((struct { type v; } __attribute__((packed, may_alias)) *)(place))->v)
#define get_unaligned(place) LOOSE(__typeof__(*(place)), place)
#define put_unaligned(x, place) (LOOSE(__typeof__(*(place)), place) = (x))
#define get_unaligned_le16(place) LOOSE(const uint16_t, place)
#define get_unaligned_le32(place) LOOSE(const uint32_t, place)
#define get_unaligned_le64(place) LOOSE(const uint64_t, place)
#define put_unaligned_le16(x, place) (LOOSE(uint16_t, place) = (x))
#define put_unaligned_le32(x, place) (LOOSE(uint32_t, place) = (x))
#define put_unaligned_le64(x, place) (LOOSE(uint64_t, place) = (x))

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);

static inline uint64_t div_u64(uint64_t a, uint32_t b)
{
    return a / b;
}
#endif
