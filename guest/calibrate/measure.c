// SPDX-License-Identifier: MIT
#include "measure.h"

#define MOST_REPEATS 15
#define MOST_TURNS (1ul << 28)

struct settings settings = {.repeats = 7, .batch_ns = 1500000, .most_bytes = 64u << 20};

static uint64_t took(enum clock clock, work *does, void *with, unsigned long n)
{
	uint64_t from = now(clock);

	does(n, with);
	return now(clock) - from;
}

struct measured measured(enum clock clock, work *does, void *with, uint64_t each)
{
	uint64_t all[MOST_REPEATS], ns;
	unsigned long n = 1;

	while ((ns = took(clock, does, with, n)) < settings.batch_ns && n < MOST_TURNS)
		n *= ns * 4 < settings.batch_ns ? 4 : 2;
	for (unsigned i = 0; i < settings.repeats; i++) {
		uint64_t one = divided(took(clock, does, with, n) * 1000, n * each);
		unsigned at = i;

		for (; at && all[at - 1] > one; at--)
			all[at] = all[at - 1];
		all[at] = one;
	}
	return (struct measured){all[0], all[settings.repeats / 2], all[settings.repeats - 1]};
}

struct measured report(const char *name, const char *key, uint64_t value, enum clock clock, work *does, void *with,
		       uint64_t each)
{
	struct measured found = measured(clock, does, with, each);

	line(name);
	if (key)
		number(key, value);
	number("least", found.least);
	number("median", found.median);
	number("most", found.most);
	end_line();
	return found;
}
