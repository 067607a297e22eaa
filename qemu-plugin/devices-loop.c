// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "devices-loop.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qemu-functions.h"

#define QEMU_CLOCK_VIRTUAL 1
/* Of a device that always has more to do, as much as in one go; the rest comes with the next access or timer. */
#define MOST_ROUNDS 100000
/* The processor's thread comes within microseconds, unless it waits for the main loop: seen asleep so many times on end. */
#define SLEEPS 500
#define WAIT_NS 20000
#define MOST_WORDS 1024

/* GLib's public declarations (glib/gmain.h): how the main loop asks a source whether there is work, and has it done. */
struct source_functions {
    int (*prepare)(void *source, int *timeout_ms);
    int (*check)(void *source);
    int (*dispatch)(void *source, int (*callback)(void *), void *data);
    void (*finalize)(void *source);
    void *closure_callback, *closure_marshal;
};
struct source {
    void *callback_data, *callback_functions;
    const struct source_functions *functions;
};

static void *(*main_context)(void);
static bool (*poll_context)(void *context, bool blocking);
static void *(*source_of)(void *context);
static void *(*cpu_by_index)(int index);
static void (*queue_work)(void *cpu, void (*work)(void *cpu, uintptr_t data), uintptr_t data);
static bool (*all_idle)(void);
static void (*lock)(const char *file, int line), (*unlock)(void);

static struct source_functions ours;
static const struct source_functions *theirs;
/*
 * What the main loop serves for devices, and the head of its list of bottom halves in QEMU's memory: what is left to do. In
 * QEMU 11.1 (not in 10.0) virtio-gpu's stand in a second list, of which nothing but bottom halves is taken over: its files
 * (networks, signals) stay the main loop's.
 */
struct list {
    void *context, *source;
    void *const *waiting;
};
enum { MAIN, INPUT_OUTPUT, N_LISTS };
static struct list lists[N_LISTS];
static int (*run_waiting)(void *context);
static pid_t processor_thread;
static bool is_queued; /* read and written by the processor's thread and, under QEMU's lock, by the main loop's */
static uint64_t n_finished, n_rounds, n_left;

bool loop_poll(void)
{
    return poll_context(main_context(), false);
}

static bool waits(const struct list *list)
{
    return list->context && (!list->waiting || __atomic_load_n(list->waiting, __ATOMIC_SEQ_CST));
}

static bool run_second_list(void)
{
    return lists[INPUT_OUTPUT].context && run_waiting(lists[INPUT_OUTPUT].context);
}

/* Runs in the processor's thread between two blocks, with QEMU's lock held and all instructions counted. */
static void finish(void *cpu, uintptr_t data)
{
    (void)cpu;
    (void)data;
    __atomic_store_n(&is_queued, false, __ATOMIC_SEQ_CST);
    n_finished++;
    for (unsigned round = 0; round < MOST_ROUNDS && (loop_poll() || run_second_list()); round++)
        n_rounds++;
}

static void queue_on(void *cpu)
{
    if (cpu && !__atomic_exchange_n(&is_queued, true, __ATOMIC_SEQ_CST))
        queue_work(cpu, finish, 0);
}

void loop_note_processor(void)
{
    static __thread bool is_noted;
    if (!is_noted) {
        __atomic_store_n(&processor_thread, gettid(), __ATOMIC_RELAXED);
        is_noted = true;
    }
}

void loop_finish_behind(unsigned cpu)
{
    queue_on(cpu_by_index((int)cpu));
}

bool loop_waits(void)
{
    return waits(&lists[MAIN]) || waits(&lists[INPUT_OUTPUT]);
}

static void note(void *seen)
{
    *(bool *)seen = true;
}

/*
 * Finds the head of the list by what it does: it is the one word of the context's memory that is nothing while nothing
 * waits and a pointer while a bottom half does. Not found, each access counts as one that leaves something to do.
 */
static const char *find_waiting(struct list *list, bool (*run)(void))
{
    void (*schedule)(void *, void (*)(void *), void *, const char *);
    const struct qemu_function wanted[] = {{"aio_bh_schedule_oneshot_full", &schedule}};
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (why)
        return why;
    void *const *words = list->context;
    size_t n = malloc_usable_size(list->context) / sizeof *words, n_found = 0;
    bool seen = false, was_empty[MOST_WORDS];
    if (n > MOST_WORDS)
        n = MOST_WORDS;
    while (run())
        ;
    for (size_t i = 0; i < n; i++)
        was_empty[i] = !words[i];
    schedule(list->context, note, &seen, "bootlab-devices");
    for (size_t i = 0; i < n; i++)
        was_empty[i] = was_empty[i] && (uintptr_t)words[i] > UINT16_MAX;
    while (!seen && run())
        ;
    for (size_t i = 0; i < n; i++)
        if (was_empty[i] && !words[i] && !n_found++)
            list->waiting = &words[i];
    if (n_found != 1)
        list->waiting = NULL;
    return seen ? NULL : "self-test: the main loop does not do what it is given";
}

