// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts what the guest's console gives to its file. QEMU's serial ports drop a byte whose write fails (hw/char/serial.c,
 * serial_xmit()), so a full disk leaves a hole that no one tells of. bootlab preloads the plugin (LD_PRELOAD): then this
 * writev() is the one that QEMU's file backend calls (io/channel-file.c). Loaded as a plugin alone, nothing is counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "plugin-api.h"
#include "stamp-console.h"

typedef ssize_t writev_function(int fd, const struct iovec *parts, int n);

static bool is_console(int fd)
{
    static int known = -1;
    if (!stamp_file || (known >= 0 && fd != known))
        return false;
    if (known < 0 && console_is_file_of(fd))
        known = fd;
    return fd == known;
}

QEMU_PLUGIN_EXPORT ssize_t writev(int fd, const struct iovec *parts, int n)
{
    static writev_function *next;
    if (!next) {
        void *found = dlsym(RTLD_NEXT, "writev");
        next = (writev_function *)found;
    }
    if (!is_console(fd))
        return next(fd, parts, n);
    uint64_t asked = 0;
    for (int i = 0; i < n; i++)
        asked += parts[i].iov_len;
    /* Killed in the midst of the call, the file has these or not. */
    __atomic_store_n(&stamp_file->begun_bytes, stamp_file->written_bytes + asked, __ATOMIC_RELEASE);
    ssize_t done = next(fd, parts, n);
    if (done >= 0)
        __atomic_store_n(&stamp_file->written_bytes, stamp_file->written_bytes + (uint64_t)done, __ATOMIC_RELEASE);
    else if (errno != EAGAIN && errno != EINTR)
        __atomic_store_n(&stamp_file->failed_bytes, stamp_file->failed_bytes + asked, __ATOMIC_RELEASE);
    return done;
}
