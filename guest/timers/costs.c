// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "costs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "draw.h"
#include "population.h"
#include "result.h"

#define LIMIT_MOST 4000000u
#define NONE ((const char *)NULL)

static const struct timespec at_once;

static int open_population(struct population *population, const struct options *options, unsigned timers, sigset_t *set)
{
	struct delivery delivery = { .signo = SIGRTMIN };
	struct options plain = *options;

	/* A blocked signal that nobody takes: the costs are those of the calls alone. */
	plain.receiver = RECEIVE_SIGWAIT;
	sigemptyset(set);
	sigaddset(set, delivery.signo);
	sigprocmask(SIG_BLOCK, set, NULL);
	if (population_create(population, &plain, timers, &delivery))
		return ENOMEM;
	if (population->refused) {
		int refused = population->refused;

		population_delete(population);
		return refused;
	}
	return 0;
}

int costs_curve(const struct options *options, unsigned timers)
{
	struct itimerspec hour = { .it_value = { .tv_sec = 3600 } };
	int64_t n = timers ? timers : 1, start, arm, get, overrun, create;
	struct population population;
	sigset_t set;
	int failed = open_population(&population, options, timers, &set);

	if (failed)
		return failed;
	create = population.create_ns;
	start = clock_ns(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < timers; i++) {
		hour.it_value.tv_nsec = (long)i;
		timer_settime(population.timers[i].id, 0, &hour, NULL);
	}
	arm = clock_ns(CLOCK_MONOTONIC) - start;
	start = clock_ns(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < timers; i++)
		timer_gettime(population.timers[i].id, &hour);
	get = clock_ns(CLOCK_MONOTONIC) - start;
	start = clock_ns(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < timers; i++)
		timer_getoverrun(population.timers[i].id);
	overrun = clock_ns(CLOCK_MONOTONIC) - start;
	start = clock_ns(CLOCK_MONOTONIC);
	population_delete(&population);
	result_numbers("curve", timers, "create_ns", create / n, "arm_ns", arm / n, "gettime_ns", get / n, "getoverrun_ns",
		       overrun / n, "delete_ns", (clock_ns(CLOCK_MONOTONIC) - start) / n, NONE);
	return 0;
}

int costs_burst(const struct options *options, unsigned timers)
{
	int64_t due, now, first = 0, last = 0, taken = 0, out_of_order = 0, early = 0, previous = -1;
	struct timespec patience = { .tv_sec = 1 };
	struct population population;
	struct itimerspec at = { { 0, 0 }, { 0, 0 } };
	siginfo_t info;
	sigset_t set;
	int failed = open_population(&population, options, timers, &set);

	if (failed)
		return failed;
	/* Far enough ahead that all are armed by then; twice as far for a slow machine. */
	due = clock_ns(options->clock) + 200000000 + (int64_t)timers * 20000;
	at.it_value = timespec_of(due);
	for (unsigned i = 0; i < timers; i++)
		timer_settime(population.timers[i].id, TIMER_ABSTIME, &at, NULL);
	failed = clock_ns(options->clock) >= due ? ETIME : 0;
	patience = timespec_of(due - clock_ns(options->clock) + 1000000000);
	while (!failed && taken < timers && sigtimedwait(&set, &info, &patience) >= 0) {
		now = clock_ns(options->clock);
		first = taken ? first : now - due;
		last = now - due;
		early += now < due;
		out_of_order += info.si_value.sival_int < previous;
		previous = info.si_value.sival_int;
		taken++;
		patience = (struct timespec){ .tv_sec = 1 };
	}
	population_delete(&population);
	if (!failed)
		result_numbers("burst", timers, "taken", taken, "lost", (int64_t)timers - taken, "early", early, "first_ns",
			       first, "last_ns", last, "drain_ns", last - first, "out_of_order", out_of_order, NONE);
	return failed;
}

