// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of the first processor, read as QEMU's debugger stub reads them, which changes nothing. They are right at the
 * beginning of a block.
 */
#ifndef BOOTLAB_QEMU_REGISTERS_H
#define BOOTLAB_QEMU_REGISTERS_H

#include <stdint.h>

/* `reader`: QEMU's function for the architecture, *_cpu_gdb_read_register. Returns why it cannot be done, or NULL. */
const char *qemu_registers_open(const char *reader);

/* By the stub's number of it; 0 when there is no such register. */
uint64_t qemu_register(int number);

#endif
