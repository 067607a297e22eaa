// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "receive.h"

struct worker {
	pthread_t thread;
	struct inbox *inbox;
	atomic_int tid;
	pthread_barrier_t *armed;
	int signo;
};

static void *work(void *argument)
{
	struct worker *worker = argument;

	atomic_store(&worker->tid, (int)syscall(SYS_gettid));
	pthread_barrier_wait(worker->armed);
	receive_sigwait(worker->inbox, worker->signo);
	return NULL;
}

static void usage(int64_t *user_ns, int64_t *system_ns, long *switches)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	*user_ns = (int64_t)used.ru_utime.tv_sec * 1000000000 + used.ru_utime.tv_usec * 1000;
	*system_ns = (int64_t)used.ru_stime.tv_sec * 1000000000 + used.ru_stime.tv_usec * 1000;
	*switches = used.ru_nvcsw + used.ru_nivcsw;
}

static void receive(struct run *run, int signo)
{
	switch (run->options->receiver) {
	case RECEIVE_HANDLER:
		receive_handler(run, signo);
		break;
	case RECEIVE_SIGNALFD:
		receive_signalfd(&run->inboxes[0], signo);
		break;
	case RECEIVE_TIMERFD:
		receive_timerfd(&run->inboxes[0]);
		break;
	case RECEIVE_THREAD:
		thread_open();
		receive_thread(run);
		break;
	case RECEIVE_SIGWAIT:
	case RECEIVE_THREAD_ID:
		receive_sigwait(&run->inboxes[0], signo);
		break;
	}
}

static void close_books(struct run *run)
{
	bool drained = true;

	for (unsigned i = 0; i < run->inbox_count; i++) {
		const struct inbox *inbox = &run->inboxes[i];

		drained = drained && inbox->emptied;
		histogram_merge(&run->lateness, &inbox->lateness);
		run->events += inbox->events;
		run->late += inbox->late;
		run->planted.dropped += inbox->drops;
		run->planted.copied += inbox->copies;
		run->planted.delayed += inbox->delays;
	}
	for (unsigned i = 0; i < run->population.count; i++) {
		struct account *account = &run->population.timers[i].account;
		int64_t window_ns = account->first_ns - account->interval_ns + run->length_ns;

		/* Timers are dealt to the receivers in turn: population.c. */
		account_close(account, run->stop_ns, run->inboxes[i % run->inbox_count].until_ns, drained);
		run->deliveries += account->deliveries;
		run->overruns += account->overruns;
		run->lost += account->lost;
		run->duplicated += account->duplicated;
		run->early += account->early;
		run->in_flight += account->in_flight;
		run->in_run += account_in_run(account, window_ns);
		run->due_least += account_least(account, window_ns);
		run->due_most += account_most(account, window_ns);
	}
}

static int measured(struct run *run, int signo, pthread_barrier_t *armed, const struct worker *workers, const char **what)
{
	int64_t user_ns, system_ns, wall_ns = clock_ns(CLOCK_MONOTONIC);
	long switches;
	int failed;

	usage(&user_ns, &system_ns, &switches);
	*what = "arm a timer";
	run->start_ns = clock_ns(run->options->clock);
	failed = population_arm(&run->population, run->options);
	/* Every timer gets the whole length, counted from its own arming: arming thousands takes a while. */
	run->stop_ns = clock_ns(run->options->clock) + run->length_ns;
	if (armed)
		pthread_barrier_wait(armed);
	receive(run, signo);
	/* The books are closed when the last receiver has stopped, not when the first one has. */
	for (unsigned i = 1; i < run->inbox_count; i++)
		pthread_join(workers[i].thread, NULL);
	run->wall_ns = clock_ns(CLOCK_MONOTONIC) - wall_ns;
	usage(&run->user_ns, &run->system_ns, &run->switches);
	run->user_ns -= user_ns;
	run->system_ns -= system_ns;
	run->switches -= switches;
	return failed;
}

/* What the receiver needs of the kernel, asked for before it would look like lost expirations. */
static int unable(const struct options *options, const sigset_t *set)
{
	int fd = options->receiver == RECEIVE_SIGNALFD ? signalfd(-1, set, SFD_CLOEXEC) :
		 options->receiver == RECEIVE_TIMERFD  ? epoll_create1(EPOLL_CLOEXEC) :
							 STDOUT_FILENO;

	if (fd < 0)
		return errno;
	if (fd != STDOUT_FILENO)
		close(fd);
	return 0;
}

int run_stress(struct run *run, const struct options *options, unsigned timers, const char **what)
{
	bool threads = options->receiver == RECEIVE_THREAD_ID;
	static struct worker workers[THREADS_MAX];
	struct delivery delivery = { .signo = SIGRTMIN, .call = thread_call };
	pid_t tids[THREADS_MAX];
	pthread_barrier_t armed;
	sigset_t set;
	int failed;

	memset(run, 0, sizeof(*run));
	run->options = options;
	run->length_ns = (int64_t)(options->seconds / (options->classic ? options->scale : 1) * 1e9);
	run->inbox_count = threads ? options->threads : 1;
	run->inboxes = calloc(run->inbox_count, sizeof(*run->inboxes));
	*what = "find memory";
	if (!run->inboxes)
		return ENOMEM;
	for (unsigned i = 0; i < run->inbox_count; i++)
		run->inboxes[i].run = run;
	sigemptyset(&set);
	sigaddset(&set, delivery.signo);
	*what = "receive so";
	failed = unable(options, &set);
	if (failed)
		return failed;
	if (options->receiver != RECEIVE_THREAD)
		sigprocmask(SIG_BLOCK, &set, NULL);
	if (options->receiver == RECEIVE_HANDLER)
		handler_install(run, delivery.signo);
	if (options->receiver == RECEIVE_THREAD)
		thread_prepare(run);
	tids[0] = (pid_t)syscall(SYS_gettid);
	pthread_barrier_init(&armed, NULL, run->inbox_count);
	for (unsigned i = 1; i < run->inbox_count; i++) {
		workers[i] = (struct worker){ .inbox = &run->inboxes[i], .armed = &armed, .signo = delivery.signo };
		*what = "start a thread";
		failed = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (failed)
			return failed;
		while (!atomic_load(&workers[i].tid))
			sched_yield();
		tids[i] = atomic_load(&workers[i].tid);
	}
	delivery.tids = tids;
	delivery.tid_count = run->inbox_count;
	*what = "find memory";
	if (population_create(&run->population, options, timers, &delivery))
		return ENOMEM;
	*what = "create a timer";
	if (timers && !run->population.count)
		return run->population.refused;
	failed = measured(run, delivery.signo, threads ? &armed : NULL, workers, what);
	pthread_barrier_destroy(&armed);
	if (!failed)
		close_books(run);
	run->timers_created = run->population.count;
	population_delete(&run->population);
	return failed;
}

void run_free(struct run *run)
{
	free(run->inboxes);
	run->inboxes = NULL;
}
