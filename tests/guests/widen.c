// SPDX-License-Identifier: MIT
/*
 * Preloaded into QEMU, it widens the time between "the processor is halted" and "its instructions are counted", in which
 * QEMU's main loop must not move the clock on: WIDEN_US microseconds at every WIDEN_EVERY-th non-local jump, by which an
 * instruction that halts leaves the generated code; and the main loop looks at least every WIDEN_POLL_NS nanoseconds.
 * WIDEN_BEFORE_US microseconds lie in front of each halt, behind the count that bootlab's plugins make there.
 * WIDEN_LOCK_US microseconds lie behind each of the first locks that the processor's thread gives back when it was woken
 * from a halt; QEMU's big lock is one of them, and the timers have not run yet.
 * WIDEN_STAMP_US microseconds lie in front of each look of bootlab's plugin at the console's size: where the UART is
 * memory the byte is in the file then, and has no stamp yet.
 * WIDEN_ACCESS_US microseconds lie behind every WIDEN_EVERY-th access to a device, before the processor's thread does what
 * the device has left to QEMU's main loop.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static void pause_us(long us)
{
    struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    if (us)
        nanosleep(&pause, NULL);
}

void bootlab_widen_before_halt(void)
{
    pause_us(number("WIDEN_BEFORE_US"));
}

void bootlab_widen_behind_access(void)
{
    static long every = -1, us, accesses;
    if (every < 0) {
        us = number("WIDEN_ACCESS_US");
        every = number("WIDEN_EVERY");
    }
    if (every && ++accesses % every == 0)
        pause_us(us);
}

#define LOCKS_AFTER_WAKE 8

static __thread int locks_to_widen;

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    static int (*next)(pthread_cond_t *, pthread_mutex_t *);
    if (!next)
        next = (int (*)(pthread_cond_t *, pthread_mutex_t *))dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
    int result = next(condition, mutex);
    locks_to_widen = LOCKS_AFTER_WAKE;
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*next)(pthread_mutex_t *);
    static long us;
    if (!next) {
        us = number("WIDEN_LOCK_US");
        next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    }
    int result = next(mutex);
    if (locks_to_widen > 0) {
        locks_to_widen--;
        pause_us(us);
    }
    return result;
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
    if (every && ++jumps % every == 0)
        pause_us(us);
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

int fstat(int file, struct stat *facts)
{
    static long us = -1;
    if (us < 0)
        us = number("WIDEN_STAMP_US");
    pause_us(us);
    return fstatat(file, "", facts, AT_EMPTY_PATH);
}
