// SPDX-License-Identifier: GPL-2.0-or-later
/* Would the processor have known where a block goes on? */
#ifndef BOOTLAB_COST_BRANCH_H
#define BOOTLAB_COST_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "cost-insn.h"

/* `at`: the branch; `after`: the instruction behind it; `to`: the next one executed. Tells whether it was mispredicted. */
bool cost_branch(enum cost_end end, uint64_t at, uint64_t after, uint64_t to);

#endif
