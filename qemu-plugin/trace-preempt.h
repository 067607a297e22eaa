// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows the kernel's preemption count: a word of its per-CPU data, on x86 (arch/x86/include/asm/preempt.h). */
#ifndef BOOTLAB_TRACE_PREEMPT_H
#define BOOTLAB_TRACE_PREEMPT_H

#include <stdint.h>

#include "plugin-api.h"

/* `offset`: the count's address less that of the per-CPU data; 0: it is not followed. */
void preempt_open(uint64_t offset);

/* Watches an instruction if it works on the count; `left` instructions of its block come after its beginning. */
void preempt_watch(struct qemu_plugin_insn *insn, unsigned left);

#endif
