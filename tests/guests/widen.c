// SPDX-License-Identifier: MIT
/*
 * Preloaded into QEMU, it widens the time between "the processor is halted" and "its instructions are counted", in which
 * QEMU's main loop must not move the clock on: WIDEN_US microseconds at every WIDEN_EVERY-th non-local jump, by which an
 * instruction that halts leaves the generated code; and the main loop looks at least every WIDEN_POLL_NS nanoseconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((noreturn)) void __longjmp_chk(struct __jmp_buf_tag *buffer, int value)
{
    static void (*next)(struct __jmp_buf_tag *, int);
    static long every, us, jumps;
    if (!next) {
        us = number("WIDEN_US");
        every = number("WIDEN_EVERY");
        next = (void (*)(struct __jmp_buf_tag *, int))dlsym(RTLD_NEXT, "__longjmp_chk");
    }
    if (every && ++jumps % every == 0) {
        struct timespec pause = {us / 1000000, us % 1000000 * 1000};
        nanosleep(&pause, NULL);
    }
    next(buffer, value);
    __builtin_unreachable();
}

int ppoll(struct pollfd *files, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
    static int (*next)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    static long most;
    if (!next) {
        most = number("WIDEN_POLL_NS");
        next = (int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))dlsym(RTLD_NEXT, "ppoll");
    }
    const struct timespec soon = {0, most};
    if (most && (!limit || limit->tv_sec || limit->tv_nsec > most))
        limit = &soon;
    return next(files, n, limit, mask);
}

int __ppoll_chk(struct pollfd *files, nfds_t n, const struct timespec *limit, const sigset_t *mask, size_t size)
{
    (void)size;
    return ppoll(files, n, limit, mask);
}
