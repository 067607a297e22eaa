// SPDX-License-Identifier: MIT
/* Assertions 48 to 60: timer_getoverrun, delivery, timer_delete. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"

static struct ledger periodic(int id, int64_t interval_ns)
{
	struct ledger ledger = { .first_ns = now(CLOCK_MONOTONIC) + interval_ns, .interval_ns = interval_ns };

	arm(id, TIMER_ABSTIME, ledger.first_ns, interval_ns);
	return ledger;
}

static void one_in_the_queue(void)
{
	struct ledger ledger = periodic(make(CLOCK_MONOTONIC), 5 * MS);
	siginfo_t info;

	doze(60);
	for (int i = 0; i < 3; i++) {
		int64_t safe = now(CLOCK_MONOTONIC);

		if (take(&info, 0) == SIG)
			book(&ledger, safe, now(CLOCK_MONOTONIC), info.si_overrun);
		else
			EXPECT(i, "nothing was pending after 60 ms at 5 ms");
	}
	note("%lld periods", (long long)ledger.counted);
}

#define SEVERAL 4

static void counted_exactly(void)
{
	static const int64_t intervals_ns[SEVERAL] = { 10 * MS, 1 * MS, 20000, 3333333 };
	struct ledger ledgers[SEVERAL];
	int ids[SEVERAL];
	int64_t sum = 0;
	siginfo_t info;

	for (int i = 0; i < SEVERAL; i++) {
		ids[i] = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIG, i);
		ledgers[i] = periodic(ids[i], intervals_ns[i]);
	}
	for (int round = 0; round < 20; round++) {
		doze(15);
		for (int i = 0; i < SEVERAL; i++) {
			int64_t safe = now(CLOCK_MONOTONIC), after;
			int index;

			if (take(&info, 1000) != SIG)
				end(FAIL, "no expiration for 1 s");
			after = now(CLOCK_MONOTONIC);
			index = info.si_value.sival_int;
			EXPECT(index >= 0 && index < SEVERAL, "si_value %d", index);
			book(&ledgers[index], safe, after, api.timer_getoverrun(ids[index]));
		}
	}
	for (int i = 0; i < SEVERAL; i++)
		sum += ledgers[i].counted;
	note("%lld expirations accounted for", (long long)sum);
}

static void of_this_timer(void)
{
	int one = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIG, 1), other, before, after;
	struct timespec patience = time_of(1 * S);
	sigset_t set;
	siginfo_t info;

	arm(one, 0, 1 * MS, 1 * MS);
	doze(20);
	EXPECT(take(&info, 1000) == SIG, "no expiration for 1 s");
	before = api.timer_getoverrun(one);
	other = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIG + 1, 2);
	arm(other, 0, 1 * MS, 1 * MS);
	doze(50);
	sigemptyset(&set);
	sigaddset(&set, SIG + 1);
	EXPECT(api.sigtimedwait(&set, &info, &patience) == SIG + 1, "no expiration for 1 s");
	after = api.timer_getoverrun(one);
	EXPECT(after == before, "%d before, %d after another timer's delivery", before, after);
	EXPECT(api.timer_getoverrun(other) >= 10, "the other has %d", api.timer_getoverrun(other));
}

static void saturates(void)
{
	struct timespec resolution;
	int id = make(CLOCK_REALTIME), count;
	siginfo_t info;

	clock_getres(CLOCK_REALTIME, &resolution);
	if (now(CLOCK_REALTIME) / ns_of(resolution) < 2 * 2147483647LL)
		end(UNRESOLVED, "too few periods since the Epoch");
	arm(id, TIMER_ABSTIME, 1, 1);
	EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
	count = api.timer_getoverrun(id);
	api.timer_delete(id);
	EXPECT(count == 2147483647, "%d, wanted INT_MAX", count);
}

static void before_any(void)
{
	EXPECT(api.timer_getoverrun(make(CLOCK_MONOTONIC)) == 0, "not 0");
}

static void bad_id(void)
{
	EXPECT_ERRNO(api.timer_getoverrun(deleted_timer()), EINVAL);
}

static void in_siginfo(void)
{
	int id = make(CLOCK_MONOTONIC), fd;
	struct signalfd_siginfo other;
	siginfo_t info;
	sigset_t set;

	arm(id, 0, 1 * MS, 3 * MS);
	doze(30);
	EXPECT(take(&info, 1000) == SIG, "no expiration for 1 s");
	/* The timer stands until it is delivered again: nothing changes in between. */
	EXPECT(info.si_overrun == api.timer_getoverrun(id), "si_overrun %d, timer_getoverrun %d", info.si_overrun,
	       api.timer_getoverrun(id));
	EXPECT(info.si_timerid == id, "si_timerid %d, ID %d", info.si_timerid, id);
	sigemptyset(&set);
	sigaddset(&set, SIG);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		end(UNSUPPORTED, "signalfd: %s", error_name(errno));
	doze(30);
	if (read(fd, &other, sizeof(other)) != sizeof(other))
		end(UNRESOLVED, "signalfd gave nothing");
	EXPECT((int)other.ssi_tid == id && (int)other.ssi_overrun == api.timer_getoverrun(id),
	       "signalfd: ID %d, overrun %d", (int)other.ssi_tid, (int)other.ssi_overrun);
}

