// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file of bootlab-cost, little endian: one record each time so many instructions more were executed. All numbers are
 * sums since power-on. Read by python/bootlab/recordings/costing_file.py.
 */
#ifndef BOOTLAB_COST_FILE_H
#define BOOTLAB_COST_FILE_H

#include <stdint.h>

#include "cost-insn.h"

#define COST_MAGIC 0x31747363626c7462u /* "btlbcst1" */
#define TICKS_PER_CYCLE 60             /* divides by every width up to 6 */

enum cost_event {
    EVENT_ACCESS,     /* loads and stores of memory */
    EVENT_L1D_MISS,
    EVENT_L1I_MISS,
    EVENT_L2_MISS,    /* of data and code */
    EVENT_L3_MISS,    /* 0 where there is none; memory is read after the last level's miss */
    EVENT_PREFETCHED, /* of the misses of L1D: the next line of a run */
    EVENT_DTLB_MISS,
    EVENT_ITLB_MISS,
    EVENT_WALK,       /* of both: the second level does not hold it either */
    EVENT_BRANCH,     /* conditional, to a register, returns */
    EVENT_MISPREDICT,
    EVENT_EXCEPTION,  /* a block left or entered where no branch leads: interrupts, faults, system calls */
    EVENT_DEVICE,     /* loads and stores of devices */
    COST_EVENTS,
};

enum { LOW, HIGH, CORNERS };

struct cost_record {
    uint64_t magic;
    uint64_t insns, ns;      /* ns: 0 where QEMU counts no instructions */
    uint64_t ticks[CORNERS]; /* of the processor, at each end of its figures */
    uint64_t class[COST_CLASSES];
    uint64_t event[COST_EVENTS];
};

#endif
