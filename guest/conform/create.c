// SPDX-License-Identifier: MIT
/* Assertions 1 to 20: timer_create. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define RESTORE_IDS 77 /* PR_TIMER_CREATE_RESTORE_IDS, include/uapi/linux/prctl.h since 6.15 */
#define THOUSANDS 2000

static void usable(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	EXPECT(left(id, NULL) == 0, "a new timer has time left");
	arm(id, 0, 5 * MS, 0);
	EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
	EXPECT(api.timer_getoverrun(id) == 0, "timer_getoverrun of the new ID failed");
	EXPECT(api.timer_delete(id) == 0, "timer_delete of the new ID failed");
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static void unique(void)
{
	static int ids[THOUSANDS], sorted[THOUSANDS];

	for (int i = 0; i < THOUSANDS; i++)
		ids[i] = make(CLOCK_MONOTONIC);
	/* Every third one anew: IDs may come again only once their timer is gone. */
	for (int i = 0; i < THOUSANDS; i += 3) {
		api.timer_delete(ids[i]);
		ids[i] = make(CLOCK_MONOTONIC);
	}
	memcpy(sorted, ids, sizeof(ids));
	qsort(sorted, THOUSANDS, sizeof(int), by_number);
	for (int i = 1; i < THOUSANDS; i++)
		EXPECT(sorted[i] != sorted[i - 1], "ID %d was given to two timers", sorted[i]);
	note("%d timers, IDs %d to %d", THOUSANDS, sorted[0], sorted[THOUSANDS - 1]);
}

static void disarmed(void)
{
	int64_t interval = -1, value = left(make(CLOCK_MONOTONIC), &interval);
	siginfo_t info;

	EXPECT(value == 0 && interval == 0, "value %lld ns, interval %lld ns", (long long)value, (long long)interval);
	EXPECT(take(&info, 30) < 0, "it expired without being armed");
}

static void signal_event(void)
{
	int id = make(CLOCK_MONOTONIC);
	siginfo_t info;

	arm(id, 0, 1 * MS, 0);
	EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
	EXPECT(info.si_code == SI_TIMER, "si_code %d", info.si_code);
	EXPECT(info.si_value.sival_int == VALUE, "si_value %d", info.si_value.sival_int);
}

static void no_event(void)
{
	siginfo_t info;
	int id = -1, got;

	EXPECT(api.timer_create(CLOCK_MONOTONIC, NULL, &id) == 0, "evp NULL: %s", error_name(errno));
	arm(id, 0, 1 * MS, 0);
	got = take(&info, 5000);
	EXPECT(got == SIGALRM, "signal %d, wanted SIGALRM", got);
	EXPECT(info.si_value.sival_int == id, "si_value %d, timer ID %d", info.si_value.sival_int, id);
}

static void expires_on(clockid_t clock)
{
	siginfo_t info;

	arm(make(clock), 0, 1 * MS, 0);
	EXPECT(take(&info, 5000) == SIG, "no expiration within 5 s");
}

static void realtime(void)
{
	expires_on(CLOCK_REALTIME);
}

static void monotonic(void)
{
	expires_on(CLOCK_MONOTONIC);
}

static void cpu_time(void)
{
	static const clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID };
	siginfo_t info;

	for (int i = 0; i < 2; i++) {
		int signo = -1;

		arm(make(clocks[i]), 0, 5 * MS, 0);
		/* The kernel looks at these timers in its tick. Where a hypervisor holds the processor, 40 ms can pass without one. */
		for (int ms = 0; ms < 1000 && signo != SIG; ms += 40) {
			burn(40);
			signo = take(&info, 0);
		}
		EXPECT(signo == SIG, "clock %d: no expiration after a second of computing", (int)clocks[i]);
	}
}

static pid_t sleeper(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		doze(10000);
		_exit(0);
	}
	return child;
}

static void foreign_clock(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	pid_t child = sleeper();
	clockid_t clock;
	int failed, id, error;

	if (clock_getcpuclockid(child, &clock))
		end(UNRESOLVED, "no CPU-time clock of a child");
	failed = api.timer_create(clock, &event, &id);
	error = errno;
	kill(child, SIGKILL);
	EXPECT(!failed || error == ENOTSUP, "%s, wanted success or ENOTSUP", error_name(error));
	note("%s", failed ? "ENOTSUP" : "supported");
}

