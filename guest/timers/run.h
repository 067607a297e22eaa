// SPDX-License-Identifier: MIT
/* One run of the stress mode: a population, receivers, the accounts, and what it cost. */
#ifndef BOOTLAB_TIMERS_RUN_H
#define BOOTLAB_TIMERS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "options.h"
#include "population.h"

struct planted {
	uint64_t dropped;
	uint64_t copied;
	uint64_t delayed;
};

/* What one receiving thread needs and finds; the accounts of its timers are its own. */
struct inbox {
	struct run *run;
	struct histogram lateness;
	uint64_t late;
	uint64_t events; /* deliveries taken from the kernel, counted before any fault is planted */
	uint64_t sequence;
	uint64_t drops, copies, delays;
	bool emptied; /* nothing was left in the queue when the drain ended */
	/*
	 * All that was taken was taken before this moment. It is that of the last look at the queue, not of the end of the
	 * run: what expired in between and nobody took would excuse a second copy.
	 */
	int64_t until_ns;
};

struct run {
	const struct options *options;
	struct population population;
	int64_t start_ns, stop_ns; /* on the timers' clock */
	int64_t length_ns; /* how long each timer is counted, from its own arming */
	int64_t wall_ns;
	struct inbox *inboxes;
	unsigned inbox_count;
	/* after the run */
	struct histogram lateness;
	struct planted planted;
	uint64_t events, deliveries, overruns, in_run, lost, duplicated, early, late, in_flight;
	uint64_t due_least, due_most;
	unsigned timers_created;
	int64_t user_ns, system_ns;
	long switches;
};

/* Make, run, close and delete a population. Returns 0, or an errno with `what` set to what failed. */
int run_stress(struct run *run, const struct options *options, unsigned timers, const char **what);
void run_free(struct run *run);

/*
 * Whether something that was due at the stop, or at a later look at the queue, is still to come. An empty queue does not
 * tell: the interrupt of a timer that is due may be late, on a machine that is busy or shared, or for a clock that is
 * looked at by the tick only. Nor does the stop alone: one that is lost just before it may look as if it were delivered,
 * when the next one comes between a look at the clock and the taking.
 */
bool inbox_waits(const struct inbox *inbox);

/* Take one delivery into the books, planting faults on the way. */
void inbox_take(struct inbox *inbox, unsigned index, uint64_t overrun, int64_t safe_ns, int64_t now_ns);

#endif
