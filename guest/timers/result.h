// SPDX-License-Identifier: MIT
/* Results as lines of JSON. */
#ifndef BOOTLAB_TIMERS_RESULT_H
#define BOOTLAB_TIMERS_RESULT_H

#include "limits.h"
#include "run.h"

/* The first line: what was asked for, and what the system allows. */
void result_head(const struct options *options, const struct limits *limits);
/* One population's line. `control` is a run of the same length without a timer. */
void result_stress(const struct run *run, const struct run *control);
/* A series of named numbers as one line: `{"kind":KIND,"timers":N,NAME:VALUE,...}`. Ends with a NULL name. */
void result_numbers(const char *kind, unsigned timers, ...);

#endif
