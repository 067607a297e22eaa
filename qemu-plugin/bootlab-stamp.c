// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-stamp: a QEMU TCG plugin that stamps every console byte and chosen
 * instruction addresses with the guest's virtual time and instruction count.
 *
 * It changes nothing in the guest: no instruction is altered and no time is
 * spent on the virtual clock. Only port writes, stores that form a translation
 * block of their own (see "stores" below) and the marked addresses call back.
 *
 * Arguments (all key=value):
 *   con=PATH           the file that `-chardev file,path=PATH` writes
 *   out=PATH           where the stamps go (stamp-file.h)
 *   shift=N            N of `-icount shift=N`; absent: QEMU runs without icount
 *   mark=ADDR[:KIND]   stamp the first execution of the instruction at ADDR; the
 *                      mark's number is its place on the command line
 *   user=ADDR          stamp the first instruction executed below ADDR once mark
 *                      number `user_after` was seen; watched from mark `user_from`
 *   user_from=N        on, because the kernel starts helpers (modprobe) whose code
 *   user_after=N       init may share, long before it starts init
 *   firmware=LOW:HIGH  addresses that are never user space: firmware that the
 *                      kernel calls runs there
 *
 * How a byte gets its time: before each port write the plugin reads the virtual
 * clock; the device model writes the byte to the file inside that instruction;
 * so what is new in the file at the next port write belongs to the last one.
 * Where the UART is memory, the call comes behind the store instead, and what is
 * new in the file belongs to it. No register is read, which API version 1 could
 * not do. Without icount such stores cannot be told from those to memory, and a
 * thread that inotify wakes stamps what is new: that clock is the host's anyway.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "halt.h"
#include "plugin-api.h"
#include "stamp-file.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

#define MAX_MARKS BOOTLAB_USER_MARK
#define QEMU_CLOCK_VIRTUAL 1

/* QEMU's own functions, found by dlsym: Debian's binaries export them. */
static int64_t (*clock_get_ns)(int type);
static int64_t (*icount_raw)(void);
static void (*icount_fold)(void *cpu);
static void *(*cpu_by_index)(int index);

static struct bootlab_stamp_file *file;
static struct bootlab_stamp *window;
static int out_fd = -1;
static int console_fd = -1;
static int shift = -1;
static uint64_t marks[MAX_MARKS];
static unsigned n_marks;
static uint64_t mark_low = UINT64_MAX, mark_high;
static uint64_t user_limit, firmware_low, firmware_high;
static unsigned user_from, user_after;
static bool user_watched, user_armed, user_done, is_x86, by_inotify;

/* What a mark's call is told: its number above, and below the instructions of the block from it to the block's end. */
#define SITE_MARK_SHIFT 16

/*
 * The time at which an instruction starts. QEMU charges a block's whole length
 * when it enters it, so the rest of the block is taken off again.
 *
 * icount_get_raw() refuses to answer in the middle of a block (its caller could
 * see time go back). Folding the executed instructions in first and asking as
 * "no CPU" is what QEMU itself does at an I/O instruction, and leaves the same
 * sums behind.
 */
static void read_clock(unsigned left, uint64_t *ns, uint64_t *insns)
{
    if (shift < 0) {
        *ns = (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL);
        *insns = 0;
        return;
    }
    void **current = dlsym(RTLD_DEFAULT, "current_cpu"); /* thread-local: asked in this thread */
    void *self = *current;
    icount_fold(self ? self : cpu_by_index(0));
    *current = NULL;
    *insns = (uint64_t)icount_raw() - left;
    *ns = (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL) - ((uint64_t)left << shift);
    *current = self;
}

/*
 * Of one processor time only goes on. Of several with times of their own (smp/README.md) the next byte may come from one
 * that is a little behind; the console is one, so its time goes on too.
 */
