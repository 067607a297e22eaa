// SPDX-License-Identifier: GPL-2.0-or-later
#include "host-code.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __x86_64__

#define CALL 0xe8 /* call and jump, relative to the next instruction, 32 bits */
#define JUMP 0xe9

const char *host_unknown(void)
{
    return NULL;
}

void host_jump(uint8_t code[HOST_JUMP_BYTES], const void *to)
{
    memcpy(code, "\x49\xbb", 2); /* movabs $to, %r11 */
    memcpy(code + 2, &to, 8);
    memcpy(code + 10, "\x41\xff\xe3", 3); /* jmp *%r11 */
}

void host_call(uint8_t code[HOST_CALL_BYTES], const uint8_t *at, const void *to)
{
    int32_t distance = (int32_t)((const uint8_t *)to - (at + HOST_CALL_BYTES));
    code[0] = CALL;
    memcpy(code + 1, &distance, sizeof distance);
}

enum host_transfer host_transfer(const uint8_t *at, const void *to)
{
    int32_t distance;
    if (*at != CALL && *at != JUMP)
        return HOST_NEITHER;
    memcpy(&distance, at + 1, sizeof distance);
    if (at + HOST_CALL_BYTES + distance != (const uint8_t *)to)
        return HOST_NEITHER;
    return *at == CALL ? HOST_CALL : HOST_JUMP;
}

#elif HOST_ALIGN == 4

#define BTI_C 0xd503245fu /* where an indirect call may land; nothing to processors without it */
#define LDR_X16 0x58000050u /* ldr x16, 8 bytes further on: x16 is free between functions (AAPCS64, 6.1.1) */
#define BR_X16 0xd61f0200u
#define BL 0x94000000u /* relative to itself, 26 bits of words */
#define B 0x14000000u
#define OPERATION 0xfc000000u
#define WORDS 0x03ffffffu

const char *host_unknown(void)
{
    return NULL;
}

void host_jump(uint8_t code[HOST_JUMP_BYTES], const void *to)
{
    const uint32_t words[] = {BTI_C, LDR_X16, BR_X16};
    memcpy(code, words, sizeof words);
    memcpy(code + sizeof words, &to, sizeof to);
}

void host_call(uint8_t code[HOST_CALL_BYTES], const uint8_t *at, const void *to)
{
    uint32_t word = BL | ((uint32_t)(((const uint8_t *)to - at) / 4) & WORDS);
    memcpy(code, &word, sizeof word);
}

enum host_transfer host_transfer(const uint8_t *at, const void *to)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    if ((word & OPERATION) != BL && (word & OPERATION) != B)
        return HOST_NEITHER;
    int64_t words = (int64_t)((uint64_t)(word & WORDS) << 38) >> 38;
    if (at + words * 4 != (const uint8_t *)to)
        return HOST_NEITHER;
    return (word & OPERATION) == BL ? HOST_CALL : HOST_JUMP;
}

#else

const char *host_unknown(void)
{
    return "on this host QEMU's functions cannot be redirected (x86-64 and AArch64 hosts only)";
}

void host_jump(uint8_t code[HOST_JUMP_BYTES], const void *to)
{
    (void)code;
    (void)to;
}

void host_call(uint8_t code[HOST_CALL_BYTES], const uint8_t *at, const void *to)
{
    (void)code;
    (void)at;
    (void)to;
}

enum host_transfer host_transfer(const uint8_t *at, const void *to)
{
    (void)at;
    (void)to;
    return HOST_NEITHER;
}

#endif

bool host_write(uint8_t *at, const uint8_t *code, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *first = (uint8_t *)((uintptr_t)at & ~(page - 1));
    size_t length = (size_t)(at + n - first);
    if (mprotect(first, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    memcpy(at, code, n);
    mprotect(first, length, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)at, (char *)at + n);
    return true;
}
