// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a kernel that another one started by kexec begins, and its user space. Nobody knows its symbols, and its addresses may be
 * random. But the way is always the same: the old kernel's last function runs at the kernel's addresses; what copies
 * and unpacks the new one runs at low ones, where memory is mapped as it is or not at all; the new one goes back to
 * the kernel's, and user space is low again.
 */
#ifndef BOOTLAB_STAMP_KEXEC_H
#define BOOTLAB_STAMP_KEXEC_H

#include <stdbool.h>

/* Say which mark is the old kernel's last function. */
void kexec_watch(unsigned number);

/* Say whether low instructions of a kernel are user space's: not where it runs some of its own there (arm64's idmap). */
void kexec_sees_user(bool sees);

/* Take note that a mark was reached. */
void kexec_note(unsigned number);

/* Tell whether the old kernel has been left. */
bool kexec_left(void);

/* Tell whether a block at low addresses, or at the kernel's, may be what is waited for. */
bool kexec_waits(bool low);

/* Such a block runs. Return the mark that this is, or 0. */
unsigned kexec_reached(bool low);

#endif
