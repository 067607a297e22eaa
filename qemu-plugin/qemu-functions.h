// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU's own functions, by name: they are no part of its plugin interface, but its binaries export them. */
#ifndef BOOTLAB_QEMU_FUNCTIONS_H
#define BOOTLAB_QEMU_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* One of them, and the function pointer that is to hold its address. */
struct qemu_function {
    const char *name;
    void *pointer;
};

#define QEMU_FUNCTIONS(wanted) (wanted), sizeof(wanted) / sizeof *(wanted)

/* Fills all pointers, with NULL where nothing has that name. Returns a sentence about the first such name, or NULL. */
const char *qemu_find(const struct qemu_function *wanted, size_t n);

/* QEMU's current_cpu of the calling thread; it holds NULL where no processor runs. NULL: QEMU does not export it. */
void **qemu_current_cpu(void);

/* Tells whether a pointer leads into code that is loaded. */
bool qemu_is_code(const void *pointer);

#endif
