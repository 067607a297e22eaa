// SPDX-License-Identifier: GPL-2.0-or-later
/* Code that no symbol covers: modules, and what the kernel generates. */
#ifndef BOOTLAB_TRACE_CODE_H
#define BOOTLAB_TRACE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "plugin-api.h"
#include "trace-file.h"

struct code {
    struct bootlab_code *rows;
    uint32_t n;
};
extern struct code code;

void code_keep(const struct qemu_plugin_tb *tb, size_t n);

#endif
