// SPDX-License-Identifier: GPL-2.0-or-later
/* The mapped file that bootlab-stamp writes; read by python/bootlab/targets/stamps.py. Little endian, 8-byte words. */
#ifndef BOOTLAB_STAMP_FILE_H
#define BOOTLAB_STAMP_FILE_H

#include <stdint.h>

#define BOOTLAB_STAMP_MAGIC "BLSTAMP"
#define BOOTLAB_STAMP_VERSION 1
#define BOOTLAB_MAX_MARKS 65
#define BOOTLAB_USER_MARK 64
#define BOOTLAB_MAX_STAMPS (1u << 21)

struct bootlab_mark {
    uint64_t seen;
    uint64_t ns;
    uint64_t insns;
};

struct bootlab_stamp {
    uint64_t console_bytes; /* size of the console file once this stamp's bytes were in it */
    uint64_t ns;            /* virtual time at which the writing instruction started */
    uint64_t insns;         /* instructions executed before it */
};

struct bootlab_stamp_file {
    char magic[8];
    uint64_t version;
    uint64_t n_stamps;
    uint64_t console_bytes; /* bytes that the stamps cover; what lies behind them carries the pending stamp */
    uint64_t pending_ns;
    uint64_t pending_insns;
    uint64_t overflow;
    uint64_t now_ns; /* virtual time, refreshed every 20 ms of the host's */
    struct bootlab_mark marks[BOOTLAB_MAX_MARKS];
    struct bootlab_stamp stamps[BOOTLAB_MAX_STAMPS];
};

#endif
