// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "clock.h"
#include "receive.h"

static struct run *called;
static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;
static bool closed;

void thread_prepare(struct run *run)
{
	called = run;
	closed = false;
	pthread_mutex_lock(&books);
}

void thread_open(void)
{
	pthread_mutex_unlock(&books);
}

/*
 * timer_getoverrun() gives the count of the latest delivery of the timer, and that may be a later one than this
 * callback's: accounts of this receiver can be off, in both directions, through no fault of the kernel.
 */
void thread_call(union sigval value)
{
	unsigned index = (unsigned)value.sival_int;
	int64_t now;

	pthread_mutex_lock(&books);
	if (!closed && index < called->population.count) {
		struct timer *timer = &called->population.timers[index];
		int overrun = timer_getoverrun(timer->id);

		now = clock_ns(called->options->clock);
		inbox_take(&called->inboxes[0], index, overrun > 0 ? (unsigned)overrun : 0, called->start_ns, now);
	}
	pthread_mutex_unlock(&books);
}

void receive_thread(struct run *run)
{
	int64_t now;
	uint64_t before = 0, events;

	while ((now = clock_ns(run->options->clock)) < run->stop_ns) {
		struct timespec nap = timespec_of(run->stop_ns - now < 10000000 ? run->stop_ns - now : 10000000);

		if (!clock_is_cpu_time(run->options->clock))
			nanosleep(&nap, NULL);
	}
	/* Callbacks on their way finish in their own threads: wait until none came for a while. */
	do {
		struct timespec nap = { .tv_nsec = 20000000 };

		nanosleep(&nap, NULL);
		pthread_mutex_lock(&books);
		events = called->inboxes[0].events - before;
		before += events;
		events += inbox_waits(&called->inboxes[0]);
		pthread_mutex_unlock(&books);
	} while (events && clock_ns(run->options->clock) < run->stop_ns + (int64_t)(run->options->grace_s * 1e9));
	pthread_mutex_lock(&books);
	closed = true;
	run->inboxes[0].until_ns = clock_ns(run->options->clock);
	run->inboxes[0].emptied = !events;
	pthread_mutex_unlock(&books);
}
