// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "population.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "draw.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int create(struct timer *timer, const struct options *options, unsigned index, const struct delivery *delivery)
{
	struct sigevent event;

	timer->fd = -1;
	if (options->receiver == RECEIVE_TIMERFD) {
		timer->fd = timerfd_create(options->clock, TFD_NONBLOCK | TFD_CLOEXEC);
		return timer->fd < 0 ? errno : 0;
	}
	memset(&event, 0, sizeof(event));
	event.sigev_value.sival_int = (int)index;
	event.sigev_signo = delivery->signo;
	event.sigev_notify = SIGEV_SIGNAL;
	if (options->receiver == RECEIVE_THREAD_ID) {
		event.sigev_notify = SIGEV_THREAD_ID;
		event.sigev_notify_thread_id = delivery->tids[index % delivery->tid_count];
	} else if (options->receiver == RECEIVE_THREAD) {
		event.sigev_notify = SIGEV_THREAD;
		event.sigev_notify_function = delivery->call;
	}
	return timer_create(options->clock, &event, &timer->id) == 0 ? 0 : errno;
}

int population_create(struct population *population, const struct options *options, unsigned wanted,
		      const struct delivery *delivery)
{
	int64_t start = clock_ns(CLOCK_MONOTONIC);

	memset(population, 0, sizeof(*population));
	population->wanted = wanted;
	population->timers = calloc(wanted ? wanted : 1, sizeof(*population->timers));
	if (!population->timers)
		return -1;
	while (population->count < wanted && !population->refused) {
		population->refused = create(&population->timers[population->count], options, population->count, delivery);
		population->count += !population->refused;
	}
	population->create_ns = clock_ns(CLOCK_MONOTONIC) - start;
	return 0;
}

static int arm(struct timer *timer, const struct options *options)
{
	int64_t before = clock_ns(options->clock), after;
	struct itimerspec value = { .it_interval = timespec_of(timer->interval_ns) };
	int failed;

	/* The account is open before the first delivery can come; a receiver waits until all are armed. */
	account_open(&timer->account, before, before, timer->interval_ns, timer->interval_ns);
	value.it_value = timespec_of((options->absolute ? before : 0) + timer->interval_ns);
	if (timer->fd >= 0)
		failed = timerfd_settime(timer->fd, options->absolute ? TFD_TIMER_ABSTIME : 0, &value, NULL);
	else
		failed = timer_settime(timer->id, options->absolute ? TIMER_ABSTIME : 0, &value, NULL);
	after = options->absolute ? before : clock_ns(options->clock);
	timer->account.slack_ns = after - before;
	return failed ? errno : 0;
}

int population_arm(struct population *population, const struct options *options)
{
	int64_t start = clock_ns(CLOCK_MONOTONIC);
	/* Each population has a draw of its own: with one for all, the rows of a sweep would share their luck. */
	uint64_t seed = options->seed + ((uint64_t)population->wanted << 32);
	struct draw draw;
	int failed = 0;

	if (options->classic)
		draw_classic(&draw, seed, options->scale);
	else
		draw_uniform(&draw, seed, options->min_ns, options->range_ns);
	for (unsigned i = 0; i < population->count && !failed; i++) {
		population->timers[i].interval_ns = draw_interval(&draw, i);
		failed = arm(&population->timers[i], options);
	}
	population->arm_ns = clock_ns(CLOCK_MONOTONIC) - start;
	return failed;
}

void timer_stop(const struct timer *timer)
{
	static const struct itimerspec never;

	if (timer->fd >= 0)
		timerfd_settime(timer->fd, 0, &never, NULL);
	else
		timer_settime(timer->id, 0, &never, NULL);
}

void population_delete(struct population *population)
{
	for (unsigned i = 0; i < population->count; i++) {
		if (population->timers[i].fd >= 0)
			close(population->timers[i].fd);
		else
			timer_delete(population->timers[i].id);
	}
	free(population->timers);
	population->timers = NULL;
	population->count = 0;
}
