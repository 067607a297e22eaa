// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-ends: a QEMU plugin that ends a machine at a virtual time that is only known once its goal was seen.
 *
 * bootlab reads the console and finds the goal a little later than it was printed, and an idle machine lets seconds of
 * virtual time pass meanwhile. So the machine stands at virtual times that bootlab grants, one after the other, until
 * bootlab has read the console up to there; the goal is seen before the end that is counted from it has passed. What is
 * done then is done at that virtual time, whatever the host does:
 *
 *   power cut      QEMU ends. What the guest had asked the disks to write is in their files, nothing else is.
 *   power button   the board's (ACPI, a GPIO key); what the guest makes of it is its affair
 *   ctrl-alt-del   on the PC's keyboard; the kernel hands it to init
 *   typed          a line, written on the console as a user would, a character a millisecond
 *
 * A timer of the virtual clock does it, as a device's would: the guest sees nothing of it. Asking for the button to be
 * pressed is work for QEMU's main loop, so a processor's thread gives the lock back and waits until that was done.
 *
 * Arguments (all key=value):
 *   asks=PATH    the file over which bootlab is asked (ends-file.h)
 *   first=NS     where the machine stands first
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PLUGIN_NAME "bootlab-ends"

#include "ends-file.h"
#include "plugin-api.h"
#include "qemu-functions.h"
#include "refuse.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

#define QEMU_CLOCK_VIRTUAL 1
#define SCALE_NS 1
#define WAIT_NS 200000
/* Larger than QEMU's QEMUTimer (include/qemu/timer.h) has ever been. */
#define TIMER_BYTES 256
#define KEYSTROKE_NS 1000000

/* QEMU's include/qemu/notify.h */
struct notifier {
    void (*notify)(struct notifier *self, void *data);
    void *next, *previous;
};

static struct bootlab_ends_file *ends;
static void *timer;
static sem_t pressed;
static size_t n_typed;

static int64_t (*clock_get_ns)(int type);
static void (*timer_init)(void *timer, void *group, int type, int scale, int attributes, void (*call)(void *), void *data);
static void (*timer_mod)(void *timer, int64_t ns);
static void (*drain_disks)(void);
static void (*ask_for_power_button)(void);
static void (*register_on_button)(struct notifier *notifier);
static void (*send_key)(void *console, int number, bool is_down);
static int64_t (*icount_raw)(void);
static void *(*find_chardev)(const char *name);
static int (*can_type)(void *chardev);
static void (*type)(void *chardev, uint8_t *text, int length);
static void (*lock)(const char *file, int line), (*unlock)(void);

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

static void on_button(struct notifier *self, void *data)
{
    (void)self;
    (void)data;
    sem_post(&pressed);
}

static void press_power_button(void)
{
    static struct notifier notifier = {.notify = on_button};
    sem_init(&pressed, 0, 0);
    register_on_button(&notifier);
    ask_for_power_button();
    /* In the main loop's own thread it is what comes next, with the lock held all the time. */
    if (!*qemu_current_cpu())
        return;
    unlock();
    /* Asleep all the time: bootlab-devices' main loop takes that for the sign that it is waited for. */
    while (sem_wait(&pressed) != 0)
        ;
    /* The main loop keeps the lock until all who listen to the button have been told. */
    lock(__FILE__, __LINE__);
}

/* Numbers of the keys as QEMU's monitor takes them: scan codes of set 1, with the top bit for those behind 0xe0. */
static void press_ctrl_alt_del(void)
{
    const int keys[] = {0x1d, 0x38, 0xd3};
    const int n = sizeof keys / sizeof *keys;
    for (int i = 0; i < n; i++)
        send_key(NULL, keys[i], true);
    for (int i = n - 1; i >= 0; i--)
        send_key(NULL, keys[i], false);
}

static void note_done(void)
{
    ends->done_insns = (uint64_t)icount_raw();
    __atomic_store_n(&ends->done_ns, (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL), __ATOMIC_RELEASE);
}

