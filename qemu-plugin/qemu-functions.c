// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "qemu-functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *qemu_find(const struct qemu_function *wanted, size_t n)
{
    static char why[160];
    const char *missing = NULL;
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(RTLD_DEFAULT, wanted[i].name);
        memcpy(wanted[i].pointer, &found, sizeof found);
        if (!found && !missing)
            missing = wanted[i].name;
    }
    if (!missing)
        return NULL;
    snprintf(why, sizeof why, "this QEMU does not export %s, or is of a version that has none", missing);
    return why;
}

void **qemu_current_cpu(void)
{
    static __thread void **current; /* thread-local in QEMU: asked in each thread */
    if (!current)
        current = dlsym(RTLD_DEFAULT, "current_cpu");
    return current;
}
