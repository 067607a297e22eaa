// SPDX-License-Identifier: MIT
/* What was seen of files: each access once, by the method that saw it, with the process that made it. */
#ifndef BOOTLAB_SEEN_H
#define BOOTLAB_SEEN_H

#include <stddef.h>

/* Until the goal's time, and while the check's command ran. */
enum phase { PHASE_BOOT, PHASE_CHECK };

/* From now on accesses belong to this phase. */
void seen_phase(enum phase phase);

/*
 * Remember an access. `method`: one word. `kind`: r read or mapped, o opened, x executed, d listed as a folder, l link
 * followed, n named in a system call. `who`: the process's name, "" when nobody knows.
 */
void seen_add(const char *method, char kind, const char *who, const char *path, size_t size);

/* Say whether a method works here, and what it cannot see. */
void seen_method(const char *method, int works, const char *text);

/* Write the report lines. */
void seen_report(void);

#endif
