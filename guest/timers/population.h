// SPDX-License-Identifier: MIT
/* The timers of one run: created, armed, deleted; each with its account. */
#ifndef BOOTLAB_TIMERS_POPULATION_H
#define BOOTLAB_TIMERS_POPULATION_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "account.h"
#include "options.h"

struct timer {
	timer_t id;
	int fd; /* of a timerfd, else -1 */
	int64_t interval_ns;
	uint64_t planted; /* losses and copies that were planted on it */
	struct account account;
};

struct population {
	unsigned wanted;
	unsigned count; /* created: fewer when the system refused one */
	int refused;    /* errno of the refusal, 0 */
	int64_t create_ns;
	int64_t arm_ns;
	struct timer *timers;
};

/* The signal of timer `index`; `tids` are the receiving threads of SIGEV_THREAD_ID, `call` the function of SIGEV_THREAD. */
struct delivery {
	int signo;
	const pid_t *tids;
	unsigned tid_count;
	void (*call)(union sigval value);
};

/* Create as many timers as the system grants, up to `wanted`. Returns -1 when there is no memory for the table. */
int population_create(struct population *population, const struct options *options, unsigned wanted,
		      const struct delivery *delivery);
/* Arm all of them, each with an interval of its own, and open their accounts. Returns 0, or an errno. */
int population_arm(struct population *population, const struct options *options);
/* Stop a timer; what is queued for it may still be delivered (before Linux 6.13) or not. */
void timer_stop(const struct timer *timer);
void population_delete(struct population *population);

#endif