/* The last character is the line's end: what was asked for is asked for then. */
static void type_next(void)
{
    void *console = find_chardev("console");
    if (console && can_type(console) > 0) {
        uint8_t *next = (uint8_t *)&ends->typed[n_typed++];
        if (!ends->typed[n_typed])
            note_done();
        type(console, next, 1);
    }
    if (ends->typed[n_typed])
        timer_mod(timer, clock_get_ns(QEMU_CLOCK_VIRTUAL) + KEYSTROKE_NS);
}

static void end_machine(void)
{
    if (ends->how == BOOTLAB_TYPED) {
        type_next();
        return;
    }
    note_done();
    switch (ends->how) {
    case BOOTLAB_POWER_BUTTON:
        press_power_button();
        return;
    case BOOTLAB_CTRL_ALT_DEL:
        press_ctrl_alt_del();
        return;
    default:
        /* What was asked for before is in the files then; nothing more is asked for, this thread holds QEMU's lock. */
        drain_disks();
        _exit(0);
    }
}

static void on_time(void *data)
{
    (void)data;
    uint64_t now = (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL), end;
    __atomic_store_n(&ends->stands_ns, now, __ATOMIC_RELEASE);
    while (!(end = __atomic_load_n(&ends->end_ns, __ATOMIC_ACQUIRE)) &&
           __atomic_load_n(&ends->granted_ns, __ATOMIC_ACQUIRE) <= now)
        nap();
    __atomic_store_n(&ends->stands_ns, 0, __ATOMIC_RELEASE);
    if (end && end <= now)
        end_machine();
    else
        timer_mod(timer, (int64_t)(end ? end : ends->granted_ns));
}

static const char *open_asks(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || posix_fallocate(fd, 0, sizeof *ends) != 0)
        return "cannot create the file named by asks=";
    ends = mmap(NULL, sizeof *ends, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (ends == MAP_FAILED)
        return "cannot map the file named by asks=";
    ends->version = BOOTLAB_ENDS_VERSION;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(ends->magic, BOOTLAB_ENDS_MAGIC, sizeof ends->magic);
    return NULL;
}

/* QEMU 8.2 and older have other names for its lock. */
static const char *find_lock(void)
{
    const struct qemu_function older[] = {{"qemu_mutex_lock_iothread_impl", &lock}, {"qemu_mutex_unlock_iothread", &unlock}};
    const struct qemu_function newer[] = {{"bql_lock_impl", &lock}, {"bql_unlock", &unlock}};
    return qemu_find(QEMU_FUNCTIONS(older)) ? qemu_find(QEMU_FUNCTIONS(newer)) : NULL;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)id;
    (void)info;
    void *current; /* only whether it is there */
    const char *asks = NULL;
    uint64_t first = 0;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "asks=", 5))
            asks = argv[i] + 5;
        else if (!strncmp(argv[i], "first=", 6))
            first = strtoull(argv[i] + 6, NULL, 0);
        else
            return refuse("unknown argument");
    }
    if (!asks || !first)
        return refuse("asks= and first= are needed");
    const struct qemu_function wanted[] = {
        {"qemu_clock_get_ns", &clock_get_ns},
        {"timer_init_full", &timer_init},
        {"timer_mod_ns", &timer_mod},
        {"bdrv_drain_all", &drain_disks},
        {"qemu_system_powerdown_request", &ask_for_power_button},
        {"qemu_register_powerdown_notifier", &register_on_button},
        {"qemu_input_event_send_key_number", &send_key},
        {"icount_get_raw", &icount_raw},
        {"qemu_chr_find", &find_chardev},
        {"qemu_chr_be_can_write", &can_type},
        {"qemu_chr_be_write", &type},
        {"current_cpu", &current},
    };
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (!why)
        why = find_lock();
    if (!why)
        why = open_asks(asks);
    if (why)
        return refuse(why);
    timer = calloc(1, TIMER_BYTES);
    if (!timer)
        return refuse("no memory");
    timer_init(timer, NULL, QEMU_CLOCK_VIRTUAL, SCALE_NS, 0, on_time, NULL);
    timer_mod(timer, (int64_t)first);
    return 0;
}