static bool kernel_since(int major, int minor)
{
	struct utsname system;
	int is_major = 0, is_minor = 0;

	uname(&system);
	sscanf(system.release, "%d.%d", &is_major, &is_minor);
	return is_major > major || (is_major == major && is_minor >= minor);
}

static void ignored(void)
{
	int id = make(CLOCK_MONOTONIC);
	struct ledger ledger;
	int64_t safe, after;
	siginfo_t info;
	sigset_t set;

	signal(SIG, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIG);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	ledger = periodic(id, 10 * MS);
	doze(65);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIG, SIG_DFL);
	doze(20);
	safe = now(CLOCK_MONOTONIC);
	EXPECT(take(&info, 1000) == SIG, "no signal after it was no longer ignored");
	after = now(CLOCK_MONOTONIC);
	EXPECT(info.si_overrun >= 1, "overrun %d after 85 ms at 10 ms", info.si_overrun);
	if (!kernel_since(6, 13))
		end(DEVIATION, "before Linux 6.13 the timer restarts while ignored: overrun %d", info.si_overrun);
	book(&ledger, safe, after, info.si_overrun);
	note("1 signal, overrun %d", info.si_overrun);
}

static void in_order(void)
{
	int first = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIG + 2, 1);
	int second = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIG + 1, 2);
	int third = make_with(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIG + 1, 3);
	static const int wanted[] = { 2, 3, 1 };
	int64_t base = now(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(first, TIMER_ABSTIME, base + 5 * MS, 0);
	arm(second, TIMER_ABSTIME, base + 15 * MS, 0);
	arm(third, TIMER_ABSTIME, base + 25 * MS, 0);
	doze(60);
	for (int i = 0; i < 3; i++) {
		EXPECT(take(&info, 1000) >= 0, "%d of 3 came", i);
		EXPECT(info.si_value.sival_int == wanted[i], "place %d: timer %d, wanted %d", i + 1,
		       info.si_value.sival_int, wanted[i]);
	}
}

static void deletes(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(id, 0, 200 * MS, 50 * MS);
	EXPECT(api.timer_delete(id) == 0, "%s", error_name(errno));
	EXPECT(take(&info, 300) < 0, "a deleted timer expired");
}

static void pending_when_deleted(void)
{
	int id = make(CLOCK_MONOTONIC), count = 0;
	siginfo_t info;

	arm(id, 0, 1 * MS, 0);
	doze(20);
	api.timer_delete(id);
	while (take(&info, 0) >= 0 && count < 3)
		count++;
	EXPECT(count <= 1, "%d notifications of one expiration", count);
	note("%s", count ? "the pending notification was delivered" : "the pending notification was dropped");
}

static void deleted_twice(void)
{
	EXPECT_ERRNO(api.timer_delete(deleted_timer()), EINVAL);
}

#define SLOTS 1000

static void slot_is_free(void)
{
	static int ids[SLOTS];
	long before = slots_used(), after;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < SLOTS; i++)
			ids[i] = make(CLOCK_MONOTONIC);
		for (int i = 0; i < SLOTS; i++)
			api.timer_delete(ids[i]);
	}
	after = slots_used();
	if (before < 0)
		end(UNRESOLVED, "/proc does not tell the timers in use");
	/* A signal queue is the user's: other processes use and free its slots meanwhile. */
	EXPECT(after - before < SLOTS / 2, "%ld slots in use before, %ld after", before, after);
}

#define OVERRUN "timer_getoverrun"
#define DELETE "timer_delete"
#define DESCRIPTION "DESCRIPTION"
#define ERRORS "ERRORS"

const struct check overrun_checks[] = {
	{ 48, SHALL, false, OVERRUN, DESCRIPTION, "1", "one notification a timer is queued; more become overruns", one_in_the_queue },
	{ 49, SHALL, false, OVERRUN, DESCRIPTION, "2", "deliveries + overruns = elapsed / interval", counted_exactly },
	{ 50, SHALL, false, OVERRUN, DESCRIPTION, "", "the count is of this timer's latest delivery", of_this_timer },
	{ 51, SHALL, false, OVERRUN, DESCRIPTION, "3", "the count stops at DELAYTIMER_MAX", saturates },
	{ 52, UNDEFINED, false, OVERRUN, DESCRIPTION, "", "0 before any delivery", before_any },
	{ 53, UNDEFINED, false, OVERRUN, ERRORS, "", "a bad ID gives EINVAL", bad_id },
	{ 54, LINUX, false, OVERRUN, "sigaction(2)", "", "si_overrun and si_timerid are right, also by signalfd", in_siginfo },
	{ 55, LINUX, false, OVERRUN, "timer_getoverrun(2)", "", "ignored, then no longer: one signal with every period", ignored },
	{ 56, SHALL, false, "sigtimedwait", "XSH 2.4 Signal Concepts", "", "lowest signal number first; of one number the first queued", in_order },
	{ 57, SHALL, false, DELETE, DESCRIPTION, "1, 2, 3", "returns 0; no further expirations", deletes },
	{ 58, UNDEFINED, false, DELETE, DESCRIPTION, "", "what is pending when the timer is deleted comes at most once", pending_when_deleted },
	{ 59, UNDEFINED, false, DELETE, ERRORS, "", "a timer deleted twice gives EINVAL", deleted_twice },
	{ 60, SHALL, false, DELETE, DESCRIPTION, "", "the slot can be used again", slot_is_free },
	{ 0 },
};
