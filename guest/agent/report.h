// SPDX-License-Identifier: MIT
/*
 * The agent's report on the console. Every line starts with "@BL1 ":
 *
 *   waits                         before `begin`: now it sleeps for BOOTLAB_WAIT_MS
 *   begin
 *   file <R|-> <bytes> <path>     R: read since the boot; the path as a field
 *   link <path>                   a symbolic link that was followed; the path as a field
 *   proc <name> <line>         name `maps`: a process's number, and a line of its maps; `troubles`: a message of level
 *                                 warning or graver, behind its level; `date`: seconds since 1970; `route`: an
 *                                 interface, and `default` or `network`; `listening`: a TCP port
 *   log <line>
 *   run <line>                    what the check's command printed (BOOTLAB_CHECK)
 *   trace <line>                  of the kernel's tracer (BOOTLAB_TRACE)
 *   method <name> <yes|no> <text> a way to see accesses (BOOTLAB_ACCESSES): whether it works, and what it cannot see
 *   seen <method> <b|c> <kind> <process> <path>
 *                                 an access, b: up to the report, c: by the check's command; kinds in seen.h
 *   exit <status>                 how it ended: its exit status, or 128 and the signal's number
 *   end <number of the lines between begin and end>
 */
#ifndef BOOTLAB_REPORT_H
#define BOOTLAB_REPORT_H

#include <stddef.h>

#include "escape.h"

void report_waits(int fd);
void report_begin(int fd);
/* `head` is written as it is, then the escaped text, then the line's end. */
void report_line(const char *head, const char *text, size_t size, enum escape_for purpose);
void report_end(void);

#endif
