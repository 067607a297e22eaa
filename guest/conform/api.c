// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "api.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int kernel_create(clockid_t clock, struct sigevent *event, int *id)
{
	return (int)syscall(SYS_timer_create, clock, event, id);
}

static int kernel_settime(int id, int flags, const struct itimerspec *value, struct itimerspec *old)
{
	return (int)syscall(SYS_timer_settime, id, flags, value, old);
}

static int kernel_gettime(int id, struct itimerspec *value)
{
	return (int)syscall(SYS_timer_gettime, id, value);
}

static int kernel_getoverrun(int id)
{
	return (int)syscall(SYS_timer_getoverrun, id);
}

static int kernel_delete(int id)
{
	return (int)syscall(SYS_timer_delete, id);
}

static int libc_thread_timer(struct sigevent *event, const struct itimerspec *value, timer_t *id)
{
	if (timer_create(CLOCK_MONOTONIC, event, id))
		return errno;
	return timer_settime(*id, 0, value, NULL) ? errno : 0;
}

struct posix_timers_api api = {
	.timer_create = kernel_create,
	.timer_settime = kernel_settime,
	.timer_gettime = kernel_gettime,
	.timer_getoverrun = kernel_getoverrun,
	.timer_delete = kernel_delete,
	.thread_timer = libc_thread_timer,
	.sigtimedwait = sigtimedwait,
	.clock_getres = clock_getres,
	.clock_gettime = clock_gettime,
	.clock_settime = clock_settime,
	.clock_getcpuclockid = clock_getcpuclockid,
	.clock_nanosleep = clock_nanosleep,
	.nanosleep = nanosleep,
	.timerfd_create = timerfd_create,
	.timerfd_settime = timerfd_settime,
	.timerfd_read = read,
	.poll = poll,
	.timers_file = "/proc/self/timers",
};
