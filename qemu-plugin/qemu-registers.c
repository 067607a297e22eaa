// SPDX-License-Identifier: GPL-2.0-or-later
#include "qemu-registers.h"

#include <string.h>

#include "qemu-functions.h"

struct bytes { /* GByteArray of GLib */
    uint8_t *data;
    unsigned n;
};

static int (*read_register)(void *cpu, struct bytes *into, int number);
static struct bytes *(*set_size)(struct bytes *bytes, unsigned n);
static void *(*cpu_by_index)(int index);
static struct bytes *scratch;

const char *qemu_registers_open(const char *reader)
{
    struct bytes *(*make)(void);
    const struct qemu_function wanted[] = {
        {"g_byte_array_new", &make},
        {"g_byte_array_set_size", &set_size},
        {"qemu_get_cpu", &cpu_by_index},
        {reader, &read_register},
    };
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (!why)
        scratch = make();
    return why;
}

uint64_t qemu_register(int number)
{
    uint64_t value = 0;
    set_size(scratch, 0);
    int n = read_register(cpu_by_index(0), scratch, number);
    if (n > 0 && (unsigned)n <= sizeof value)
        memcpy(&value, scratch->data, (size_t)n);
    return value;
}
