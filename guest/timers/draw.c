// SPDX-License-Identifier: MIT
#include "draw.h"

#define SECOND_NS 1000000000.0

void draw_uniform(struct draw *draw, uint64_t seed, int64_t min_ns, int64_t range_ns)
{
	draw->state = seed;
	draw->min_ns = min_ns;
	draw->range_ns = range_ns;
	draw->halve_every_second = 0;
}

void draw_classic(struct draw *draw, uint64_t seed, double scale)
{
	draw_uniform(draw, seed, (int64_t)(10 * SECOND_NS / scale), (int64_t)(60 * SECOND_NS / scale));
	draw->halve_every_second = 1;
}

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
uint64_t draw_number(struct draw *draw)
{
	uint64_t z = draw->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

int64_t draw_interval(struct draw *draw, unsigned index)
{
	double part = (double)(draw_number(draw) >> 11) / 9007199254740992.0;
	int64_t ns = draw->min_ns + (int64_t)(part * (double)draw->range_ns);

	if (draw->halve_every_second && index % 2)
		ns /= 2;
	return ns > 0 ? ns : 1;
}
