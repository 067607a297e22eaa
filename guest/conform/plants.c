// SPDX-License-Identifier: MIT
/*
 * A fake layer between the checks and the system: everything behaves, but for one planted bug. Each assertion has a bug
 * that its check must catch; the number of the bug is the assertion's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "api.h"
#include "check.h"

static struct posix_timers_api real;
static int plant;
static int creates, deletes, settimes, last_overrun, last_id;
static siginfo_t held;

/* Return as a function that failed. */
static int refuse(int error)
{
	errno = error;
	return -1;
}

static int fake_create(clockid_t clock, struct sigevent *event, int *id)
{
	struct sigevent changed;
	int failed;

	creates++;
	if ((plant == 6 && clock == CLOCK_REALTIME) || (plant == 7 && clock == CLOCK_MONOTONIC))
		return refuse(EINVAL);
	if (plant == 8 && clock == CLOCK_THREAD_CPUTIME_ID)
		return refuse(ENOTSUP);
	if (plant == 9 && clock < 0)
		return refuse(EINVAL);
	if (plant == 13 && creates == 20)
		return refuse(EAGAIN);
	if (plant == 14 && clock == NO_CLOCK)
		clock = CLOCK_REALTIME;
	if (plant == 2 && creates % 500 == 0) {
		*id = last_id;
		return 0;
	}
	if (plant == 5 && !event) {
		changed = (struct sigevent){ .sigev_signo = SIGALRM, .sigev_value.sival_int = 0x5555 };
		event = &changed;
	} else if ((uintptr_t)event > 4096) {
		changed = *event;
		event = &changed;
		if (plant == 16 && changed.sigev_notify == SIGEV_NONE)
			changed.sigev_notify = SIGEV_SIGNAL;
		if (plant == 18 && changed.sigev_signo == 0)
			changed.sigev_signo = SIG;
		if (plant == 19 && changed.sigev_notify == SIGEV_THREAD_ID)
			changed.sigev_notify = SIGEV_SIGNAL;
	}
	failed = real.timer_create(clock, event, id);
	if (failed && plant == 12 && errno == EAGAIN)
		return refuse(ENOMEM);
	if (failed && plant == 15 && errno == ENOTSUP)
		return refuse(EINVAL);
	if (failed)
		return failed;
	last_id = *id;
	if (plant == 1 || plant == 20)
		*id += 1000003;
	if (plant == 3) {
		struct itimerspec soon = { .it_value = time_of(1 * MS) };

		real.timer_settime(*id, 0, &soon, NULL);
	}
	return 0;
}

static bool good_ns(long ns)
{
	return ns >= 0 && ns < 1000000000;
}

static int fake_settime(int id, int flags, const struct itimerspec *value, struct itimerspec *old)
{
	struct itimerspec changed, before;
	int64_t value_ns, interval_ns;
	int failed;

	settimes++;
	if (plant == 38 && !value)
		return refuse(EFAULT);
	if ((uintptr_t)value <= 4096)
		return real.timer_settime(id, flags, value, old);
	changed = *value;
	if (!good_ns(changed.it_value.tv_nsec) || !good_ns(changed.it_interval.tv_nsec)) {
		static const struct itimerspec never;

		if (plant == 34)
			real.timer_settime(id, 0, &never, NULL);
		return plant == 33 ? 0 : real.timer_settime(id, flags, value, old);
	}
	value_ns = ns_of(changed.it_value);
	interval_ns = ns_of(changed.it_interval);
	if (plant == 21 || (plant == 23 && !value_ns) || (plant == 22 && settimes > 1))
		return 0;
	if (plant == 25)
		value_ns /= 8;
	if (plant == 26)
		flags = 0;
	if (plant == 27 && flags && value_ns < 2 * S)
		return refuse(EINVAL);
	if (plant == 28)
		interval_ns = 0;
	if (plant == 29)
		value_ns -= value_ns % (50 * MS);
	if (plant == 30)
		value_ns -= 15 * MS;
	if (plant == 31)
		interval_ns += interval_ns / 3;
	changed.it_value = time_of(value_ns);
	changed.it_interval = time_of(interval_ns);
	failed = real.timer_settime(id, flags, &changed, old ? &before : NULL);
	if (failed && plant == 36 && errno == EINVAL)
		return 0;
	if (!failed && old)
		*old = plant == 32 ? (struct itimerspec){ 0 } : before;
	return failed;
}

