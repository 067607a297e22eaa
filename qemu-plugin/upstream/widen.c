// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into QEMU: holds the vCPU's thread for WIDEN_US microseconds at each non-local jump, by which an instruction that
 * halts leaves the generated code, and has the main loop look at least every 200 us. It changes no result of any function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noreturn)) void __longjmp_chk(struct __jmp_buf_tag *buffer, int value)
{
    static void (*next)(struct __jmp_buf_tag *, int);
    static long us;
    if (!next) {
        us = getenv("WIDEN_US") ? atol(getenv("WIDEN_US")) : 0;
        next = (void (*)(struct __jmp_buf_tag *, int))dlsym(RTLD_NEXT, "__longjmp_chk");
    }
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
    next(buffer, value);
    __builtin_unreachable();
}

int ppoll(struct pollfd *files, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
    static int (*next)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    if (!next)
        next = (int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))dlsym(RTLD_NEXT, "ppoll");
    static const struct timespec soon = {.tv_nsec = 200000};
    return next(files, n, !limit || limit->tv_sec || limit->tv_nsec > soon.tv_nsec ? &soon : limit, mask);
}

int __ppoll_chk(struct pollfd *files, nfds_t n, const struct timespec *limit, const sigset_t *mask, size_t size)
{
    (void)size;
    return ppoll(files, n, limit, mask);
}
