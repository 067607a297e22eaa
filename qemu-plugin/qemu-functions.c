// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "qemu-functions.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
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

struct sought {
    uintptr_t address;
    bool is_code;
};

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct sought *sought = data;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t at = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && sought->address >= at &&
            sought->address < at + segment->p_memsz)
            sought->is_code = true;
    }
    return sought->is_code;
}

bool qemu_is_code(const void *pointer)
{
    static const void *known; /* nearly always the same few */
    if (pointer == known)
        return true;
    struct sought sought = {.address = (uintptr_t)pointer};
    dl_iterate_phdr(look, &sought);
    if (sought.is_code)
        known = pointer;
    return sought.is_code;
}