static void read_console_clock(unsigned left)
{
    uint64_t before = file->pending_ns;
    read_clock(left, &file->pending_ns, &file->pending_insns);
    if (file->pending_ns < before)
        file->pending_ns = before;
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

static void settle_console(void)
{
    struct stat st;
    if (file->lost || fstat(console_fd, &st) != 0 || (uint64_t)st.st_size == file->console_bytes)
        return;
    uint64_t place = file->n_stamps % BOOTLAB_WINDOW_STAMPS;
    if (place == 0 && !open_window(file->n_stamps)) {
        fprintf(stderr, "bootlab-stamp: no room for more stamps: %s\n", strerror(errno));
        __atomic_store_n(&file->lost, 1, __ATOMIC_RELEASE);
        return;
    }
    struct bootlab_stamp *s = &window[place];
    s->console_bytes = (uint64_t)st.st_size;
    s->ns = file->pending_ns;
    s->insns = file->pending_insns;
    __atomic_store_n(&file->n_stamps, file->n_stamps + 1, __ATOMIC_RELEASE);
    file->console_bytes = (uint64_t)st.st_size;
}

static void on_port_write(unsigned cpu, void *data)
{
    (void)cpu;
    settle_console();
    read_console_clock((unsigned)(uintptr_t)data);
}

static void on_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)cpu;
    (void)data;
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, vaddr);
    if (!where || !qemu_plugin_hwaddr_is_io(where))
        return;
    /* Runs after the store, the only instruction of its block: the byte is in the file already. */
    struct stat st;
    if (fstat(console_fd, &st) != 0 || (uint64_t)st.st_size == file->console_bytes)
        return;
    read_console_clock(1);
    settle_console();
}

static void note_mark(unsigned number, unsigned left)
{
    if (number >= BOOTLAB_MAX_MARKS || file->marks[number].seen)
        return;
    struct bootlab_mark *m = &file->marks[number];
    read_clock(left, &m->ns, &m->insns);
    __atomic_store_n(&m->seen, 1, __ATOMIC_RELEASE);
    if (number == user_from)
        user_watched = true;
    if (number == user_after)
        user_armed = true;
}

static void on_mark(unsigned cpu, void *data)
{
    (void)cpu;
    uintptr_t site = (uintptr_t)data;
    note_mark((unsigned)(site >> SITE_MARK_SHIFT), (unsigned)(site & ((1u << SITE_MARK_SHIFT) - 1)));
}

static void on_user(unsigned cpu, void *data)
{
    (void)cpu;
    if (!user_armed || user_done)
        return;
    user_done = true;
    note_mark(BOOTLAB_USER_MARK, (unsigned)(uintptr_t)data);
}

/*
 * `out dx, al` or `outsb`, behind any legacy prefix (Intel SDM vol. 2, opcode map). A UART's data register is a byte
 * wide and its port number does not fit the imm8 form, so the other forms (PCI configuration, port 0x80 delays) are
 * left alone.
 */
static bool is_byte_port_write(const uint8_t *b, size_t n)
{
    size_t i = 0;
    while (i < n && (b[i] == 0x66 || b[i] == 0x67 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x2e || b[i] == 0x36 ||
                     b[i] == 0x3e || b[i] == 0x26 || b[i] == 0x64 || b[i] == 0x65))
        i++;
    if (i >= n)
        return false;
    return b[i] == 0xee || b[i] == 0x6e;
}

static void instrument_port_writes(struct qemu_plugin_tb *tb, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t size = qemu_plugin_insn_size(insn);
        uint8_t bytes[16];
        if (size > sizeof bytes)
            continue;
        bootlab_insn_bytes(insn, bytes, size);
        if (is_byte_port_write(bytes, size))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_port_write, QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(uintptr_t)(n - i));
    }
}

static void instrument_marks(struct qemu_plugin_tb *tb, size_t n)
{
    uint64_t start = qemu_plugin_tb_vaddr(tb);
    if (start > mark_high || start + 16 * n < mark_low)
        return;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);
        for (unsigned m = 0; m < n_marks; m++) {
            if (marks[m] != at || file->marks[m].seen)
                continue;
            uintptr_t site = (uintptr_t)m << SITE_MARK_SHIFT | (n - i);
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, (void *)site);
        }
    }
}

static bool may_be_user(uint64_t address)
{
    return address < user_limit && (address < firmware_low || address >= firmware_high);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    if (shift >= 0)
        halt_watch(tb, n);
    if (is_x86)
        instrument_port_writes(tb, n);
    if (n_marks)
        instrument_marks(tb, n);
    if (user_watched && !user_done && may_be_user(qemu_plugin_tb_vaddr(tb)))
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, 0), on_user, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)n);
    /*
     * Stores: with icount, QEMU translates an instruction that touches a device
     * again as the only one of its block (cpu_io_recompile), so that its time is
     * exact. Watching such blocks alone sees every device store and spares the
     * cost of a call at each store to memory. Not on x86, whose UARTs are ports
     * and whose string instructions are such blocks too.
     */
    if (n == 1 && !is_x86 && !by_inotify)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, 0), on_store, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W, NULL);
}

static void on_idle(qemu_plugin_id_t id, unsigned cpu)
{
    (void)id;
    (void)cpu;
    if (!by_inotify)
        settle_console();
}

static void *follow_console(void *data)
{
    char events[4096];
    int fd = (int)(intptr_t)data;
    while (read(fd, events, sizeof events) > 0) {
        file->pending_ns = (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL);
        settle_console();
    }
    return NULL;
}

