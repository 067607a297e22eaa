// SPDX-License-Identifier: MIT
/* A measurement: so many repeats of a batch that is long enough for the clock. Picoseconds for each operation. */
#ifndef MEASURE_H
#define MEASURE_H

#include "machine.h"

/* Does its operation `n` times. */
typedef void work(unsigned long n, void *with);

struct measured {
	uint64_t least, median, most; /* picoseconds */
};

struct settings {
	unsigned repeats;  /* of each measurement; odd */
	uint64_t batch_ns; /* the least time of one */
	size_t most_bytes; /* of memory */
	bool quick;
};

extern struct settings settings;

/* `each`: operations of one turn. */
struct measured measured(enum clock clock, work *does, void *with, uint64_t each);

/* The same, as a line: NAME [KEY=VALUE] least= median= most=. `key` may be NULL. */
struct measured report(const char *name, const char *key, uint64_t value, enum clock clock, work *does, void *with,
		       uint64_t each);

void measure_chains(void);
void measure_memory(void);
void measure_tlb(void);
void measure_code(void);
void measure_branches(void);
void measure_system(const char *self);
void measure_medium(const char *path);
void measure_line(void);
void tell_machine(void);

#endif
