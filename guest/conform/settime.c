// SPDX-License-Identifier: MIT
/* Assertions 21 to 39: timer_settime. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static void arms(void)
{
	siginfo_t info;

	arm(make(CLOCK_MONOTONIC), 0, 10 * MS, 0);
	EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
}

static void arms_anew(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(id, 0, 3600 * S, 0);
	arm(id, 0, 10 * MS, 0);
	EXPECT(take(&info, 5000) == SIG, "the second, shorter time did not hold");
	arm(id, 0, 500 * MS, 0);
	arm(id, 0, 3600 * S, 0);
	EXPECT(left(id, NULL) > 3000 * S, "the second, longer time did not hold");
}

static void disarms(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(id, 0, 200 * MS, 50 * MS);
	arm(id, 0, 0, 0);
	EXPECT(left(id, NULL) == 0, "time left after it_value 0");
	EXPECT(take(&info, 300) < 0, "expired after it_value 0");
}

static void pending_when_disarmed(void)
{
	int id = make(CLOCK_MONOTONIC), count = 0;
	siginfo_t info;

	arm(id, 0, 1 * MS, 0);
	doze(20);
	arm(id, 0, 0, 0);
	while (take(&info, 0) >= 0 && count < 3)
		count++;
	EXPECT(count <= 1, "%d notifications of one expiration", count);
	note("%s", count ? "the pending notification was delivered" : "the pending notification was discarded");
}

static void relative(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;
	int64_t took = 0;

	for (int i = 0; i < 5; i++) {
		int64_t start = now(CLOCK_MONOTONIC);

		arm(id, 0, 40 * MS, 0);
		EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
		took = now(CLOCK_MONOTONIC) - start;
		EXPECT(took >= 40 * MS, "expired %lld ns after the call, asked for 40 ms", (long long)took);
	}
	note("the last 40 ms took %lld ns", (long long)took);
}

static void absolute(void)
{
	siginfo_t info;
	int64_t due = now(CLOCK_MONOTONIC) + 40 * MS, late;

	arm(make(CLOCK_MONOTONIC), TIMER_ABSTIME, due, 0);
	EXPECT(take(&info, 3000) == SIG, "no expiration within 3 s");
	late = now(CLOCK_MONOTONIC) - due;
	EXPECT(late >= 0, "%lld ns early", (long long)-late);
	note("%lld ns late", (long long)late);
}

static void in_the_past(void)
{
	int id = make(CLOCK_REALTIME);
	siginfo_t info;

	arm(id, TIMER_ABSTIME, 1 * S, 0);
	EXPECT(take(&info, 5000) == SIG, "no notification of a time that is past");
	arm(id, TIMER_ABSTIME, now(CLOCK_REALTIME) - 1 * S, 1 * MS);
	EXPECT(take(&info, 5000) == SIG, "no notification of a periodic timer in the past");
	note("overrun %d after 1 s in the past at 1 ms", info.si_overrun);
}

static void periodic_or_not(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(id, 0, 5 * MS, 5 * MS);
	for (int i = 0; i < 3; i++)
		EXPECT(take(&info, 5000) == SIG, "a periodic timer expired %d times", i);
	arm(id, 0, 0, 0);
	while (take(&info, 0) >= 0)
		continue;
	arm(id, 0, 5 * MS, 0);
	EXPECT(take(&info, 5000) == SIG, "a one-shot timer did not expire");
	EXPECT(take(&info, 60) < 0, "a one-shot timer expired twice");
}

static void rounds_up(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	/* Values that are multiples of nothing coarser than a nanosecond: rounding down shows as an early expiration. */
	for (int i = 0; i < 20; i++) {
		int64_t due = now(CLOCK_MONOTONIC) + 10 * MS + 700001 * i;

		arm(id, TIMER_ABSTIME, due, 0);
		EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
		EXPECT(now(CLOCK_MONOTONIC) >= due, "%lld ns early", (long long)(due - now(CLOCK_MONOTONIC)));
	}
}

#define MANY 50

static void never_early(void)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME };
	static int64_t due[MANY];
	siginfo_t info;

	for (int i = 0; i < MANY; i++) {
		int id = make_with(clocks[i % 3], SIGEV_SIGNAL, SIG, i);

		due[i] = now(clocks[i % 3]) + (20 + i * 4) * MS;
		arm(id, TIMER_ABSTIME, due[i], 0);
	}
	for (int i = 0; i < MANY; i++) {
		int index, got;

		burn(1);
		got = take(&info, 5000);
		index = info.si_value.sival_int;
		EXPECT(got == SIG && index >= 0 && index < MANY, "%d of %d expired", i, MANY);
		EXPECT(now(clocks[index % 3]) >= due[index], "clock %d: %lld ns early", (int)clocks[index % 3],
		       (long long)(due[index] - now(clocks[index % 3])));
	}
}