/*
 * The watcher outside sees time pass also while nothing is printed. A thread that is no vCPU gets the clock as of the
 * end of the last slice, and reads it only: the guest cannot tell.
 */
static void *heartbeat(void *unused)
{
    (void)unused;
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    for (;;) {
        __atomic_store_n(&file->now_ns, (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL), __ATOMIC_RELAXED);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static int refuse(const char *why)
{
    fprintf(stderr, "bootlab-stamp: %s\n", why);
    return 1;
}

static int open_output(const char *path)
{
    out_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out_fd < 0 || posix_fallocate(out_fd, 0, BOOTLAB_STAMPS_AT) != 0)
        return refuse("cannot create the file named by out=");
    file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, out_fd, 0);
    if (file == MAP_FAILED)
        return refuse("cannot map the file named by out=");
    memcpy(file->magic, BOOTLAB_STAMP_MAGIC, sizeof file->magic);
    file->version = BOOTLAB_STAMP_VERSION;
    return 0;
}

static int find_qemu_functions(void)
{
    clock_get_ns = (int64_t(*)(int))dlsym(RTLD_DEFAULT, "qemu_clock_get_ns");
    icount_raw = (int64_t(*)(void))dlsym(RTLD_DEFAULT, "icount_get_raw");
    icount_fold = (void (*)(void *))dlsym(RTLD_DEFAULT, "icount_update");
    cpu_by_index = (void *(*)(int))dlsym(RTLD_DEFAULT, "qemu_get_cpu");
    if (!clock_get_ns)
        return refuse("this QEMU does not export qemu_clock_get_ns");
    if (shift >= 0 && (!icount_raw || !icount_fold || !cpu_by_index || !dlsym(RTLD_DEFAULT, "current_cpu")))
        return refuse("this QEMU does not export its instruction counter");
    return 0;
}

static int parse(const char *arg, const char **con, const char **out)
{
    if (!strncmp(arg, "con=", 4)) {
        *con = arg + 4;
    } else if (!strncmp(arg, "out=", 4)) {
        *out = arg + 4;
    } else if (!strncmp(arg, "shift=", 6)) {
        shift = atoi(arg + 6);
    } else if (!strncmp(arg, "user=", 5)) {
        user_limit = strtoull(arg + 5, NULL, 0);
    } else if (!strncmp(arg, "user_after=", 11)) {
        user_after = (unsigned)strtoul(arg + 11, NULL, 0);
    } else if (!strncmp(arg, "user_from=", 10)) {
        user_from = (unsigned)strtoul(arg + 10, NULL, 0);
    } else if (!strncmp(arg, "firmware=", 9)) {
        char *end;
        firmware_low = strtoull(arg + 9, &end, 0);
        firmware_high = *end == ':' ? strtoull(end + 1, NULL, 0) : 0;
    } else if (!strncmp(arg, "mark=", 5)) {
        if (n_marks == MAX_MARKS)
            return refuse("too many marks");
        uint64_t at = strtoull(arg + 5, NULL, 0);
        marks[n_marks++] = at;
        mark_low = at < mark_low ? at : mark_low;
        mark_high = at > mark_high ? at : mark_high;
    } else {
        return refuse("unknown argument");
    }
    return 0;
}

static int start_thread(void *(*body)(void *), void *data)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, data) != 0)
        return refuse("cannot start a thread");
    pthread_detach(thread);
    return 0;
}

static int start_following(const char *con)
{
    int fd = inotify_init1(IN_CLOEXEC);
    if (fd < 0 || inotify_add_watch(fd, con, IN_MODIFY) < 0)
        return refuse("cannot watch the file named by con=");
    return start_thread(follow_console, (void *)(intptr_t)fd);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *con = NULL, *out = NULL;
    for (int i = 0; i < argc; i++)
        if (parse(argv[i], &con, &out))
            return 1;
    if (!con || !out)
        return refuse("con= and out= are needed");
    const char *why = shift >= 0 ? halt_open(info->target_name) : NULL;
    if (why)
        return refuse(why);
    if (find_qemu_functions() || open_output(out))
        return 1;
    console_fd = open(con, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    if (console_fd < 0)
        return refuse("cannot open the file named by con=");
    is_x86 = !strcmp(info->target_name, "x86_64") || !strcmp(info->target_name, "i386");
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_vcpu_idle_cb(id, on_idle);
    by_inotify = !is_x86 && shift < 0;
    if (by_inotify && start_following(con))
        return 1;
    return start_thread(heartbeat, NULL);
}