static int fake_gettime(int id, struct itimerspec *value)
{
	int failed = real.timer_gettime(id, value);
	struct timespec monotonic;

	if (failed && ((plant == 10 && errno == EINVAL) || (plant == 46 && errno == EINVAL) || (plant == 47 && errno == EFAULT)))
		return 0;
	if (failed)
		return failed;
	real.clock_gettime(CLOCK_MONOTONIC, &monotonic);
	if (plant == 40 && ns_of(value->it_value))
		value->it_value = time_of(ns_of(value->it_value) + ns_of(monotonic));
	if ((plant == 41 || plant == 43) && !ns_of(value->it_value))
		value->it_value = time_of(1);
	if (plant == 42)
		value->it_interval = time_of(ns_of(value->it_interval) / 2);
	if (plant == 44)
		value->it_value = time_of(ns_of(value->it_value) + ns_of(value->it_interval));
	if (plant == 45)
		value->it_value = time_of(0);
	return 0;
}

static int fake_getoverrun(int id)
{
	int count = real.timer_getoverrun(id);

	if (count < 0 && plant == 53 && errno == EINVAL)
		return 0;
	if (count > 0 && plant == 49)
		return count - 1;
	if (count >= 0 && plant == 50)
		return last_overrun;
	if (plant == 51)
		return -count;
	return plant == 52 ? 7 : count;
}

static int fake_delete(int id)
{
	int failed;

	deletes++;
	if (plant == 57 || (plant == 60 && deletes % 2))
		return 0;
	failed = real.timer_delete(id);
	return failed && plant == 59 ? 0 : failed;
}

static int fake_thread_timer(struct sigevent *event, const struct itimerspec *value, timer_t *id)
{
	struct sigevent changed = *event;

	if (plant == 17)
		changed.sigev_value.sival_int++;
	if (plant == 35)
		return EBADF;
	return real.thread_timer(&changed, value, id);
}

static int invent(siginfo_t *info)
{
	memset(info, 0, sizeof(*info));
	info->si_signo = SIG;
	info->si_code = SI_TIMER;
	return SIG;
}

static int fake_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	int signo;

	if (plant == 11 || plant == 24 || plant == 58)
		return invent(info);
	if (plant == 48 && held.si_signo) {
		*info = held;
		return info->si_signo;
	}
	if (plant == 56 && held.si_signo) {
		*info = held;
		held.si_signo = 0;
		return info->si_signo;
	}
	if (plant == 56 && real.sigtimedwait(set, &held, timeout) < 0)
		return -1;
	signo = real.sigtimedwait(set, info, timeout);
	if (signo < 0 && plant == 56 && held.si_signo) {
		*info = held;
		held.si_signo = 0;
		return info->si_signo;
	}
	if (signo < 0)
		return signo;
	last_overrun = info->si_overrun;
	if (plant == 37)
		return refuse(EAGAIN);
	if (plant == 4)
		info->si_code = SI_QUEUE;
	if (plant == 48)
		held = *info;
	if (plant == 54)
		info->si_overrun++;
	if (plant == 55)
		info->si_overrun = 0;
	return signo;
}

static int fake_getres(clockid_t clock, struct timespec *resolution)
{
	int failed = real.clock_getres(clock, resolution);

	if (!failed && plant == 61 && resolution)
		*resolution = time_of(50 * MS);
	return failed;
}

static int fake_clock_gettime(clockid_t clock, struct timespec *time)
{
	static _Thread_local int calls;
	int failed;

	if (plant == 65 && clock == CLOCK_PROCESS_CPUTIME_ID)
		clock = CLOCK_MONOTONIC;
	failed = real.clock_gettime(clock, time);
	if (failed && plant == 62)
		return 0;
	if (!failed && plant == 63)
		time->tv_nsec += 1000000000;
	if (!failed && plant == 64 && ++calls % 1000 == 0)
		*time = time_of(ns_of(*time) - 1 * S);
	return failed;
}