static void no_drift(void)
{
	struct ledger ledger = { .interval_ns = 7 * MS };
	siginfo_t info;

	ledger.first_ns = now(CLOCK_MONOTONIC) + ledger.interval_ns;
	arm(make(CLOCK_MONOTONIC), TIMER_ABSTIME, ledger.first_ns, ledger.interval_ns);
	while (ledger.counted < 30) {
		int64_t safe;

		doze(11);
		safe = now(CLOCK_MONOTONIC);
		if (take(&info, 1000) == SIG)
			book(&ledger, safe, now(CLOCK_MONOTONIC), info.si_overrun);
		else
			end(FAIL, "no expiration for 1 s");
	}
	note("%lld periods of 7 ms", (long long)ledger.counted);
}

static void old_value(void)
{
	struct itimerspec value = { .it_value = time_of(10 * S), .it_interval = time_of(3 * S) }, old;
	int id = make(CLOCK_MONOTONIC);

	memset(&old, 0xff, sizeof(old));
	EXPECT(api.timer_settime(id, 0, &value, &old) == 0, "%s", error_name(errno));
	EXPECT(ns_of(old.it_value) == 0 && ns_of(old.it_interval) == 0, "a disarmed timer had %lld ns",
	       (long long)ns_of(old.it_value));
	EXPECT(api.timer_settime(id, 0, &value, &old) == 0, "%s", error_name(errno));
	EXPECT(ns_of(old.it_value) > 0 && ns_of(old.it_value) <= 10 * S, "%lld ns left of 10 s",
	       (long long)ns_of(old.it_value));
	EXPECT(ns_of(old.it_interval) == 3 * S, "interval %lld ns, set 3 s", (long long)ns_of(old.it_interval));
	EXPECT(api.timer_settime(id, 0, &value, NULL) == 0, "ovalue NULL: %s", error_name(errno));
}

static const long bad_ns[] = { -1, 1000000000, 2000000000 };

static void bad_nanoseconds(void)
{
	int id = make(CLOCK_MONOTONIC);

	for (int i = 0; i < 3; i++) {
		struct itimerspec value = { .it_value = { .tv_sec = 5, .tv_nsec = bad_ns[i] } };

		EXPECT_ERRNO(api.timer_settime(id, 0, &value, NULL), EINVAL);
		value.it_value.tv_nsec = 0;
		value.it_interval.tv_nsec = bad_ns[i];
		EXPECT_ERRNO(api.timer_settime(id, 0, &value, NULL), EINVAL);
	}
}

static void failure_changes_nothing(void)
{
	struct itimerspec bad = { .it_value = { .tv_sec = 5, .tv_nsec = -1 } };
	int id = make(CLOCK_MONOTONIC);
	int64_t interval;

	arm(id, 0, 100 * S, 9 * S);
	if (api.timer_settime(id, 0, &bad, NULL) == 0)
		end(UNRESOLVED, "the call that shall fail did not");
	EXPECT(left(id, &interval) > 90 * S && interval == 9 * S, "after a refused call %lld ns left",
	       (long long)left(id, NULL));
}

static void on_call(union sigval value)
{
	(void)value;
}

static void fixed_stack(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD };
	struct itimerspec value = { .it_value = time_of(3600 * S), .it_interval = time_of(1 * S) };
	pthread_attr_t attributes;
	size_t bytes = 1 << 20;
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	timer_t id;
	int failed;

	pthread_attr_init(&attributes);
	if (stack == MAP_FAILED || pthread_attr_setstack(&attributes, stack, bytes))
		end(UNRESOLVED, "no stack");
	event.sigev_notify_function = on_call;
	event.sigev_notify_attributes = &attributes;
	failed = api.thread_timer(&event, &value, &id);
	EXPECT(!failed || failed == EINVAL, "%s, wanted success or EINVAL", error_name(failed));
	note("%s", failed ? "EINVAL" : "accepted");
}

static void bad_id(void)
{
	struct itimerspec value = { .it_value = time_of(1 * S) };

	EXPECT_ERRNO(api.timer_settime(deleted_timer(), 0, &value, NULL), EINVAL);
	EXPECT_ERRNO(api.timer_settime(-1, 0, &value, NULL), EINVAL);
}

static void clock_is_set(void)
{
	int moved = make_with(CLOCK_REALTIME, SIGEV_SIGNAL, SIG, 1);
	int stays = make_with(CLOCK_REALTIME, SIGEV_SIGNAL, SIG, 2);
	int64_t start = now(CLOCK_REALTIME), monotonic = now(CLOCK_MONOTONIC);
	struct timespec ahead = time_of(start + 200 * S);
	siginfo_t info;
	int got;

	arm(moved, TIMER_ABSTIME, start + 100 * S, 0);
	arm(stays, 0, 100 * S, 0);
	if (api.clock_settime(CLOCK_REALTIME, &ahead))
		end(UNRESOLVED, "clock_settime: %s", error_name(errno));
	got = take(&info, 2000);
	EXPECT(got == SIG && info.si_value.sival_int == 1, "the absolute timer did not expire when its time was past");
	EXPECT(take(&info, 50) < 0, "the relative timer expired too");
	EXPECT(left(stays, NULL) > 50 * S, "the relative timer moved");
	EXPECT(now(CLOCK_MONOTONIC) - monotonic < 100 * S, "the monotonic clock moved");
}

