// SPDX-License-Identifier: MIT
/* Times of a clock as nanoseconds, and back. */
#ifndef BOOTLAB_TIMERS_CLOCK_H
#define BOOTLAB_TIMERS_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
}

#endif
