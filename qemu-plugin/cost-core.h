// SPDX-License-Identifier: GPL-2.0-or-later
/* A processor's figures, as bootlab passes them. Times are in ticks; each is a low and a high one. */
#ifndef BOOTLAB_COST_CORE_H
#define BOOTLAB_COST_CORE_H

#include <stdint.h>

#include "cost-file.h"

struct cost_times {
    uint32_t latency[COST_CLASSES]; /* result after start; memory: added to the cache's */
    uint32_t every[COST_CLASSES];   /* between two of a kind */
    uint32_t load_every, store_every;
    uint32_t issue;      /* between two instructions: a cycle by the width */
    uint32_t hit[4];     /* L1D, L2, L3, memory: load to use */
    uint32_t prefetched; /* a line that was fetched ahead */
    uint32_t line;       /* between two lines from memory */
    uint32_t l1i_miss;   /* a line of code from L2, where it is not as late as data */
    uint32_t mispredict, taken, exception;
    uint32_t tlb2, walk;
    uint32_t device, forward;
    uint32_t string_byte; /* of repeated string instructions */
};

struct cost_shape {
    uint32_t size, ways, line; /* bytes, ways, bytes; size 0: none */
};

struct cost_core {
    struct cost_times times[CORNERS];
    uint32_t window;  /* instructions in flight; 0: in order */
    uint32_t misses;  /* lines under way at a time */
    uint32_t stores;  /* of the store buffer */
    uint32_t streams; /* runs of lines that the prefetcher follows; 0: none */
    uint32_t history; /* bits of the predictor's longest history */
    uint32_t itlb, dtlb, tlb; /* entries; `tlb`: the second level, 0: none */
    struct cost_shape l1i, l1d, l2, l3;
};

extern struct cost_core core;

/* Of `l1i_miss`: not given. */
#define AS_DATA UINT32_MAX

/* Takes NAME=VALUE or NAME=LOW:HIGH; times in cycles. Returns why not, or NULL. */
const char *cost_core_argument(const char *argument);

/* Returns what is missing or cannot be, or NULL. */
const char *cost_core_check(void);

#endif
