// SPDX-License-Identifier: MIT
/* A log-linear histogram of durations: every octave has 32 buckets, so that a value is known to 3 per cent. */
#ifndef BOOTLAB_TIMERS_HISTOGRAM_H
#define BOOTLAB_TIMERS_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEPS 32
#define HISTOGRAM_BUCKETS (HISTOGRAM_STEPS * 40)

struct histogram {
	uint64_t count[HISTOGRAM_BUCKETS];
	uint64_t total;
	uint64_t sum_ns;
	uint64_t max_ns;
};

void histogram_add(struct histogram *histogram, uint64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *from);
/* The upper edge of the bucket that holds a share of the values (0 < share <= 1), at most the maximum; 0 when empty. */
uint64_t histogram_percentile(const struct histogram *histogram, double share);
/* The smallest value of a bucket. */
uint64_t histogram_edge(unsigned bucket);

#endif
