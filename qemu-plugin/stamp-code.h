// SPDX-License-Identifier: GPL-2.0-or-later
/* Marks of code whose address nobody knows beforehand: known by its first bytes, and by where they lie in a page. */
#ifndef BOOTLAB_STAMP_CODE_H
#define BOOTLAB_STAMP_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "plugin-api.h"

/* Remember `IN_PAGE:HEX` as mark `number`. Return NULL, or why it cannot be. */
const char *code_add(const char *text, unsigned number);

/* Return how many such marks there are. */
unsigned code_count(void);

/*
 * Return the mark whose code a block begins with; -1 for none. Firmware jumps to what it has loaded, so that it begins
 * a block. The block may end before the known bytes do: then the bytes that it has must be the first of them.
 */
int code_mark(const struct qemu_plugin_tb *tb, size_t n);

#endif