/* From 6.13 on, arming again discards what is queued (513793bc6ab3); before, it is still delivered. So each timer is
 * stopped, and its signal taken or not, before it is given another time: nothing is then left to doubt. */
struct churn {
	struct population population;
	int64_t expired, rearmed, recreated, stopped, stale, early, missing;
	sigset_t set;
};

static void take_all(struct churn *churn, clockid_t clock, bool *armed, int64_t *due)
{
	siginfo_t info;

	while (sigtimedwait(&churn->set, &info, &at_once) >= 0) {
		unsigned i = (unsigned)info.si_value.sival_int;

		if (!armed[i]) {
			churn->stale++;
			continue;
		}
		churn->early += clock_ns(clock) < due[i];
		churn->expired++;
		armed[i] = false;
	}
}

static void change_one(struct churn *churn, const struct options *options, struct draw *draw, bool *armed, int64_t *due)
{
	unsigned i = (unsigned)(draw_number(draw) % churn->population.count);
	struct timer *timer = &churn->population.timers[i];
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	struct itimerspec at = { { 0, 0 }, { 0, 0 } };

	timer_stop(timer);
	take_all(churn, options->clock, armed, due);
	churn->stopped += armed[i];
	/* Due and stopped before it was taken: 6.13 and later drop it, which POSIX leaves open. */
	armed[i] = false;
	if (draw_number(draw) % 4 == 0) {
		event.sigev_value.sival_int = (int)i;
		timer_delete(timer->id);
		if (timer_create(options->clock, &event, &timer->id) == 0)
			churn->recreated++;
	}
	due[i] = clock_ns(options->clock) + 1000000 + (int64_t)(draw_number(draw) % 50000000);
	at.it_value = timespec_of(due[i]);
	timer_settime(timer->id, TIMER_ABSTIME, &at, NULL);
	armed[i] = true;
	churn->rearmed++;
}

int costs_churn(const struct options *options, unsigned timers)
{
	struct churn churn = { .expired = 0 };
	int64_t start, stop, wall, *due;
	struct timespec grace = timespec_of((int64_t)(options->grace_s * 1e9) + 60000000);
	struct draw draw;
	bool *armed;
	int failed = timers ? open_population(&churn.population, options, timers, &churn.set) : EINVAL;

	if (failed)
		return failed;
	due = calloc(timers, sizeof(*due));
	armed = calloc(timers, sizeof(*armed));
	if (!due || !armed)
		return ENOMEM;
	draw_uniform(&draw, options->seed, 0, 1);
	start = clock_ns(options->clock);
	stop = start + (int64_t)(options->seconds / options->scale * 1e9);
	while (clock_ns(options->clock) < stop) {
		change_one(&churn, options, &draw, armed, due);
		take_all(&churn, options->clock, armed, due);
	}
	wall = clock_ns(options->clock) - start;
	nanosleep(&grace, NULL);
	take_all(&churn, options->clock, armed, due);
	for (unsigned i = 0; i < timers; i++)
		churn.missing += armed[i];
	population_delete(&churn.population);
	free(due);
	free(armed);
	result_numbers("churn", timers, "elapsed_ns", wall, "rearmed", churn.rearmed, "recreated", churn.recreated, "stopped",
		       churn.stopped, "expired", churn.expired, "stale", churn.stale, "early", churn.early, "lost",
		       churn.missing, NONE);
	return 0;
}

int costs_limit(const struct options *options)
{
	struct delivery delivery = { .signo = SIGRTMIN };
	struct population population;
	struct options plain = *options;
	int refused;
	unsigned count;

	plain.receiver = options->receiver == RECEIVE_TIMERFD ? RECEIVE_TIMERFD : RECEIVE_SIGWAIT;
	if (population_create(&population, &plain, LIMIT_MOST, &delivery))
		return ENOMEM;
	count = population.count;
	refused = population.refused;
	population_delete(&population);
	result_numbers("limit", count, "errno", (int64_t)refused, "tried", (int64_t)LIMIT_MOST, NONE);
	return 0;
}
