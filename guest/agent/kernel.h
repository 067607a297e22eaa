// SPDX-License-Identifier: MIT
/* What the kernel says: its log and a few files of /proc. */
#ifndef BOOTLAB_KERNEL_H
#define BOOTLAB_KERNEL_H

/* Write a report line for each line of the kernel's log, with its stamp as dmesg prints it. */
void kernel_report_log(const char *kmsg);

/* Write a report line for each line of some files below `proc`. */
void kernel_report_proc(const char *proc);

#endif
