// SPDX-License-Identifier: MIT
#ifndef BOOTLAB_STATE_H
#define BOOTLAB_STATE_H

/* What a user of the system would miss: its date, its routes, the ports that it listens on. `proc`: where /proc is. */
void state_report(const char *proc);

/* Switches the machine off as init does at its end. Returns only where that does not work. */
void state_power_off(void);

#endif
