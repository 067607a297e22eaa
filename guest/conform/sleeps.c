// SPDX-License-Identifier: MIT
/* Assertions 72 to 84: clock_nanosleep, nanosleep. */
#define _GNU_SOURCE
#include <string.h>

#include "check.h"

static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME };

static void relative(void)
{
	for (int i = 0; i < 3; i++) {
		struct timespec time = time_of(30 * MS);
		int64_t start = now(clocks[i]), took;

		EXPECT_NUMBER(api.clock_nanosleep(clocks[i], 0, &time, NULL), 0);
		took = now(clocks[i]) - start;
		EXPECT(took >= 30 * MS, "clock %d: %lld ns of 30 ms", (int)clocks[i], (long long)took);
	}
}

static void absolute(void)
{
	for (int i = 0; i < 3; i++) {
		int64_t due = now(clocks[i]) + 30 * MS;
		struct timespec time = time_of(due);

		EXPECT_NUMBER(api.clock_nanosleep(clocks[i], TIMER_ABSTIME, &time, NULL), 0);
		EXPECT(now(clocks[i]) >= due, "clock %d: %lld ns early", (int)clocks[i], (long long)(due - now(clocks[i])));
	}
}

static void in_the_past(void)
{
	struct timespec time = time_of(now(CLOCK_MONOTONIC));
	int64_t start = now(CLOCK_MONOTONIC);

	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL), 0);
	time = time_of(1);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL), 0);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL), 0);
	note("three calls took %lld ns", (long long)(now(CLOCK_MONOTONIC) - start));
}

static void returns_nought(void)
{
	struct timespec time = { 0, 0 };

	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
	time = time_of(5 * MS);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
	EXPECT(api.nanosleep(&time, NULL) == 0, "nanosleep: %s", error_name(errno));
}

static void error_is_returned(void)
{
	struct timespec time = { 0, -1 };

	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), EINVAL);
	EXPECT_ERRNO(api.nanosleep(&time, NULL), EINVAL);
}

static volatile sig_atomic_t caught;

static void on_signal(int signo)
{
	caught = signo;
}

/* A signal that comes every 20 ms, so that one before the sleep does no harm. */
static int interrupter(int signo)
{
	int id = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, signo, 0);

	arm(id, 0, 20 * MS, 20 * MS);
	return id;
}

static void interrupted(void)
{
	struct timespec time = time_of(3 * S);
	int id;

	signal(SIGUSR1, on_signal);
	id = interrupter(SIGUSR1);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), EINTR);
	api.timer_delete(id);
	EXPECT(caught == SIGUSR1, "the handler did not run");
	time = time_of(60 * MS);
	signal(SIGUSR1, SIG_IGN);
	id = interrupter(SIGUSR1);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
	api.timer_delete(id);
	/* SIGCHLD is ignored by default. */
	signal(SIGCHLD, SIG_DFL);
	interrupter(SIGCHLD);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
}

static void rest_is_told(void)
{
	struct timespec time = time_of(3 * S), rest = { -1, -1 };
	int64_t start, slept;

	signal(SIGUSR1, on_signal);
	interrupter(SIGUSR1);
	start = now(CLOCK_MONOTONIC);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &rest), EINTR);
	slept = now(CLOCK_MONOTONIC) - start;
	EXPECT(ns_of(rest) > 0 && ns_of(rest) < 3 * S && ns_of(rest) + slept >= 3 * S, "slept %lld ns, %lld ns left of 3 s",
	       (long long)slept, (long long)ns_of(rest));
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time), EINTR);
	EXPECT(ns_of(time) > 0 && ns_of(time) < 3 * S, "one object for both: %lld ns left", (long long)ns_of(time));
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), EINTR);
}

static void no_rest_when_absolute(void)
{
	struct timespec time = time_of(now(CLOCK_MONOTONIC) + 3 * S), rest = { 12345, 6789 };

	signal(SIGUSR1, on_signal);
	interrupter(SIGUSR1);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, &rest), EINTR);
	EXPECT(rest.tv_sec == 12345 && rest.tv_nsec == 6789, "rmtp was written");
}

static void signals_untouched(void)
{
	struct timespec time = time_of(5 * MS);
	struct sigaction before, after;
	sigset_t mask_before, mask_after;

	sigprocmask(SIG_BLOCK, NULL, &mask_before);
	sigaction(SIGALRM, NULL, &before);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
	EXPECT(api.nanosleep(&time, NULL) == 0, "nanosleep: %s", error_name(errno));
	sigprocmask(SIG_BLOCK, NULL, &mask_after);
	sigaction(SIGALRM, NULL, &after);
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		EXPECT(sigismember(&mask_before, signo) == sigismember(&mask_after, signo), "the mask of signal %d changed",
		       signo);
	EXPECT(before.sa_handler == after.sa_handler && before.sa_flags == after.sa_flags, "SIGALRM's action changed");
}

