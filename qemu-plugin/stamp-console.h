// SPDX-License-Identifier: GPL-2.0-or-later
/* The console's file, and the file of stamps: which byte came when. */
#ifndef BOOTLAB_STAMP_CONSOLE_H
#define BOOTLAB_STAMP_CONSOLE_H

#include <stdbool.h>

#include "stamp-file.h"

/* The mapped head of the file of stamps. */
extern struct bootlab_stamp_file *stamp_file;

/* Opens both files; QEMU's functions must have been found. Return why not, or NULL. */
const char *console_open_stamps(const char *out);
const char *console_open(const char *con);

/* The descriptor is one of the console's file. */
bool console_is_file_of(int fd);

/* The file has grown since the last stamp. */
bool console_has_grown(void);

/* A byte is about to be written by the instruction `left` before its block's end. */
void console_note_time(unsigned left);

/* What is new in the file gets the noted time. */
void console_settle(void);

/* A thread stamps what is new whenever the file is written to. Returns why not, or NULL. */
const char *console_follow(const char *con);

/* A thread that writes down how late it is in the guest, also while nothing is printed. Returns why not, or NULL. */
const char *console_beat(void);

#endif
