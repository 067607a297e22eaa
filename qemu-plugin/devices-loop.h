// SPDX-License-Identifier: GPL-2.0-or-later
/* The work of QEMU's main loop for devices, done by the processor's thread. */
#ifndef BOOTLAB_DEVICES_LOOP_H
#define BOOTLAB_DEVICES_LOOP_H

#include <stdbool.h>

/* Finds QEMU's functions and takes the work over. Returns NULL, or a sentence why that cannot be. */
const char *loop_open(void);

/* The calling thread is the processor's. To be called before it touches a device: the first may wait for the main loop. */
void loop_note_processor(void);

/* Has the processor's thread finish what devices have begun, before the guest's next block of instructions. */
void loop_finish_behind(unsigned cpu);

/* Whether something is left to do for the main loop. */
bool loop_waits(void);

/* Runs what is due in QEMU's main loop, once. Returns whether there was something. */
bool loop_poll(void);

void loop_report(void);

#endif
