// SPDX-License-Identifier: MIT
/* What timers cost besides expiring: by population, all at one instant, and while they come and go. */
#ifndef BOOTLAB_TIMERS_COSTS_H
#define BOOTLAB_TIMERS_COSTS_H

#include "options.h"

/* Nanoseconds a call: create, arm, read, ask for the overrun, delete, each over the whole population. 0, or an errno. */
int costs_curve(const struct options *options, unsigned timers);
/* All timers due at one instant: when the first and the last is taken, and whether they come in the order of arming. */
int costs_burst(const struct options *options, unsigned timers);
/* Timers are created, armed again, stopped and deleted at random while others expire; each expiration is accounted. */
int costs_churn(const struct options *options, unsigned timers);
/* Create timers until the system refuses: how many, and with which error. */
int costs_limit(const struct options *options);

#endif