/* QEMU tells the owner of each list of timers before the timers run; work that is queued here is done right behind them. */
static void on_clock(void *data, int clock)
{
    (void)data;
    (void)clock;
    if (*qemu_current_cpu())
        queue_on(*qemu_current_cpu());
}

/* Whether the processor's thread sleeps in a call, rather than runs or waits for its turn on a processor of the host's. */
static bool processor_sleeps(void)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)__atomic_load_n(&processor_thread, __ATOMIC_RELAXED));
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    const char *behind_name = strrchr(text, ')'); /* proc(5): the state is the word behind the name */
    return behind_name && behind_name[1] == ' ' && behind_name[2] == 'S';
}

/*
 * The main loop's turn, under QEMU's lock. What it leaves is not lost: it is queued for the processor, whose thread needs the
 * lock for it. So the lock is given back until that has happened; else the main loop would come again at once. Some devices
 * have the processor's thread wait for the main loop (hw/display/virtio-gpu.c, a reset): then it is the main loop's.
 */
static int dispatch(void *source, int (*callback)(void *), void *data)
{
    const struct list *list = source == lists[INPUT_OUTPUT].source ? &lists[INPUT_OUTPUT] : &lists[MAIN];
    if (all_idle() || !waits(list))
        return theirs->dispatch(source, callback, data);
    n_left++;
    queue_on(cpu_by_index(0));
    unlock();
    unsigned asleep = 0;
    while (asleep < SLEEPS && __atomic_load_n(&is_queued, __ATOMIC_SEQ_CST)) {
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
        asleep = processor_sleeps() ? asleep + 1 : 0;
    }
    lock(__FILE__, __LINE__);
    return asleep == SLEEPS ? theirs->dispatch(source, callback, data) : 1; /* G_SOURCE_CONTINUE */
}

/* QEMU 8.2 and older have other names for its lock. */
static const char *find_lock(void)
{
    const struct qemu_function older[] = {{"qemu_mutex_lock_iothread_impl", &lock}, {"qemu_mutex_unlock_iothread", &unlock}};
    const struct qemu_function newer[] = {{"bql_lock_impl", &lock}, {"bql_unlock", &unlock}};
    return qemu_find(QEMU_FUNCTIONS(older)) ? qemu_find(QEMU_FUNCTIONS(newer)) : NULL;
}

/* Only a QEMU with the function by which devices give work to that list has any in it. */
static const char *open_second_list(void)
{
    void *(*second_context)(void), *gives;
    const struct qemu_function giver[] = {{"virtio_bh_io_new_guarded_full", &gives}};
    const struct qemu_function wanted[] = {{"iohandler_get_aio_context", &second_context}, {"aio_bh_poll", &run_waiting}};
    if (qemu_find(QEMU_FUNCTIONS(giver)))
        return NULL;
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (why)
        return why;
    struct list *list = &lists[INPUT_OUTPUT];
    list->context = second_context();
    why = find_waiting(list, run_second_list);
    /* Else the main loop would never be left its files. */
    return why || list->waiting ? why : "self-test: the second list of bottom halves was not found";
}

static const char *take_over(struct list *list, struct source *source)
{
    if (!theirs)
        theirs = source->functions;
    if (source->functions != theirs || !qemu_is_code((void *)theirs->prepare) || !qemu_is_code((void *)theirs->dispatch))
        return "QEMU's main loop is not a source of GLib's as it is known";
    ours = *theirs;
    ours.dispatch = dispatch;
    source->functions = &ours;
    list->source = source;
    return NULL;
}

const char *loop_open(void)
{
    void *(*new_list)(int, void (*)(void *, int), void *);
    void *current;
    const struct qemu_function wanted[] = {
        {"qemu_get_aio_context", &main_context},
        {"aio_poll", &poll_context},
        {"aio_get_g_source", &source_of},
        {"qemu_get_cpu", &cpu_by_index},
        {"async_run_on_cpu", &queue_work},
        {"all_cpu_threads_idle", &all_idle},
        {"timerlist_new", &new_list},
        {"current_cpu", &current},
    };
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (why)
        return why;
    why = find_lock();
    if (why)
        return why;
    lists[MAIN].context = main_context();
    if (!lists[MAIN].context)
        return "QEMU's main loop is not there yet";
    why = find_waiting(&lists[MAIN], loop_poll);
    if (!why)
        why = open_second_list();
    if (why)
        return why;
    for (struct list *list = lists; list < lists + N_LISTS; list++)
        if (list->context && (why = take_over(list, source_of(list->context))))
            return why;
    new_list(QEMU_CLOCK_VIRTUAL, on_clock, NULL); /* stays empty: QEMU tells the owner of each list */
    return NULL;
}

void loop_report(void)
{
    fprintf(stderr, "finished %lu times in %lu rounds; left by the main loop %lu times%s\n", n_finished, n_rounds, n_left,
            lists[MAIN].waiting ? "" : "; the list of bottom halves was not found");
}