static int fake_clock_settime(clockid_t clock, const struct timespec *value)
{
	struct timespec changed = *value;
	int failed;

	if (plant == 67)
		changed.tv_sec -= 2;
	failed = real.clock_settime(clock, &changed);
	if (failed && plant == 68)
		return 0;
	if (failed && plant == 69)
		return refuse(EINVAL);
	return failed;
}

static int fake_getcpuclockid(pid_t pid, clockid_t *clock)
{
	int failed = real.clock_getcpuclockid(pid, clock);

	return failed && plant == 71 ? refuse(failed) : failed;
}

static int fake_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	struct timespec changed = *time;
	sigset_t set;
	int failed;

	if (plant == 72 && !flags && good_ns(time->tv_nsec))
		changed = time_of(ns_of(*time) / 10);
	if (plant == 73 && flags)
		changed = time_of(ns_of(*time) - 20 * MS);
	if (plant == 74 && flags)
		return EINVAL;
	if (plant == 70 && flags) {
		struct timespec current;

		/* The time to wait is worked out once, and steps of the clock go unseen. */
		real.clock_gettime(clock, &current);
		changed = time_of(ns_of(*time) - ns_of(current));
		return real.clock_nanosleep(CLOCK_MONOTONIC, 0, &changed, rest);
	}
	if (plant == 80) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		sigprocmask(SIG_BLOCK, &set, NULL);
	}
	failed = real.clock_nanosleep(clock, flags, &changed, rest);
	if (failed == EINTR && plant == 78 && rest)
		*rest = time_of(0);
	if (failed == EINTR && plant == 79 && rest)
		*rest = time_of(1 * S);
	if (failed == EINTR && plant == 77)
		return 0;
	if (!failed && plant == 75)
		return EINTR;
	if (failed && plant == 76)
		return refuse(failed);
	if (failed == EINVAL && plant == 81)
		return 0;
	return failed == ENOTSUP && plant == 82 ? EINVAL : failed;
}

static int fake_nanosleep(const struct timespec *time, struct timespec *rest)
{
	int failed = real.nanosleep(time, rest);

	if (failed && plant == 83 && errno == EINVAL)
		return 0;
	return failed && plant == 84 && errno == EINTR ? 0 : failed;
}

static int fake_timerfd_create(int clock, int flags)
{
	return real.timerfd_create(clock, plant == 89 ? flags & (TFD_CLOEXEC | TFD_NONBLOCK) : flags);
}

static ssize_t fake_timerfd_read(int fd, void *count, size_t bytes)
{
	ssize_t got = real.timerfd_read(fd, count, bytes);
	uint64_t value;

	if (got < 0 && plant == 86 && errno == EAGAIN)
		return 0;
	if (got < 0 && plant == 88 && errno == ECANCELED)
		return refuse(EAGAIN);
	if (got < 0 || (plant != 85 && plant != 90))
		return got;
	memcpy(&value, count, sizeof(value));
	value = plant == 85 ? 0 : value + 1;
	memcpy(count, &value, sizeof(value));
	return got;
}

static int fake_poll(struct pollfd *fds, nfds_t count, int ms)
{
	return plant == 87 && ms ? 0 : real.poll(fds, count, ms);
}

void api_plant(int number)
{
	real = api;
	plant = number;
	api = (struct posix_timers_api){
		.timer_create = fake_create,
		.timer_settime = fake_settime,
		.timer_gettime = fake_gettime,
		.timer_getoverrun = fake_getoverrun,
		.timer_delete = fake_delete,
		.thread_timer = fake_thread_timer,
		.sigtimedwait = fake_sigtimedwait,
		.clock_getres = fake_getres,
		.clock_gettime = fake_clock_gettime,
		.clock_settime = fake_clock_settime,
		.clock_getcpuclockid = fake_getcpuclockid,
		.clock_nanosleep = fake_clock_nanosleep,
		.nanosleep = fake_nanosleep,
		.timerfd_create = fake_timerfd_create,
		.timerfd_settime = real.timerfd_settime,
		.timerfd_read = fake_timerfd_read,
		.poll = fake_poll,
		.timers_file = plant == 39 ? "/dev/null" : real.timers_file,
	};
}
