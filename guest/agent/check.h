// SPDX-License-Identifier: MIT
/* The functional check's command: run in the system's own view of its files, its output reported line by line. */
#ifndef BOOTLAB_CHECK_H
#define BOOTLAB_CHECK_H

/*
 * `file` holds the program and its arguments, one a line. `proc` is a folder where /proc is mounted. `meanwhile`, if it is
 * given, is called over and over while the program runs.
 */
void check_report(const char *file, const char *proc, void (*meanwhile)(void));

#endif
