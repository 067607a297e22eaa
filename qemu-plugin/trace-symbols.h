// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses to functions, from the symbol file. */
#ifndef BOOTLAB_TRACE_SYMBOLS_H
#define BOOTLAB_TRACE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace-file.h"

struct symbols {
    const struct bootlab_symbol *rows;
    const uint32_t *flags; /* of each function */
    uint32_t n_rows, n_functions;
    uint64_t low, high; /* the rows' range */
};
extern struct symbols symbols;

/* Returns why not, or NULL. */
const char *symbols_open(const char *path);

/* The row that holds an address inside [low, high). */
const struct bootlab_symbol *symbols_at(uint64_t address);

#endif
