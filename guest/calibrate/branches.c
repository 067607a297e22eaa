// SPDX-License-Identifier: MIT
/* What a branch costs that is not foreseen, and how far back a predictor looks. */
#include "measure.h"
#include "words.h"

/*
 * A multiplication and an addition give the next number; a bit of it decides a branch. Masked, the bit is always 0: the
 * same instructions, foreseen.
 */
#if __SIZEOF_LONG__ == 8
#define STEP 6364136223846793005ul
#define DRAW 41
#else
#define STEP 1664525ul
#define DRAW 23
#endif

struct way {
	unsigned long mask, distance;
};

static void one_branch(unsigned long n, void *with)
{
	const struct way *way = with;
	unsigned long x = 88172645, mask = way->mask;

	for (; n; n--) {
		x = x * STEP + 1442695041ul;
		unsigned long bit = x >> DRAW & mask;
		UNLESS(bit, further);
		__asm__ volatile("nop");
further:
		__asm__ volatile("");
	}
}

/* A branch by a random bit, `distance` branches that are always alike, and one by the same bit, or by 0. */
static void two_branches(unsigned long n, void *with)
{
	const struct way *way = with;
	unsigned long x = 88172645, mask = way->mask;

	for (; n; n--) {
		x = x * STEP + 1442695041ul;
		unsigned long bit = x >> DRAW & 1;
		UNLESS(bit, between);
		__asm__ volatile("nop");
between:
		for (unsigned long left = way->distance; left; left--)
			__asm__ volatile("" : "+r"(left));
		bit &= mask;
		UNLESS(bit, further);
		__asm__ volatile("nop");
further:
		__asm__ volatile("");
	}
}

void measure_branches(void)
{
	static const unsigned distances[] = {2, 4, 8, 12, 16, 24, 32, 48, 62};
	struct way foreseen = {.mask = 0}, drawn_one = {.mask = 1};

	report("branch", "random", 0, OF_PROCESSOR, one_branch, &foreseen, 1);
	report("branch", "random", 1, OF_PROCESSOR, one_branch, &drawn_one, 1);
	for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++) {
		struct way apart = {.mask = 0, .distance = distances[i]}, same = {.mask = 1, .distance = distances[i]};

		report("history_none", "distance", distances[i], OF_PROCESSOR, two_branches, &apart, 1);
		report("history", "distance", distances[i], OF_PROCESSOR, two_branches, &same, 1);
	}
}
