// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int64_t ns_of(struct timespec time)
{
	return (int64_t)time.tv_sec * S + time.tv_nsec;
}

struct timespec time_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / S), .tv_nsec = (long)(ns % S) };
}

int64_t now(clockid_t clock)
{
	struct timespec time;

	if (api.clock_gettime(clock, &time))
		end(UNRESOLVED, "clock_gettime(%d): %s", (int)clock, error_name(errno));
	return ns_of(time);
}

int make_with(clockid_t clock, int notify, int signo, int value)
{
	struct sigevent event;
	int id = -1;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = notify;
	event.sigev_signo = signo;
	event.sigev_value.sival_int = value;
	if (api.timer_create(clock, &event, &id))
		end(errno == EAGAIN ? UNRESOLVED : FAIL, "timer_create on clock %d: %s", (int)clock, error_name(errno));
	return id;
}

int make(clockid_t clock)
{
	return make_with(clock, SIGEV_SIGNAL, SIG, VALUE);
}

void arm(int id, int flags, int64_t value_ns, int64_t interval_ns)
{
	struct itimerspec value = { .it_value = time_of(value_ns), .it_interval = time_of(interval_ns) };

	if (api.timer_settime(id, flags, &value, NULL))
		end(FAIL, "timer_settime: %s", error_name(errno));
}

int64_t left(int id, int64_t *interval_ns)
{
	struct itimerspec value;

	if (api.timer_gettime(id, &value))
		end(FAIL, "timer_gettime: %s", error_name(errno));
	if (interval_ns)
		*interval_ns = ns_of(value.it_interval);
	return ns_of(value.it_value);
}

int take(siginfo_t *info, int ms)
{
	struct timespec patience = time_of(ms * MS);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	for (int signo = SIGRTMIN; signo <= SIGRTMIN + 3; signo++)
		sigaddset(&set, signo);
	memset(info, 0, sizeof(*info));
	return api.sigtimedwait(&set, info, &patience);
}

void doze(int ms)
{
	struct timespec time = time_of(ms * MS), rest;

	while (nanosleep(&time, &rest) && errno == EINTR)
		time = rest;
}

void burn(int ms)
{
	struct timespec time;
	int64_t until;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	until = ns_of(time) + ms * MS;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	while (ns_of(time) < until);
}

int deleted_timer(void)
{
	int id = make(CLOCK_MONOTONIC);

	if (api.timer_delete(id))
		end(FAIL, "timer_delete: %s", error_name(errno));
	return id;
}

static int64_t due(const struct ledger *ledger, int64_t time_ns)
{
	return time_ns < ledger->first_ns ? 0 : (time_ns - ledger->first_ns) / ledger->interval_ns + 1;
}

void book(struct ledger *ledger, int64_t safe_ns, int64_t now_ns, int overrun)
{
	int64_t least = due(ledger, safe_ns), most = due(ledger, now_ns);

	ledger->counted += 1 + (int64_t)overrun;
	if (ledger->counted < least || ledger->counted > most)
		end(FAIL, "deliveries + overruns = %lld, due %lld to %lld", (long long)ledger->counted, (long long)least,
		    (long long)most);
}

/* Lines of one of this process's files in /proc that start with a word; -1: there is no such file. */
static long lines_of(const char *path, const char *word)
{
	FILE *file = fopen(path, "re");
	char line[256];
	long found = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		found += strncmp(line, word, strlen(word)) == 0;
	fclose(file);
	return found;
}

long queue_used(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long used = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigQ: %ld/", &used) == 1)
			break;
	if (file)
		fclose(file);
	return used;
}

long slots_used(void)
{
	long timers = lines_of("/proc/self/timers", "ID:");

	return timers < 0 ? queue_used() : timers;
}
