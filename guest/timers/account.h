// SPDX-License-Identifier: MIT
/*
 * The exact account of one timer: every expiration that its schedule demands is delivered, counted in an overrun, or
 * missing, and every delivery that it does not demand is early or one too many.
 *
 * Times are nanoseconds on the timer's own clock. No system call is made here, so that planted faults can be tried.
 */
#ifndef BOOTLAB_TIMERS_ACCOUNT_H
#define BOOTLAB_TIMERS_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct account {
	int64_t first_ns;    /* the first expiration is due at this time or up to slack_ns later */
	int64_t slack_ns;    /* how long the call took that armed it; 0 for an absolute time */
	int64_t interval_ns; /* 0: one-shot */
	uint64_t deliveries;
	uint64_t overruns;
	uint64_t lost;
	uint64_t duplicated;
	uint64_t early;
	uint64_t in_flight; /* due at the stop, and not taken when the drain ended */
	int64_t ahead;      /* deliveries that came before they were due, or once too often: the next one tells which */
};

/* Start an account. A relative timer was armed between `before` and `after`; an absolute one has before == after. */
void account_open(struct account *account, int64_t before_ns, int64_t after_ns, int64_t initial_ns, int64_t interval_ns);

/* Expirations that are due at a time, by the earliest and by the latest moment at which the timer can have been armed. */
uint64_t account_most(const struct account *account, int64_t time_ns);
uint64_t account_least(const struct account *account, int64_t time_ns);

/*
 * Take a delivery that was taken from the kernel between `safe` and `now`, with the kernel's overrun count. The kernel
 * counts overruns at that moment (posixtimer_rearm(), kernel/time/posix-timers.c), so that the account must lie between
 * what was due at `safe` and what is due at `now`; outside, something is wrong beyond all doubt. A receiver that does
 * not know the moment gives the time of its last delivery as `safe`: then less can be told.
 *
 * Returns the lateness: time since the first expiration in it was due, by the latest moment of arming; negative when it
 * came before it was due.
 */
int64_t account_deliver(struct account *account, int64_t safe_ns, int64_t now_ns, uint64_t overrun);

/*
 * Whether expirations that were due at a time have not been taken yet. A delivery that came ahead does not count: it may
 * be a second copy, which stands for none.
 */
bool account_short(const struct account *account, int64_t time_ns);

/*
 * Close an account. The run stopped at `stop`; all deliveries were taken before `until`, and more than were due by then
 * is one too many. `drained`: nothing was left in the queue then, so that what is missing is lost and not on its way.
 */
void account_close(struct account *account, int64_t stop_ns, int64_t until_ns, bool drained);

/* Expirations due up to a time that were delivered or counted in an overrun (a later delivery may hold more). */
uint64_t account_in_run(const struct account *account, int64_t stop_ns);

#endif
