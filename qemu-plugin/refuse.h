// SPDX-License-Identifier: GPL-2.0-or-later
/* How a plugin says why it will not run; whoever includes this defines PLUGIN_NAME. */
#ifndef BOOTLAB_REFUSE_H
#define BOOTLAB_REFUSE_H

#include <stdio.h>

/* Returns what qemu_plugin_install() returns then: QEMU ends. */
static inline int refuse(const char *why)
{
    fprintf(stderr, PLUGIN_NAME ": %s\n", why);
    return 1;
}

#endif
