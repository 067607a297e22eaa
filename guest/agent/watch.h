// SPDX-License-Identifier: MIT
/* Accesses as they happen: the kernel's notifications (fanotify) and its tracer (names given to system calls). */
#ifndef BOOTLAB_WATCH_H
#define BOOTLAB_WATCH_H

/* Begin. `proc` and `tracing` are folders where those file systems are mounted. */
void watch_start(const char *proc, const char *tracing);

/* Take what comes for so long. */
void watch_for(unsigned long ms);

/* Take what is there, and say what was lost. */
void watch_rest(void);

#endif