static int child_status(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void not_over_fork(void)
{
	int id = make(CLOCK_MONOTONIC), status;
	siginfo_t info;
	pid_t child;

	arm(id, 0, 10 * MS, 0);
	child = fork();
	if (child == 0) {
		struct itimerspec value;

		if (api.timer_gettime(id, &value) == 0)
			_exit(1);
		_exit(take(&info, 60) >= 0 ? 2 : 0);
	}
	status = child_status(child);
	EXPECT(status != 1, "the parent's ID is valid in the child");
	EXPECT(status == 0, "the child got an expiration");
}

static void not_over_exec(void)
{
	int id = make(CLOCK_MONOTONIC), status;
	pid_t child = fork();
	char text[16];

	(void)id;
	if (child == 0) {
		/* A timer of the process that execs; the new program looks for it. */
		id = make(CLOCK_MONOTONIC);
		arm(id, 0, 30 * MS, 10 * MS);
		snprintf(text, sizeof(text), "%d", id);
		execl("/proc/self/exe", "timerconform", "--after-exec", text, getenv("CONFORM_PLANT"), NULL);
		_exit(9);
	}
	status = child_status(child);
	if (status == 9)
		end(UNRESOLVED, "cannot exec /proc/self/exe");
	EXPECT(status != 1, "the ID is still valid after exec");
	EXPECT(status == 0, "the timer expired after exec");
}

static void no_resources(void)
{
	long used = queue_used(), made = 0;
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	struct rlimit limit;
	int id, error = 0;

	if (used < 0)
		end(UNRESOLVED, "/proc/self/status does not tell the queue's use");
	getrlimit(RLIMIT_SIGPENDING, &limit);
	limit.rlim_cur = (rlim_t)used + 50;
	if (setrlimit(RLIMIT_SIGPENDING, &limit))
		end(UNRESOLVED, "cannot lower RLIMIT_SIGPENDING");
	while (made < 5000 && !error) {
		error = api.timer_create(CLOCK_MONOTONIC, &event, &id) ? errno : 0;
		made += !error;
	}
	EXPECT(error, "%ld timers with a limit of %ld", made, used + 50);
	EXPECT(error == EAGAIN, "%s after %ld timers", error_name(error), made);
	note("EAGAIN after %ld timers, limit %ld, %ld in use before", made, used + 50, used);
}

static void as_many_as_allowed(void)
{
	long most = sysconf(_SC_TIMER_MAX);
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	int id;

	/* _POSIX_TIMER_MAX is 32. */
	for (int i = 0; i < (most < 0 || most > 32 ? 32 : (int)most); i++)
		EXPECT(api.timer_create(CLOCK_MONOTONIC, &event, &id) == 0, "timer %d: %s", i + 1, error_name(errno));
	for (long i = 32; i < most; i++)
		api.timer_create(CLOCK_MONOTONIC, &event, &id);
	if (most >= 0)
		EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC, &event, &id), EAGAIN);
	else
		note("no fixed limit (sysconf gives -1)");
}

static void unknown_clock(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	int id;

	EXPECT_ERRNO(api.timer_create(NO_CLOCK, &event, &id), EINVAL);
	EXPECT_ERRNO(api.timer_create((clockid_t)1000000, &event, &id), EINVAL);
}

static void unsupported_clock(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	int id;

	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC_RAW, &event, &id), ENOTSUP);
	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC_COARSE, &event, &id), ENOTSUP);
}

static void no_notification(void)
{
	int id = make_with(CLOCK_MONOTONIC, SIGEV_NONE, SIG, VALUE);
	siginfo_t info;

	arm(id, 0, 10 * S, 0);
	EXPECT(left(id, NULL) > 0, "armed, and no time left");
	arm(id, 0, 1 * MS, 0);
	EXPECT(take(&info, 40) < 0, "SIGEV_NONE, and yet signal %d came", info.si_signo);
}

static atomic_int called_with;

static void on_call(union sigval value)
{
	atomic_store(&called_with, value.sival_int);
}

static void thread_event(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = VALUE };
	struct itimerspec soon = { .it_value = time_of(1 * MS) };
	timer_t id;

	event.sigev_notify_function = on_call;
	EXPECT_NUMBER(api.thread_timer(&event, &soon, &id), 0);
	for (int i = 0; i < 1000 && !atomic_load(&called_with); i++)
		doze(5);
	EXPECT(atomic_load(&called_with) == VALUE, "called with %d", atomic_load(&called_with));
}

static void bad_events(void)
{
	struct sigevent event;
	int id;

	memset(&event, 0, sizeof(event));
	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC, &event, &id), EINVAL);
	event.sigev_signo = 65;
	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC, &event, &id), EINVAL);
	event.sigev_signo = SIG;
	event.sigev_notify = SIGEV_SIGNAL | 0x100;
	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC, &event, &id), EINVAL);
	event.sigev_notify = SIGEV_THREAD_ID;
	event._sigev_un._tid = 1 == getpid() ? 2 : 1;
	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC, &event, &id), EINVAL);
	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC, (struct sigevent *)8, &id), EFAULT);
}

static atomic_int thread_id, main_waited, thread_took;

static void *other_thread(void *nothing)
{
	siginfo_t info;

	(void)nothing;
	atomic_store(&thread_id, (int)syscall(SYS_gettid));
	while (!atomic_load(&main_waited))
		doze(1);
	atomic_store(&thread_took, take(&info, 2000));
	return NULL;
}

