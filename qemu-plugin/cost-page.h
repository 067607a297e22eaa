// SPDX-License-Identifier: GPL-2.0-or-later
/* Which memory a virtual address is now. Asked of QEMU once a page, until the pages may have changed. */
#ifndef BOOTLAB_COST_PAGE_H
#define BOOTLAB_COST_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin-api.h"

/* Within a callback of an access. Tells whether it is a device. */
bool page_of(qemu_plugin_meminfo_t info, uint64_t virtual, uint64_t *physical);

/* The processor may have other tables. */
void page_forget(void);

#endif
