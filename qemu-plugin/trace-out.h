// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the trace. */
#ifndef BOOTLAB_TRACE_OUT_H
#define BOOTLAB_TRACE_OUT_H

#include <stdbool.h>
#include <stdint.h>

extern const char *out_path;

/* Under another name first: a file with the name asked for is whole. */
void out_write(uint64_t end_insns, uint64_t end_ns, bool complete);

/*
 * Called now and then: every few seconds of the host's time the trace up to now is written beside the file asked for, as
 * FILE.part, for the case that QEMU is killed. It takes no more than a twentieth of the time.
 */
void out_keep(uint64_t now_insns, uint64_t now_ns);

#endif
