// SPDX-License-Identifier: MIT
#include "histogram.h"

static unsigned bucket_of(uint64_t ns)
{
	unsigned octave = 0;

	while (ns >= 2 * HISTOGRAM_STEPS) {
		ns >>= 1;
		octave++;
	}
	/* Below two steps a value is its own bucket; above, each octave adds one more row of them. */
	octave = octave * HISTOGRAM_STEPS + (unsigned)ns;
	return octave < HISTOGRAM_BUCKETS ? octave : HISTOGRAM_BUCKETS - 1;
}

uint64_t histogram_edge(unsigned bucket)
{
	unsigned octave = bucket < 2 * HISTOGRAM_STEPS ? 0 : bucket / HISTOGRAM_STEPS - 1;

	return (uint64_t)(bucket - octave * HISTOGRAM_STEPS) << octave;
}

void histogram_add(struct histogram *histogram, uint64_t ns)
{
	histogram->count[bucket_of(ns)]++;
	histogram->total++;
	histogram->sum_ns += ns;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->count[i] += from->count[i];
	into->total += from->total;
	into->sum_ns += from->sum_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
}

uint64_t histogram_percentile(const struct histogram *histogram, double share)
{
	uint64_t wanted = (uint64_t)((double)histogram->total * share);
	uint64_t seen = 0;

	if ((double)wanted < (double)histogram->total * share)
		wanted++;
	if (!histogram->total)
		return 0;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->count[i];
		if (seen >= wanted && seen) {
			uint64_t edge = i + 1 < HISTOGRAM_BUCKETS ? histogram_edge(i + 1) - 1 : histogram->max_ns;

			return edge < histogram->max_ns ? edge : histogram->max_ns;
		}
	}
	return histogram->max_ns;
}
