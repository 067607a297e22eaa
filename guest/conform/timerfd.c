// SPDX-License-Identifier: MIT
/* Assertions 85 to 90: timerfd. */
#define _GNU_SOURCE
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "check.h"

static int open_timer(clockid_t clock, int flags)
{
	int fd = api.timerfd_create(clock, flags | TFD_CLOEXEC);

	if (fd < 0 && errno == ENOSYS)
		end(UNSUPPORTED, "no timerfd (CONFIG_TIMERFD)");
	if (fd < 0)
		end(FAIL, "timerfd_create: %s", error_name(errno));
	return fd;
}

static void set(int fd, int flags, int64_t value_ns, int64_t interval_ns)
{
	struct itimerspec value = { .it_value = time_of(value_ns), .it_interval = time_of(interval_ns) };

	if (api.timerfd_settime(fd, flags, &value, NULL))
		end(FAIL, "timerfd_settime: %s", error_name(errno));
}

static void count_is_read(void)
{
	int fd = open_timer(CLOCK_MONOTONIC, 0);
	uint64_t count = 0;
	long got;

	set(fd, 0, 5 * MS, 0);
	got = (long)api.timerfd_read(fd, &count, sizeof(count));
	EXPECT(got == 8, "read gave %ld bytes", got);
	EXPECT(count == 1, "%llu expirations of a one-shot timer", (unsigned long long)count);
	set(fd, 0, 1 * MS, 1 * MS);
	doze(20);
	api.timerfd_read(fd, &count, sizeof(count));
	EXPECT(count >= 20, "%llu expirations in 20 ms at 1 ms", (unsigned long long)count);
}

static void read_refuses(void)
{
	int fd = open_timer(CLOCK_MONOTONIC, TFD_NONBLOCK);
	uint64_t count;

	EXPECT_ERRNO(api.timerfd_read(fd, &count, sizeof(count)), EAGAIN);
	set(fd, 0, 1 * MS, 0);
	doze(10);
	EXPECT_ERRNO(api.timerfd_read(fd, &count, 4), EINVAL);
}

static void readable(void)
{
	int fd = open_timer(CLOCK_MONOTONIC, TFD_NONBLOCK), epoll = epoll_create1(EPOLL_CLOEXEC), got;
	struct epoll_event event = { .events = EPOLLIN };
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	uint64_t count;

	EXPECT(api.poll(&poll, 1, 0) == 0, "readable before it expired");
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	set(fd, 0, 5 * MS, 0);
	got = api.poll(&poll, 1, 5000);
	EXPECT(got == 1 && poll.revents == POLLIN, "poll gave %d, events %#x", got, (unsigned)poll.revents);
	EXPECT(epoll_wait(epoll, &event, 1, 1000) == 1, "epoll gave nothing");
	api.timerfd_read(fd, &count, sizeof(count));
	EXPECT(api.poll(&poll, 1, 0) == 0, "readable after the count was read");
}

static void cancelled(void)
{
	int fd = open_timer(CLOCK_REALTIME, TFD_NONBLOCK);
	int64_t start = now(CLOCK_REALTIME);
	struct timespec ahead = time_of(start + 5 * S);
	uint64_t count;

	set(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, start + 1000 * S, 0);
	if (api.clock_settime(CLOCK_REALTIME, &ahead))
		end(UNRESOLVED, "clock_settime: %s", error_name(errno));
	doze(10);
	EXPECT_ERRNO(api.timerfd_read(fd, &count, sizeof(count)), ECANCELED);
}

static void refused(void)
{
	struct itimerspec value = { .it_value = { .tv_nsec = 1000000000 } };
	struct rlimit limit;
	int fd = open_timer(CLOCK_MONOTONIC, 0), last = fd;

	EXPECT_ERRNO(api.timerfd_create(CLOCK_MONOTONIC, 0x100), EINVAL);
	EXPECT_ERRNO(api.timerfd_create(NO_CLOCK, 0), EINVAL);
	EXPECT_ERRNO(api.timerfd_settime(fd, 0, &value, NULL), EINVAL);
	value.it_value.tv_nsec = 1;
	EXPECT_ERRNO(api.timerfd_settime(fd, 0x100, &value, NULL), EINVAL);
	EXPECT_ERRNO(api.timerfd_settime(-1, 0, &value, NULL), EBADF);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)fd + 8;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 20 && last >= 0; i++)
		last = api.timerfd_create(CLOCK_MONOTONIC, 0);
	EXPECT(last < 0 && errno == EMFILE, "at RLIMIT_NOFILE: %s", error_name(errno));
}

static void sums_up(void)
{
	struct ledger ledger = { .interval_ns = 3 * MS };
	int fd = open_timer(CLOCK_MONOTONIC, 0);

	ledger.first_ns = now(CLOCK_MONOTONIC) + ledger.interval_ns;
	set(fd, TFD_TIMER_ABSTIME, ledger.first_ns, ledger.interval_ns);
	for (int i = 0; i < 15; i++) {
		uint64_t count = 0;
		int64_t safe;

		doze(8);
		safe = now(CLOCK_MONOTONIC);
		api.timerfd_read(fd, &count, sizeof(count));
		book(&ledger, safe, now(CLOCK_MONOTONIC), (int)count - 1);
	}
	note("%lld expirations accounted for", (long long)ledger.counted);
}

#define CREATE "timerfd_create"
#define PAGE "timerfd_create(2)"

const struct check timerfd_checks[] = {
	{ 85, LINUX, false, CREATE, PAGE, "", "read gives 8 bytes, the count since the last read", count_is_read },
	{ 86, LINUX, false, CREATE, PAGE, "", "EAGAIN when there is none, EINVAL for a short buffer", read_refuses },
	{ 87, LINUX, false, CREATE, PAGE, "", "poll and epoll tell when it expired", readable },
	{ 88, LINUX, true, CREATE, PAGE, "", "ECANCELED after the clock was set, when asked for", cancelled },
	{ 89, LINUX, false, CREATE, PAGE, "", "EINVAL, EBADF, EMFILE", refused },
	{ 90, LINUX, false, CREATE, PAGE, "", "the sum of the counts = elapsed / interval", sums_up },
	{ 0 },
};
