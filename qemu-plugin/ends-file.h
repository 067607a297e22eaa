// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file over which bootlab tells bootlab-ends when and how to end a machine; python/bootlab/launch/ends.py has the
 * other side. Little endian, 8-byte words, mapped by both.
 */
#ifndef BOOTLAB_ENDS_FILE_H
#define BOOTLAB_ENDS_FILE_H

#include <stdint.h>

#define BOOTLAB_ENDS_MAGIC "BLENDS\0"
#define BOOTLAB_ENDS_VERSION 1

enum bootlab_end {
    BOOTLAB_POWER_CUT = 1,
    BOOTLAB_POWER_BUTTON = 2,
    BOOTLAB_CTRL_ALT_DEL = 3,
    BOOTLAB_TYPED = 4,
};

struct bootlab_ends_file {
    char magic[8];
    uint64_t version;
    uint64_t stands_ns;  /* of the plugin: the virtual time at which the machine stands and waits; 0: it runs */
    uint64_t granted_ns; /* of bootlab: so far the machine may go on */
    uint64_t how;        /* of bootlab: enum bootlab_end; written before end_ns */
    uint64_t end_ns;     /* of bootlab: when to do it; 0: not known yet */
    uint64_t done_ns;    /* of the plugin: when it was done; 0: not yet */
    uint64_t done_insns; /* of the plugin: instructions executed until then; written before done_ns */
    char typed[256];     /* of bootlab: what is typed, with a newline and a NUL; written before end_ns */
};

#endif
