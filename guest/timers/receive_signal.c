// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <ucontext.h>
#include <unistd.h>

#include "clock.h"
#include "receive.h"

#define BATCH 64

static const struct timespec at_once;

/* Milliseconds to wait at most: until the stop, but never so long that a stop is overslept; after it, a short nap. */
static int patience_ms(const struct run *run, int64_t now_ns)
{
	int64_t ms = (run->stop_ns - now_ns) / 1000000;

	/* A CPU-time clock stands still while we wait, so that nothing would ever expire. */
	if (clock_is_cpu_time(run->options->clock))
		return 0;
	return ms < 1 ? 1 : ms > 100 ? 100 : (int)ms;
}

/* True as long as deliveries are to be taken. `idle`: the queue was empty just now. */
static bool go_on(struct inbox *inbox, int64_t now_ns, bool idle)
{
	const struct run *run = inbox->run;

	if (now_ns < run->stop_ns)
		return true;
	inbox->emptied = idle;
	return (!idle || inbox_waits(inbox)) && now_ns < run->stop_ns + (int64_t)(run->options->grace_s * 1e9);
}

void receive_sigwait(struct inbox *inbox, int signo)
{
	clockid_t clock = inbox->run->options->clock;
	struct pollfd ready = { .events = POLLIN };
	sigset_t set;
	siginfo_t info;
	int64_t now = clock_ns(clock);
	bool idle = false;

	sigemptyset(&set);
	sigaddset(&set, signo);
	ready.fd = signalfd(-1, &set, SFD_CLOEXEC);
	while (go_on(inbox, now, idle)) {
		int64_t safe = clock_ns(clock);
		/* A kernel without signalfd: wait in the taking call, whose moment is then known less well. */
		struct timespec patience = ready.fd < 0 ? timespec_of(patience_ms(inbox->run, now) * 1000000LL) : at_once;

		idle = sigtimedwait(&set, &info, &patience) < 0;
		now = clock_ns(clock);
		if (!idle && info.si_code == SI_TIMER)
			inbox_take(inbox, (unsigned)info.si_value.sival_int, (unsigned)info.si_overrun, safe, now);
		inbox->until_ns = idle ? safe : now;
		if (idle && ready.fd >= 0)
			poll(&ready, 1, patience_ms(inbox->run, now));
	}
	if (ready.fd >= 0)
		close(ready.fd);
}

void receive_signalfd(struct inbox *inbox, int signo)
{
	clockid_t clock = inbox->run->options->clock;
	static struct signalfd_siginfo infos[BATCH];
	struct pollfd ready = { .events = POLLIN };
	sigset_t set;
	int64_t now = clock_ns(clock);
	bool idle = false;

	sigemptyset(&set);
	sigaddset(&set, signo);
	ready.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	while (go_on(inbox, now, idle)) {
		int64_t safe = clock_ns(clock);
		ssize_t got = read(ready.fd, infos, sizeof(infos));

		now = clock_ns(clock);
		idle = got <= 0;
		for (ssize_t i = 0; i < got / (ssize_t)sizeof(infos[0]); i++)
			if (infos[i].ssi_code == SI_TIMER)
				inbox_take(inbox, (unsigned)infos[i].ssi_int, infos[i].ssi_overrun, safe, now);
		inbox->until_ns = idle ? safe : now;
		if (idle)
			poll(&ready, 1, patience_ms(inbox->run, now));
	}
	close(ready.fd);
}

void receive_timerfd(struct inbox *inbox)
{
	const struct population *population = &inbox->run->population;
	clockid_t clock = inbox->run->options->clock;
	struct epoll_event events[BATCH];
	int64_t now = clock_ns(clock);
	bool idle = false;
	int fd = epoll_create1(EPOLL_CLOEXEC);

	for (unsigned i = 0; i < population->count; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

		epoll_ctl(fd, EPOLL_CTL_ADD, population->timers[i].fd, &event);
	}
	while (go_on(inbox, now, idle)) {
		int64_t before = now;
		int got = epoll_wait(fd, events, BATCH, patience_ms(inbox->run, now));

		idle = got <= 0;
		now = clock_ns(clock);
		for (int i = 0; i < got; i++) {
			int64_t safe = clock_ns(clock);
			uint64_t count = 0;

			if (read(population->timers[events[i].data.u32].fd, &count, sizeof(count)) != sizeof(count) || !count)
				continue;
			now = clock_ns(clock);
			inbox_take(inbox, events[i].data.u32, count - 1, safe, now);
		}
		inbox->until_ns = idle ? before : now;
	}
	close(fd);
}

static struct run *handled;
static volatile sig_atomic_t handler_done;
static int64_t last_ns;

/*
 * A timer of a microsecond can keep the handler running for ever, so that nobody else sees the deadline: the handler
 * looks at it itself, and returns with its signal blocked.
 */
static void on_signal(int signo, siginfo_t *info, void *context)
{
	int64_t now = clock_ns(handled->options->clock);
	int error = errno;

	if (info->si_code == SI_TIMER) {
		inbox_take(&handled->inboxes[0], (unsigned)info->si_value.sival_int, (unsigned)info->si_overrun, last_ns, now);
		last_ns = now;
	}
	if (now >= handled->stop_ns + (int64_t)(handled->options->grace_s * 1e9)) {
		sigaddset(&((ucontext_t *)context)->uc_sigmask, signo);
		handler_done = 1;
	}
	errno = error;
}

int handler_install(struct run *run, int signo)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };

	handled = run;
	handler_done = 0;
	sigfillset(&action.sa_mask);
	return sigaction(signo, &action, NULL);
}

/* Look at the books with the handler kept away from them. */
static bool waits(const struct inbox *inbox, const sigset_t *set)
{
	bool found;

	sigprocmask(SIG_BLOCK, set, NULL);
	found = inbox_waits(inbox);
	sigprocmask(SIG_UNBLOCK, set, NULL);
	return found;
}

void receive_handler(struct run *run, int signo)
{
	struct inbox *inbox = &run->inboxes[0];
	sigset_t set, pending;
	int64_t before;

	last_ns = run->start_ns;
	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	while (!handler_done) {
		int64_t now = clock_ns(run->options->clock);
		struct timespec nap = { .tv_nsec = 1000000 };

		if (now >= run->stop_ns + (int64_t)(run->options->grace_s * 1e9))
			break;
		if (now >= run->stop_ns && !waits(inbox, &set))
			break;
		if (!clock_is_cpu_time(run->options->clock))
			nanosleep(&nap, NULL);
	}
	/* Whatever was queued has been handled when the mask call returns; what is pending after it came later. */
	before = clock_ns(run->options->clock);
	sigprocmask(SIG_BLOCK, &set, NULL);
	inbox->until_ns = before > last_ns ? before : last_ns;
	sigpending(&pending);
	inbox->emptied = !handler_done || !sigismember(&pending, signo);
}
