// SPDX-License-Identifier: MIT
/* Redirects functions of its own as the plugins redirect QEMU's: at their first instruction, and at a call. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-code.h"

#define LOOKED_THROUGH 4096

int volatile weight = 1;

/* Too long to be inlined, and longer than a jump. */
__attribute__((noinline, noclone)) int first(int a, int b)
{
    int sum = 0;
    for (int i = 0; i < a; i++)
        sum += weight * (b + i);
    return sum;
}

__attribute__((noinline, noclone)) int second(int a, int b)
{
    return 1000 * a + b + weight - 1;
}

__attribute__((noinline, noclone)) int caller(int a, int b)
{
    return first(a, b) + weight;
}

static uint8_t *call_of(void *function, void *to)
{
    uint8_t *at = function;
    for (size_t i = 0; i < LOOKED_THROUGH; i += HOST_ALIGN)
        if (host_transfer(at + i, to) == HOST_CALL)
            return at + i;
    return NULL;
}

static int refused(const char *why)
{
    printf("%s\n", why);
    return 3;
}

int main(void)
{
    const char *why = host_unknown();
    if (why)
        return refused(why);
    uint8_t jump[HOST_JUMP_BYTES], call[HOST_CALL_BYTES];
    uint8_t *site = call_of((void *)caller, (void *)first);
    if (!site)
        return refused("no call is found");
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *board = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    host_jump(jump, (void *)second);
    if (board == MAP_FAILED || !host_write(board, jump, sizeof jump))
        return refused("no page with code");
    printf("page %d", ((int (*)(int, int))board)(2, 3));
    printf(" before %d", caller(2, 3));
    host_call(call, site, (void *)second);
    if (!host_write(site, call, sizeof call) || host_transfer(site, (void *)second) != HOST_CALL)
        return refused("the call is not written");
    printf(" called %d", caller(2, 3));
    if (!host_write((uint8_t *)(void *)first, jump, sizeof jump))
        return refused("the function is not written");
    printf(" jumped %d\n", first(2, 3));
    return 0;
}
