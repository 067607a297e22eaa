// SPDX-License-Identifier: MIT
/* Assertions 61 to 71: clock_getres, clock_gettime, clock_settime, clock_getcpuclockid. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void resolutions(void)
{
	static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC };

	for (int i = 0; i < 2; i++) {
		struct timespec resolution = { -1, -1 };

		EXPECT(api.clock_getres(clocks[i], &resolution) == 0, "%s", error_name(errno));
		/* _POSIX_CLOCKRES_MIN is 20 ms. */
		EXPECT(ns_of(resolution) > 0 && ns_of(resolution) <= 20 * MS, "clock %d: %lld ns", (int)clocks[i],
		       (long long)ns_of(resolution));
		EXPECT(api.clock_getres(clocks[i], NULL) == 0, "res NULL: %s", error_name(errno));
		note("%lld ns", (long long)ns_of(resolution));
	}
}

static void unknown(void)
{
	struct timespec time = { 1, 0 };

	EXPECT_ERRNO(api.clock_getres(NO_CLOCK, &time), EINVAL);
	EXPECT_ERRNO(api.clock_gettime(NO_CLOCK, &time), EINVAL);
	EXPECT_ERRNO(api.clock_settime(NO_CLOCK, &time), EINVAL);
}

static void since_the_epoch(void)
{
	struct timespec read;
	time_t before, after;

	for (int i = 0; i < 1000; i++) {
		before = time(NULL);
		EXPECT(api.clock_gettime(CLOCK_REALTIME, &read) == 0, "%s", error_name(errno));
		after = time(NULL);
		EXPECT(read.tv_nsec >= 0 && read.tv_nsec <= 999999999, "tv_nsec %ld", read.tv_nsec);
		/* time() may stand at the last tick, one behind the clock. */
		EXPECT(read.tv_sec >= before && read.tv_sec <= after + 1, "%lld s, time() gives %lld",
		       (long long)read.tv_sec, (long long)before);
	}
}

static atomic_llong latest;
static atomic_llong back_by;

static void *look(void *nothing)
{
	(void)nothing;
	for (int i = 0; i < 20000; i++) {
		/* Whatever was read before this reading began must not be more than it. */
		long long before = atomic_load(&latest), time = now(CLOCK_MONOTONIC);

		if (time < before && before - time > atomic_load(&back_by))
			atomic_store(&back_by, before - time);
		while (time > before && !atomic_compare_exchange_weak(&latest, &before, time))
			continue;
	}
	return NULL;
}

static void never_back(void)
{
	struct timespec time = { 1000, 0 };
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, look, NULL))
			end(UNRESOLVED, "no thread");
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	EXPECT(atomic_load(&back_by) == 0, "it went back by %lld ns", (long long)atomic_load(&back_by));
	EXPECT_ERRNO(api.clock_settime(CLOCK_MONOTONIC, &time), EINVAL);
}

static void cpu_time(void)
{
	static const clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID };

	for (int i = 0; i < 2; i++) {
		int64_t start = now(clocks[i]), busy, asleep;

		burn(20);
		busy = now(clocks[i]);
		EXPECT(busy - start >= 10 * MS, "clock %d: %lld ns while computing for 20 ms", (int)clocks[i],
		       (long long)(busy - start));
		doze(60);
		asleep = now(clocks[i]) - busy;
		EXPECT(asleep < 40 * MS, "clock %d: %lld ns while asleep for 60 ms", (int)clocks[i], (long long)asleep);
	}
}

static void overflow(void)
{
	if (sizeof(time_t) > 4)
		end(UNSUPPORTED, "time_t has %d bits: seconds always fit", (int)sizeof(time_t) * 8);
	end(UNTESTED, "the clock would have to stand beyond 2038");
}

static void set_truncates(void)
{
	int64_t wanted = now(CLOCK_REALTIME) + 10 * S + 123456789, got, took = now(CLOCK_MONOTONIC);
	struct timespec value = time_of(wanted);

	if (api.clock_settime(CLOCK_REALTIME, &value))
		end(UNRESOLVED, "clock_settime: %s", error_name(errno));
	got = now(CLOCK_REALTIME);
	took = now(CLOCK_MONOTONIC) - took;
	/* The resolution is a nanosecond: there is nothing to truncate. Coarser clocks may stand one step below. */
	EXPECT(got >= wanted - 20 * MS && got <= wanted + took, "set to %lld ns, reads %lld ns", (long long)wanted,
	       (long long)got);
}

