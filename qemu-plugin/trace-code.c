// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-code.h"

#include <stdlib.h>

struct code code;

void code_keep(const struct qemu_plugin_tb *tb, size_t n)
{
    if (!code.rows && !(code.rows = calloc(BOOTLAB_MAX_CODE, sizeof *code.rows)))
        return;
    if (code.n == BOOTLAB_MAX_CODE)
        return;
    struct bootlab_code *row = &code.rows[code.n++];
    row->at = qemu_plugin_tb_vaddr(tb);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t size = qemu_plugin_insn_size(insn);
        if (row->n_bytes + size > sizeof row->bytes)
            break;
        bootlab_insn_bytes(insn, row->bytes + row->n_bytes, size);
        row->n_bytes += size;
    }
}
