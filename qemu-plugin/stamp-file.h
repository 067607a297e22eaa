// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file that bootlab-stamp writes; read by python/bootlab/recordings/stamps.py. Little endian, 8-byte words. The head and
 * the marks stand in front, the stamps from BOOTLAB_STAMPS_AT on. Both are mapped: nothing is lost when QEMU is killed.
 */
#ifndef BOOTLAB_STAMP_FILE_H
#define BOOTLAB_STAMP_FILE_H

#include <stdint.h>

#define BOOTLAB_STAMP_MAGIC "BLSTAMP"
#define BOOTLAB_STAMP_VERSION 3
#define BOOTLAB_MAX_MARKS 163
#define BOOTLAB_USER_MARK 160
/* Of the kernel that the first one started by kexec: its first instruction, and the first of its user space. */
#define BOOTLAB_KERNEL_2_MARK 161
#define BOOTLAB_USER_2_MARK 162
#define BOOTLAB_STAMPS_AT 4096
/* Stamps are mapped a window at a time, a whole number of pages, so that a long console costs disk and no memory. */
#define BOOTLAB_WINDOW_STAMPS 65536u

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
    uint64_t lost; /* 1: the disk took no more stamps; bytes behind console_bytes have none */
    uint64_t now_ns; /* virtual time, refreshed every 20 ms of the host's */
    /* What the guest wrote, as far as QEMU gave it to the console's file (stamp-written.c); all 0: not counted. */
    uint64_t begun_bytes;   /* with those of the write that may be under way */
    uint64_t written_bytes; /* that the file took */
    uint64_t failed_bytes;  /* that it did not take: they are lost */
    struct bootlab_mark marks[BOOTLAB_MAX_MARKS];
};

_Static_assert(sizeof(struct bootlab_stamp_file) <= BOOTLAB_STAMPS_AT, "the head reaches into the stamps");

#endif