static void set_refuses(void)
{
	struct timespec value = { 1000, 0 };

	EXPECT_ERRNO(api.clock_settime(CLOCK_MONOTONIC, &value), EINVAL);
	value = time_of(now(CLOCK_REALTIME));
	value.tv_nsec = -1;
	EXPECT_ERRNO(api.clock_settime(CLOCK_REALTIME, &value), EINVAL);
	value.tv_nsec = 1000000000;
	EXPECT_ERRNO(api.clock_settime(CLOCK_REALTIME, &value), EINVAL);
}

static void set_needs_privilege(void)
{
	struct timespec value;

	if (geteuid() == 0 && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		end(UNRESOLVED, "cannot drop privileges: %s", error_name(errno));
	value = time_of(now(CLOCK_REALTIME));
	EXPECT_ERRNO(api.clock_settime(CLOCK_REALTIME, &value), EPERM);
}

static void set_moves_sleepers(void)
{
	int64_t start = now(CLOCK_REALTIME), monotonic;
	struct timespec until = time_of(start + 100 * S), ahead = time_of(start + 200 * S), rest = time_of(300 * MS);
	pid_t absolute = fork(), relative;
	int status;

	if (absolute == 0)
		_exit(api.clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL));
	relative = fork();
	if (relative == 0) {
		monotonic = now(CLOCK_MONOTONIC);
		api.clock_nanosleep(CLOCK_REALTIME, 0, &rest, NULL);
		_exit(now(CLOCK_MONOTONIC) - monotonic < 300 * MS);
	}
	doze(50);
	if (api.clock_settime(CLOCK_REALTIME, &ahead))
		end(UNRESOLVED, "clock_settime: %s", error_name(errno));
	waitpid(relative, &status, 0);
	EXPECT(status == 0, "a relative sleep ended with the step of the clock");
	for (int i = 0; i < 100; i++) {
		if (waitpid(absolute, &status, WNOHANG) == absolute)
			return;
		doze(10);
	}
	end(FAIL, "an absolute sleep goes on although its time is past");
}

static void clock_of_process(void)
{
	clockid_t clock;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	EXPECT_NUMBER(api.clock_getcpuclockid(0, &clock), 0);
	EXPECT(now(clock) > 0, "the clock of process 0 stands at 0");
	EXPECT_NUMBER(api.clock_getcpuclockid(getpid(), &clock), 0);
	EXPECT(now(clock) > 0, "the process's clock stands at 0");
	waitpid(child, NULL, 0);
	EXPECT_NUMBER(api.clock_getcpuclockid(child, &clock), ESRCH);
}

#define DESCRIPTION "DESCRIPTION"
#define ERRORS "ERRORS"

const struct check clock_checks[] = {
	{ 61, SHALL, false, "clock_getres", DESCRIPTION, "1, 2, 3, 4", "a positive resolution of at most 20 ms; NULL allowed", resolutions },
	{ 62, SHALL, false, "clock_getres", ERRORS, "6, 8, 17", "EINVAL for an unknown clock, by all three functions", unknown },
	{ 63, SHALL, false, "clock_gettime", DESCRIPTION, "1, 2", "CLOCK_REALTIME is the time since the Epoch", since_the_epoch },
	{ 64, SHALL, false, "clock_gettime", DESCRIPTION, "3", "CLOCK_MONOTONIC never goes back and cannot be set", never_back },
	{ 65, SHALL, false, "clock_gettime", DESCRIPTION, "4, 5", "CPU-time clocks run while computing, not while asleep", cpu_time },
	{ 66, SHALL, false, "clock_gettime", ERRORS, "", "EOVERFLOW if the seconds do not fit", overflow },
	{ 67, SHALL, true, "clock_settime", DESCRIPTION, "1, 2", "sets the clock, truncated down to the resolution", set_truncates },
	{ 68, SHALL, false, "clock_settime", ERRORS, "18, 19, 20", "EINVAL for CLOCK_MONOTONIC and for bad nanoseconds", set_refuses },
	{ 69, MAY, false, "clock_settime", ERRORS, "21", "EPERM without privilege", set_needs_privilege },
	{ 70, SHALL, true, "clock_settime", DESCRIPTION, "7, 8", "moves absolute sleeps on CLOCK_REALTIME, not relative ones", set_moves_sleepers },
	{ 71, SHALL, false, "clock_getcpuclockid", DESCRIPTION, "1-6", "gives a usable clock; ESRCH is returned", clock_of_process },
	{ 0 },
};
