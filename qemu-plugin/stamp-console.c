// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "stamp-console.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "qemu-clock.h"

struct bootlab_stamp_file *stamp_file;
static struct bootlab_stamp *window;
static int out_fd = -1;
static int console_fd = -1;

const char *console_open_stamps(const char *out)
{
    out_fd = open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out_fd < 0 || posix_fallocate(out_fd, 0, BOOTLAB_STAMPS_AT) != 0)
        return "cannot create the file named by out=";
    stamp_file = mmap(NULL, sizeof *stamp_file, PROT_READ | PROT_WRITE, MAP_SHARED, out_fd, 0);
    if (stamp_file == MAP_FAILED)
        return "cannot map the file named by out=";
    memcpy(stamp_file->magic, BOOTLAB_STAMP_MAGIC, sizeof stamp_file->magic);
    stamp_file->version = BOOTLAB_STAMP_VERSION;
    return NULL;
}

const char *console_open(const char *con)
{
    console_fd = open(con, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    return console_fd < 0 ? "cannot open the file named by con=" : NULL;
}

/* Maps the window that begins with stamp number `first`; false when there is no room for it. */
static bool open_window(uint64_t first)
{
    const size_t bytes = BOOTLAB_WINDOW_STAMPS * sizeof *window;
    off_t at = (off_t)(BOOTLAB_STAMPS_AT + first * sizeof *window);
    if (window)
        munmap(window, bytes);
    window = NULL;
    /* Allocated first: a full disk under a mapping would kill QEMU. */
    if (posix_fallocate(out_fd, at, (off_t)bytes) != 0)
        return false;
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, out_fd, at);
    if (mapped == MAP_FAILED)
        return false;
    window = mapped;
    return true;
}

/* The size of the console's file, or the size that has stamps when it cannot be told. */
static uint64_t console_size(void)
{
    struct stat st;
    return fstat(console_fd, &st) == 0 ? (uint64_t)st.st_size : stamp_file->console_bytes;
}

bool console_is_file_of(int fd)
{
    struct stat one, other;
    return console_fd >= 0 && fstat(console_fd, &one) == 0 && fstat(fd, &other) == 0 && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

bool console_has_grown(void)
{
    return console_size() != stamp_file->console_bytes;
}

/*
 * Of one processor time only goes on. Of several with times of their own (smp/README.md) the next byte may come from one
 * that is a little behind; the console is one, so its time goes on too.
 */
void console_note_time(unsigned left)
{
    struct qemu_time now = qemu_clock_at(left);
    stamp_file->pending_insns = now.insns;
    if (now.ns > stamp_file->pending_ns)
        stamp_file->pending_ns = now.ns;
}

void console_settle(void)
{
    if (stamp_file->lost)
        return;
    uint64_t size = console_size();
    if (size == stamp_file->console_bytes)
        return;
    uint64_t place = stamp_file->n_stamps % BOOTLAB_WINDOW_STAMPS;
    if (place == 0 && !open_window(stamp_file->n_stamps)) {
        fprintf(stderr, "bootlab-stamp: no room for more stamps: %s\n", strerror(errno));
        __atomic_store_n(&stamp_file->lost, 1, __ATOMIC_RELEASE);
        return;
    }
    struct bootlab_stamp *s = &window[place];
    s->console_bytes = size;
    s->ns = stamp_file->pending_ns;
    s->insns = stamp_file->pending_insns;
    __atomic_store_n(&stamp_file->n_stamps, stamp_file->n_stamps + 1, __ATOMIC_RELEASE);
    stamp_file->console_bytes = size;
}

static void *follow(void *data)
{
    char events[4096];
    int fd = (int)(intptr_t)data;
    while (read(fd, events, sizeof events) > 0) {
        stamp_file->pending_ns = qemu_clock_ns();
        console_settle();
    }
    return NULL;
}

/* A thread that is no vCPU gets the clock as of the end of the last slice, and reads it only: the guest cannot tell. */
static void *beat(void *unused)
{
    (void)unused;
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    for (;;) {
        __atomic_store_n(&stamp_file->now_ns, qemu_clock_ns(), __ATOMIC_RELAXED);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static const char *start_thread(void *(*body)(void *), void *data)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, data) != 0)
        return "cannot start a thread";
    pthread_detach(thread);
    return NULL;
}

const char *console_follow(const char *con)
{
    int fd = inotify_init1(IN_CLOEXEC);
    if (fd < 0 || inotify_add_watch(fd, con, IN_MODIFY) < 0)
        return "cannot watch the file named by con=";
    return start_thread(follow, (void *)(intptr_t)fd);
}

const char *console_beat(void)
{
    return start_thread(beat, NULL);
}
