// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU's threads for slow calls of the host (reading image files), replaced by the thread that asks. */
#ifndef BOOTLAB_DEVICES_POOL_H
#define BOOTLAB_DEVICES_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* Redirects QEMU's two functions. Returns NULL, or a sentence why that cannot be. */
const char *pool_open(void);

/* Has both do some work. `poll` runs what is due in QEMU's main loop. Returns NULL, or what went wrong. */
const char *pool_test(bool (*poll)(void));

/* How many calls there were. */
uint64_t pool_transfers(void);

#endif
