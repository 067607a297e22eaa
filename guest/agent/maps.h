// SPDX-License-Identifier: MIT
/* Which files the running processes have mapped. */
#ifndef BOOTLAB_MAPS_H
#define BOOTLAB_MAPS_H

/* Write a report line "proc maps <pid> <line of maps>" for each mapping of a file by any process but our own. */
void maps_report(const char *proc);

#endif
