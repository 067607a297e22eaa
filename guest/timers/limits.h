// SPDX-License-Identifier: MIT
/* What the system allows, read before anything is created: a refusal is a result, not a surprise. */
#ifndef BOOTLAB_TIMERS_LIMITS_H
#define BOOTLAB_TIMERS_LIMITS_H

#include <stdint.h>

struct limits {
	int64_t pending_soft; /* RLIMIT_SIGPENDING: each POSIX timer takes a slot; -1: no limit */
	int64_t pending_hard;
	int64_t pending_used; /* slots in use by the same user, by any process (SigQ of /proc/self/status); -1: not known */
	int64_t files_soft;   /* RLIMIT_NOFILE: a timerfd takes one */
	int64_t timer_max;    /* sysconf(_SC_TIMER_MAX); -1: no fixed limit */
	int64_t resolution_ns;
};

void limits_read(struct limits *limits, int clock);
/* Raise soft limits to the hard ones, so that as many timers fit as may. */
void limits_raise(void);

#endif
