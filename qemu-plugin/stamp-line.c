// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line that a plugin of bootlab's own prints on the guest's console, at its true time. A byte of the guest's belongs
 * to an instruction that writes to a port (stamp-console.h); this one belongs to none. The stamp plugin is preloaded,
 * so that the other one finds this function by its name.
 */
#include "plugin-api.h"
#include "stamp-console.h"

/* Calls `print`, and gives what it prints the time and the instructions that are told. QEMU's lock is held. */
QEMU_PLUGIN_EXPORT void bootlab_stamp_line(void (*print)(const char *text), const char *text, uint64_t ns, uint64_t insns)
{
    console_settle();
    stamp_file->pending_ns = ns;
    stamp_file->pending_insns = insns;
    print(text);
    console_settle();
}
