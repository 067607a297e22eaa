// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU's instruction counter and virtual clock, read inside a running block. */
#ifndef BOOTLAB_TRACE_COUNT_H
#define BOOTLAB_TRACE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct count_reader {
    const int64_t *folded; /* instructions of the slices that are over and of this one up to the last fold */
    const int64_t *budget; /* what was left at the last fold */
    const int64_t *extra;
    const uint16_t *low; /* what is left now: low + extra */
    uint64_t reads, checks, mismatches;
};
extern struct count_reader count_reader;

/* Finds QEMU's functions; returns why not, or NULL. */
const char *count_open(int shift);

/* The virtual clock less the instructions' share: time that passed while the processor was halted. */
int64_t count_bias_ns(int shift);

/* Called now and then: learns where QEMU keeps its counter, and checks it for ever after. */
uint64_t count_learn(void);

/*
 * What qemu_clock_insns() says, at the cost of four loads once the fields are known. icount_get_executed() of QEMU's
 * accel/tcg/icount code: budget - (low + extra) instructions were executed since the last fold.
 */
static inline uint64_t count_now(void)
{
    if (__builtin_expect(!count_reader.low || !(++count_reader.reads & 0xffff), 0))
        return count_learn();
    return (uint64_t)(*count_reader.folded + *count_reader.budget - *count_reader.extra - *count_reader.low);
}

#endif