static void bad_arguments(void)
{
	struct itimerspec value = { .it_value = time_of(3600 * S) };
	int id = make(CLOCK_MONOTONIC);

	EXPECT_ERRNO(api.timer_settime(id, 0, NULL, NULL), EINVAL);
	EXPECT_ERRNO(api.timer_settime(id, 0, (struct itimerspec *)8, NULL), EFAULT);
	EXPECT(api.timer_settime(id, 0x100, &value, NULL) == 0, "unknown flag: %s", error_name(errno));
}

static void listed(void)
{
	int id = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIG + 1, VALUE), found, timer = -1, signo = -1, clock = -1;
	FILE *file = fopen(api.timers_file, "re");
	char line[256], notify[64] = "";

	if (!file)
		end(UNSUPPORTED, "%s: %s (CONFIG_CHECKPOINT_RESTORE)", "/proc/self/timers", error_name(errno));
	while (fgets(line, sizeof(line), file) && clock < 0) {
		if (sscanf(line, "ID: %d", &found) == 1)
			timer = found;
		if (timer == id) {
			sscanf(line, "signal: %d/", &signo);
			sscanf(line, "notify: %63s", notify);
			sscanf(line, "ClockID: %d", &clock);
		}
	}
	fclose(file);
	EXPECT(timer == id, "ID %d is not listed", id);
	EXPECT(signo == SIG + 1 && clock == CLOCK_MONOTONIC && strncmp(notify, "signal/", 7) == 0,
	       "signal %d, notify %s, clock %d", signo, notify, clock);
}

#define SETTIME "timer_settime"
#define DESCRIPTION "DESCRIPTION"
#define ERRORS "ERRORS"

const struct check settime_checks[] = {
	{ 21, SHALL, false, SETTIME, DESCRIPTION, "1, 10", "a value that is not zero arms; returns 0", arms },
	{ 22, SHALL, false, SETTIME, DESCRIPTION, "2", "arming again replaces the time left", arms_anew },
	{ 23, SHALL, false, SETTIME, DESCRIPTION, "3", "it_value 0 disarms", disarms },
	{ 24, UNDEFINED, false, SETTIME, DESCRIPTION, "", "what is pending when the timer is disarmed comes at most once", pending_when_disarmed },
	{ 25, SHALL, false, SETTIME, DESCRIPTION, "4", "relative: expires it_value after the call", relative },
	{ 26, SHALL, false, SETTIME, DESCRIPTION, "5", "TIMER_ABSTIME: expires when the clock reaches it_value", absolute },
	{ 27, SHALL, false, SETTIME, DESCRIPTION, "5", "an absolute time that is past succeeds and notifies", in_the_past },
	{ 28, SHALL, false, SETTIME, DESCRIPTION, "6", "it_interval makes it periodic; zero makes it expire once", periodic_or_not },
	{ 29, SHALL, false, SETTIME, DESCRIPTION, "7", "values are rounded up to the resolution, never down", rounds_up },
	{ 30, SHALL, false, SETTIME, DESCRIPTION, "9", "never expires before its time, under load", never_early },
	{ 31, SHALL, false, SETTIME, DESCRIPTION, "", "periods do not drift", no_drift },
	{ 32, SHALL, false, SETTIME, DESCRIPTION, "8", "ovalue gives the time left and the interval from before", old_value },
	{ 33, SHALL, false, SETTIME, ERRORS, "13", "EINVAL for nanoseconds below 0 or of a second and more", bad_nanoseconds },
	{ 34, SHALL, false, SETTIME, "RETURN VALUE", "", "a call that fails leaves the timer as it was", failure_changes_nothing },
	{ 35, MAY, false, SETTIME, ERRORS, "", "EINVAL for a periodic SIGEV_THREAD timer with a stack of its own", fixed_stack },
	{ 36, UNDEFINED, false, SETTIME, ERRORS, "12", "a bad ID gives EINVAL", bad_id },
	{ 37, SHALL, true, SETTIME, "clock_settime DESCRIPTION", "clock_settime 4, 5", "setting CLOCK_REALTIME moves absolute timers only", clock_is_set },
	{ 38, LINUX, false, SETTIME, "timer_settime(2)", "", "EINVAL for no value, EFAULT for a bad pointer, unknown flags ignored", bad_arguments },
	{ 39, LINUX, false, SETTIME, "proc(5)", "", "/proc/PID/timers lists the timer", listed },
	{ 0 },
};
