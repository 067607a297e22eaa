// SPDX-License-Identifier: GPL-2.0-or-later
/* Closes the race between a processor that halts and QEMU's main loop, which moves the clock on while all are idle. */
#ifndef BOOTLAB_HALT_H
#define BOOTLAB_HALT_H

#include <stddef.h>

#include "plugin-api.h"

/* Finds QEMU's functions; `target` is QEMU's name of the architecture. Returns why not, or NULL. */
const char *halt_open(const char *target);

/* To be called for every block of `n` instructions that is translated. */
void halt_watch(struct qemu_plugin_tb *tb, size_t n);

#endif