static void one_thread(void)
{
	struct sigevent event;
	pthread_t thread;
	siginfo_t info;
	int id, got;

	if (pthread_create(&thread, NULL, other_thread, NULL))
		end(UNRESOLVED, "no thread");
	while (!atomic_load(&thread_id))
		doze(1);
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIG;
	event._sigev_un._tid = atomic_load(&thread_id);
	EXPECT(api.timer_create(CLOCK_MONOTONIC, &event, &id) == 0, "SIGEV_THREAD_ID: %s", error_name(errno));
	arm(id, 0, 1 * MS, 0);
	got = take(&info, 50);
	atomic_store(&main_waited, 1);
	pthread_join(thread, NULL);
	EXPECT(got < 0, "another thread of the process took it");
	EXPECT(atomic_load(&thread_took) == SIG, "the thread did not get it");
}

static void restored_id(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	int id = 1000000;

	if (prctl(RESTORE_IDS, 1, 0, 0, 0))
		end(UNSUPPORTED, "prctl(PR_TIMER_CREATE_RESTORE_IDS): %s (Linux 6.15)", error_name(errno));
	EXPECT(api.timer_create(CLOCK_MONOTONIC, &event, &id) == 0, "%s", error_name(errno));
	EXPECT(id == 1000000, "asked for ID 1000000, got %d", id);
	EXPECT_ERRNO(api.timer_create(CLOCK_MONOTONIC, &event, &id), EBUSY);
	prctl(RESTORE_IDS, 0, 0, 0, 0);
	id = 2000000;
	EXPECT(api.timer_create(CLOCK_MONOTONIC, &event, &id) == 0 && id != 2000000, "still restoring");
}

#define CREATE "timer_create"
#define DESCRIPTION "DESCRIPTION"
#define ERRORS "ERRORS"

const struct check create_checks[] = {
	{ 1, SHALL, false, CREATE, DESCRIPTION, "1, 13", "succeeds with 0 and stores an ID that the other calls take", usable },
	{ 2, SHALL, false, CREATE, DESCRIPTION, "2", "IDs are unique in the process until deleted", unique },
	{ 3, SHALL, false, CREATE, DESCRIPTION, "3", "a new timer is disarmed", disarmed },
	{ 4, SHALL, false, CREATE, DESCRIPTION, "4", "SIGEV_SIGNAL sends sigev_signo with SI_TIMER and sigev_value", signal_event },
	{ 5, SHALL, false, CREATE, DESCRIPTION, "5", "evp NULL sends the default signal with the timer's ID", no_event },
	{ 6, SHALL, false, CREATE, DESCRIPTION, "6", "CLOCK_REALTIME is supported", realtime },
	{ 7, SHALL, false, CREATE, DESCRIPTION, "7", "CLOCK_MONOTONIC is supported", monotonic },
	{ 8, SHALL, false, CREATE, DESCRIPTION, "10, 11", "CPU-time clocks of the caller are supported", cpu_time },
	{ 9, IMPLEMENTATION, false, CREATE, DESCRIPTION, "12", "CPU-time clock of another process: success or ENOTSUP", foreign_clock },
	{ 10, SHALL, false, CREATE, DESCRIPTION, "8", "timers are not inherited over fork", not_over_fork },
	{ 11, SHALL, false, CREATE, DESCRIPTION, "9", "timers are disarmed and deleted by exec", not_over_exec },
	{ 12, SHALL, false, CREATE, ERRORS, "15", "EAGAIN when signal-queue resources are short", no_resources },
	{ 13, SHALL, false, CREATE, ERRORS, "", "at least 32 timers; EAGAIN beyond TIMER_MAX", as_many_as_allowed },
	{ 14, SHALL, false, CREATE, ERRORS, "16", "EINVAL for an undefined clock", unknown_clock },
	{ 15, SHALL, false, CREATE, ERRORS, "17", "ENOTSUP for a clock that has no timers", unsupported_clock },
	{ 16, SHALL, false, CREATE, DESCRIPTION, "", "SIGEV_NONE notifies nobody, and timer_gettime works", no_notification },
	{ 17, SHALL, false, CREATE, DESCRIPTION, "", "SIGEV_THREAD calls the function with sigev_value", thread_event },
	{ 18, LINUX, false, CREATE, "timer_create(2)", "", "EINVAL for bad events, EFAULT for bad pointers", bad_events },
	{ 19, LINUX, false, CREATE, "timer_create(2)", "", "SIGEV_THREAD_ID delivers to that thread only", one_thread },
	{ 20, LINUX, false, CREATE, "PR_TIMER_CREATE_RESTORE_IDS(2const)", "", "the restore mode gives the ID asked for", restored_id },
	{ 0 },
};
