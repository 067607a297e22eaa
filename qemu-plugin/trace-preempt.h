// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows the kernel's preemption count: on x86 a word of its per-CPU data (asm/preempt.h), elsewhere one of each task. */
#ifndef BOOTLAB_TRACE_PREEMPT_H
#define BOOTLAB_TRACE_PREEMPT_H

#include <stdint.h>

#include "plugin-api.h"

/*
 * `offset`: the count's address less that of the per-CPU data, or of a task's thread_info; 0: it is not followed.
 * `thread_info`: that of the task that boots, where tasks have one.
 */
void preempt_open(const char *target, uint64_t offset, uint64_t thread_info);

/* The kernel switches from one task to another: a store, and then the first load. */
void preempt_switch_stores(uint64_t vaddr);
void preempt_switch_loads(uint64_t vaddr);

/* Watches an instruction if it works on the count; `left` instructions of its block come after its beginning. */
void preempt_watch(struct qemu_plugin_insn *insn, unsigned left);

/* User space runs: the count must be 0. If it is not, another word was taken for it, and nothing is told of it. */
void preempt_in_user_space(void);

#endif
