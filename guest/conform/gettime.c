// SPDX-License-Identifier: MIT
/* Assertions 40 to 47: timer_gettime. */
#define _GNU_SOURCE
#include "check.h"

static void time_left(void)
{
	int id = make(CLOCK_MONOTONIC);
	int64_t first, second;

	arm(id, 0, 100 * S, 0);
	first = left(id, NULL);
	doze(5);
	second = left(id, NULL);
	EXPECT(first > 0 && first <= 100 * S && second < first, "%lld ns, then %lld ns of 100 s", (long long)first,
	       (long long)second);
	arm(id, TIMER_ABSTIME, now(CLOCK_MONOTONIC) + 100 * S, 0);
	first = left(id, NULL);
	EXPECT(first > 0 && first <= 100 * S, "armed absolutely 100 s ahead: %lld ns left", (long long)first);
}

static void disarmed(void)
{
	int id = make(CLOCK_MONOTONIC);

	arm(id, 0, 100 * S, 0);
	arm(id, 0, 0, 0);
	EXPECT(left(id, NULL) == 0, "%lld ns left", (long long)left(id, NULL));
}

static void interval_kept(void)
{
	int id = make(CLOCK_MONOTONIC);
	struct itimerspec off = { .it_interval = time_of(7 * S) };
	int64_t interval;

	arm(id, 0, 100 * S, 9 * S);
	left(id, &interval);
	EXPECT(interval == 9 * S, "interval %lld ns, set 9 s", (long long)interval);
	EXPECT(api.timer_settime(id, 0, &off, NULL) == 0, "%s", error_name(errno));
	left(id, &interval);
	if (interval == 0)
		end(DEVIATION, "disarmed with an interval of 7 s, the interval reads 0 (kernel/time/posix-timers.c sets it so)");
	EXPECT(interval == 7 * S, "disarmed with 7 s: %lld ns", (long long)interval);
}

static void after_expiry(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(id, 0, 1 * MS, 0);
	EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
	EXPECT(left(id, NULL) == 0, "%lld ns left of a timer that expired", (long long)left(id, NULL));
}

static void periodic(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(id, 0, 5 * MS, 5 * MS);
	for (int i = 0; i < 40; i++) {
		int64_t value;

		/* Half of the time a notification is pending. */
		doze(2);
		value = left(id, NULL);
		EXPECT(value > 0 && value <= 5 * MS, "%lld ns left of a period of 5 ms", (long long)value);
		if (i % 4 == 3)
			take(&info, 0);
	}
}

static void without_notification(void)
{
	int id = make_with(CLOCK_MONOTONIC, SIGEV_NONE, SIG, VALUE);

	arm(id, 0, 1 * MS, 0);
	doze(10);
	EXPECT(left(id, NULL) == 0, "a one-shot timer has %lld ns left after it expired", (long long)left(id, NULL));
	arm(id, 0, 1 * MS, 1000 * S);
	doze(10);
	EXPECT(left(id, NULL) > 0, "a periodic timer stands still");
}

static void bad_id(void)
{
	struct itimerspec value;

	EXPECT_ERRNO(api.timer_gettime(deleted_timer(), &value), EINVAL);
}

static void bad_pointer(void)
{
	EXPECT_ERRNO(api.timer_gettime(make(CLOCK_MONOTONIC), (struct itimerspec *)8), EFAULT);
}

#define GETTIME "timer_gettime"
#define DESCRIPTION "DESCRIPTION"

const struct check gettime_checks[] = {
	{ 40, SHALL, false, GETTIME, DESCRIPTION, "1, 3", "it_value is the time left, also when armed absolutely", time_left },
	{ 41, SHALL, false, GETTIME, DESCRIPTION, "2", "it_value is 0 when disarmed", disarmed },
	{ 42, SHALL, false, GETTIME, DESCRIPTION, "", "it_interval is what timer_settime set last", interval_kept },
	{ 43, SHALL, false, GETTIME, DESCRIPTION, "", "it_value is 0 after a one-shot timer expired", after_expiry },
	{ 44, SHALL, false, GETTIME, DESCRIPTION, "1", "a periodic timer has more than 0 and at most its interval left", periodic },
	{ 45, LINUX, false, GETTIME, "timer_create(2)", "", "SIGEV_NONE: 0 after expiry, periodic ones go on", without_notification },
	{ 46, UNDEFINED, false, GETTIME, "ERRORS", "", "a bad ID gives EINVAL", bad_id },
	{ 47, LINUX, false, GETTIME, "timer_settime(2)", "", "EFAULT for a bad pointer", bad_pointer },
	{ 0 },
};
