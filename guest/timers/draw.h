// SPDX-License-Identifier: MIT
/* Random intervals that a seed repeats on every machine. */
#ifndef BOOTLAB_TIMERS_DRAW_H
#define BOOTLAB_TIMERS_DRAW_H

#include <stdint.h>

struct draw {
	uint64_t state;
	int64_t min_ns;
	int64_t range_ns;
	int halve_every_second;
};

/* The draw of timerstress 1.0 (OSDL, 2003): min 10 s, range 60 s, every second timer halved; all divided by `scale`. */
void draw_classic(struct draw *draw, uint64_t seed, double scale);
void draw_uniform(struct draw *draw, uint64_t seed, int64_t min_ns, int64_t range_ns);
/* The interval of the next timer, `index` counted from 0; at least 1 ns. */
int64_t draw_interval(struct draw *draw, unsigned index);
uint64_t draw_number(struct draw *draw);

#endif