static void refused(void)
{
	struct timespec time = { 0, 1000000000 };

	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), EINVAL);
	time.tv_nsec = -1;
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_REALTIME, 0, &time, NULL), EINVAL);
	time = (struct timespec){ -1, 0 };
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), EINVAL);
	time = time_of(1 * MS);
	EXPECT_NUMBER(api.clock_nanosleep(NO_CLOCK, 0, &time, NULL), EINVAL);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &time, NULL), EINVAL);
}

static void cannot_sleep(void)
{
	struct timespec time = time_of(1 * MS);

	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &time, NULL), ENOTSUP);
	EXPECT_NUMBER(api.clock_nanosleep(CLOCK_MONOTONIC_COARSE, 0, &time, NULL), ENOTSUP);
}

static void equivalent(void)
{
	static const struct timespec times[] = { { 0, 0 }, { 0, 20000000 }, { 0, 1000000000 }, { -1, 0 } };

	for (int i = 0; i < 4; i++) {
		int number = api.clock_nanosleep(CLOCK_REALTIME, 0, &times[i], NULL);
		int error = api.nanosleep(&times[i], NULL) ? errno : 0;

		EXPECT(number == error, "{%lld, %ld}: clock_nanosleep %d, nanosleep %d", (long long)times[i].tv_sec,
		       times[i].tv_nsec, number, error);
	}
}

static void plain_sleep(void)
{
	struct timespec time = time_of(30 * MS), rest = { 0, 0 };
	int64_t start = now(CLOCK_MONOTONIC), took;

	EXPECT(api.nanosleep(&time, NULL) == 0, "%s", error_name(errno));
	took = now(CLOCK_MONOTONIC) - start;
	EXPECT(took >= 30 * MS, "%lld ns of 30 ms", (long long)took);
	signal(SIGUSR1, on_signal);
	interrupter(SIGUSR1);
	time = time_of(3 * S);
	EXPECT_ERRNO(api.nanosleep(&time, &rest), EINTR);
	EXPECT(ns_of(rest) > 0 && ns_of(rest) < 3 * S, "%lld ns left of 3 s", (long long)ns_of(rest));
	time.tv_nsec = -1;
	EXPECT_ERRNO(api.nanosleep(&time, NULL), EINVAL);
}

#define SLEEP "clock_nanosleep"
#define DESCRIPTION "DESCRIPTION"
#define ERRORS "ERRORS"

const struct check sleep_checks[] = {
	{ 72, SHALL, false, SLEEP, DESCRIPTION, "1, 4", "relative: at least the interval on that clock", relative },
	{ 73, SHALL, false, SLEEP, DESCRIPTION, "2, 5", "absolute: at least until the clock reaches the value", absolute },
	{ 74, SHALL, false, SLEEP, DESCRIPTION, "3", "an absolute time that is past returns 0", in_the_past },
	{ 75, SHALL, false, SLEEP, "RETURN VALUE", "8", "returns 0 when the time has elapsed", returns_nought },
	{ 76, SHALL, false, SLEEP, "RETURN VALUE", "10", "returns the error number; nanosleep returns -1 and sets errno", error_is_returned },
	{ 77, SHALL, false, SLEEP, ERRORS, "10", "EINTR for a caught signal, not for an ignored one", interrupted },
	{ 78, SHALL, false, SLEEP, DESCRIPTION, "9", "rmtp gives what was not slept; may be rqtp or NULL", rest_is_told },
	{ 79, SHALL, false, SLEEP, DESCRIPTION, "9", "absolute: rmtp is not written", no_rest_when_absolute },
	{ 80, SHALL, false, SLEEP, DESCRIPTION, "6", "signal actions and mask stay", signals_untouched },
	{ 81, SHALL, false, SLEEP, ERRORS, "11, 12, 13", "EINVAL: nanoseconds, unknown clock, the thread's CPU time", refused },
	{ 82, SHALL, false, SLEEP, ERRORS, "14", "ENOTSUP for a clock that cannot sleep", cannot_sleep },
	{ 83, SHALL, false, SLEEP, DESCRIPTION, "15", "on CLOCK_REALTIME, relative: equivalent to nanosleep", equivalent },
	{ 84, SHALL, false, "nanosleep", DESCRIPTION, "nanosleep 1-7", "sleeps the interval; EINVAL, EINTR with the rest", plain_sleep },
	{ 0 },
};
