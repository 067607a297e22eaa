// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * qemu-smp: a QEMU plugin that gives each processor of `-icount …,sleep=off` its own time, exactly. README.md says what
 * that means and what it needs; schedule.h has the algorithm.
 *
 * Arguments (all key=value):
 *   quantum=NS   how far the processors' times may be apart, ns; 5000
 *   report=on    says at QEMU's end how the processors were run
 *   check=on     ends QEMU after the self-test, with exit code 0 and "qemu-smp: ok", or as below
 *
 * What it cannot do it refuses: a sentence, and exit code 3.
 *
 * How it gets in. One call of QEMU's is redirected: where its loop lets a processor run (tcg_cpu_exec()), exec_turn() lets it
 * run for as long as its turn lasts, or not at all. Before and behind that call QEMU's loop opens and closes a slice of
 * the instruction counter; exec_turn() closes it and opens its own, by the same two functions. The clock, the raising of
 * an interrupt and the kick are operations of the accelerator; in its table stand ours.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../plugin-api.h"
#include "qemu.h"
#include "schedule.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

#define REFUSED 3
#define TEST_SLICES 16
#define TEST_SLICE_NS 2000
#define TEST_LIMIT 1000000

static struct schedule schedule;
static void *cpus[SCHEDULE_MAX_PROCESSORS];
static unsigned n_cpus;
static int64_t quantum_ns = 5000;
static bool check_only, report;

static __thread bool runs_processors; /* this is the thread of QEMU's loop */
static bool in_slice, cut;            /* cut: the slice is to end now, whatever the processor does */
static int64_t slice_ns, settled_ns;  /* instructions of all processors at the slice's start; behind the last slice */
static uint64_t n_slices, n_whole;

static void refuse(const char *why)
{
    fprintf(stderr, "qemu-smp: %s\n", why);
    fflush(NULL);
    _exit(REFUSED);
}

static bool is_idle(unsigned processor)
{
    return qemu.cpu_thread_is_idle(cpus[processor]);
}

/* QEMU calls a processor with queued work busy. Which has some is the main loop's affair, so it is waited until none has. */
static bool work_is_queued(void)
{
    for (unsigned i = 0; i < n_cpus; i++)
        if (!qemu.cpu_work_list_empty(cpus[i]))
            return true;
    return false;
}

/* An observer (another plugin) asks as "no processor", and leaves no trace. */
static int64_t read_clock(void)
{
    if (!runs_processors || !in_slice)
        return schedule_global_ns(&schedule);
    int64_t into = qemu_executed_ns() - slice_ns;
    return *qemu_current_cpu() ? schedule_read_ns(&schedule, into) : schedule_look_ns(&schedule, into);
}

static void cut_slice(void)
{
    cut = true;
    qemu.cpu_exit(cpus[schedule.turn]);
}

static void raise_interrupt(void *cpu, int mask)
{
    qemu.icount_handle_interrupt(cpu, mask);
    if (!runs_processors || !in_slice || !qemu.cpu_work_list_empty(cpu) || qemu.cpu_thread_is_idle(cpu))
        return;
    for (unsigned i = 0; i < n_cpus; i++)
        if (cpus[i] == cpu && schedule_wakes(&schedule, i, qemu_executed_now_ns() - slice_ns))
            cut_slice();
}

static void kick(void *cpu)
{
    __atomic_store_n(&cut, true, __ATOMIC_RELAXED);
    qemu.rr_kick_vcpu_thread(cpu);
}

/* Slices are kept short until some have ended where they were to (others end early: a halt, a spinning processor). */
static void test_slice(int64_t budget_ns, int64_t ran_ns)
{
    n_slices++;
    if (ran_ns < 0 || ran_ns > budget_ns)
        refuse("self-test: this QEMU does not stop a processor where its instruction counter says");
    if (n_whole == TEST_SLICES)
        return;
    n_whole += ran_ns == budget_ns;
    if (n_whole < TEST_SLICES && n_slices > TEST_LIMIT)
        refuse("self-test: no processor ever runs to the end of its slice");
    if (n_whole == TEST_SLICES && check_only) {
        printf("qemu-smp: ok\n");
        fflush(NULL);
        _exit(0);
    }
}

static int run_slice(void *cpu)
{
    int64_t left = schedule_left_ns(&schedule);
    if (n_whole < TEST_SLICES && left > TEST_SLICE_NS)
        left = TEST_SLICE_NS;
    int64_t budget = qemu.icount_round(left);
    qemu.icount_process_data(cpu);
    qemu.icount_prepare_for_run(cpu, budget);
    slice_ns = qemu_executed_ns();
    if (slice_ns != settled_ns)
        refuse("instructions were executed behind its back: this QEMU's loop is not that of QEMU 10");
    __atomic_store_n(&cut, false, __ATOMIC_RELAXED);
    in_slice = true;
    int why = qemu.tcg_cpu_exec(cpu);
    qemu.icount_process_data(cpu);
    in_slice = false;
    settled_ns = qemu_executed_ns();
    test_slice(qemu.icount_to_ns(budget), settled_ns - slice_ns);
    schedule_ran(&schedule, settled_ns - slice_ns);
    return why;
}

static void find_processors(void)
{
    for (unsigned i = 0; i < n_cpus; i++)
        if (!(cpus[i] = qemu.qemu_get_cpu((int)i)))
            refuse("this QEMU has fewer processors than -smp says");
    settled_ns = qemu_executed_ns();
}

/*
 * Called by QEMU's loop for each processor in turn. x86's PAUSE and Arm's YIELD leave the generated code early; it is still
 * the same processor's turn, so it goes on at once, unless QEMU wants the loop.
 */
static int exec_turn(void *cpu)
{
    if (!runs_processors) {
        runs_processors = true;
        find_processors();
    }
    if (work_is_queued())
        return EXCP_INTERRUPT;
    int turn = schedule_turn(&schedule);
    if (turn == SCHEDULE_NOBODY || cpus[turn] != cpu)
        return EXCP_INTERRUPT;
    for (;;) {
        int64_t before = settled_ns;
        int why = run_slice(cpu);
        if ((why != EXCP_INTERRUPT && why != EXCP_YIELD) || settled_ns == before ||
            __atomic_load_n(&cut, __ATOMIC_RELAXED) || work_is_queued() || !schedule_goes_on(&schedule))
            return why;
    }
}

static void on_processor(ON_PROCESSOR(processor))
{
    static bool taken;
    if (taken)
        return;
    taken = true;
    const char *why = qemu_take_operations(&(struct qemu_operations){read_clock, raise_interrupt, kick});
    if (why)
        refuse(why);
}

static void on_end(ON_END)
{
    fprintf(stderr, "qemu-smp: slices %lu turns %lu quanta %lu alone %lu woken %lu held %lu\n", n_slices, schedule.n_turns,
            schedule.n_quanta, schedule.n_alone, schedule.n_woken, schedule.n_held);
    for (unsigned i = 0; i < n_cpus; i++)
        fprintf(stderr, "qemu-smp: processor %u ran %ld ns of %ld\n", i, schedule.processors[i].ran_ns,
                schedule.processors[i].local_ns);
}

static bool is_on(const char *arg, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(arg, name, n) && (!strcmp(arg + n, "=on") || !strcmp(arg + n, "=true"));
}

static void parse(const char *arg)
{
    char *end;
    if (!strncmp(arg, "quantum=", 8)) {
        quantum_ns = strtoll(arg + 8, &end, 10);
        if (end == arg + 8 || *end || quantum_ns < 100 || quantum_ns > 1000000000)
            refuse("quantum= takes 100 to 1000000000 ns");
    } else if (is_on(arg, "report")) {
        report = true;
    } else if (is_on(arg, "check")) {
        check_only = true;
    } else {
        refuse("unknown argument; quantum=NS, report=on and check=on are known");
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        parse(argv[i]);
    if (!info->system_emulation)
        refuse("it is for whole machines");
    n_cpus = (unsigned)info->system.smp_vcpus;
    if (n_cpus < 2 && !check_only)
        return 0; /* one processor: nothing is changed */
    if (n_cpus < 2)
        refuse("check=on needs at least two processors (-smp 2)");
    if (n_cpus > SCHEDULE_MAX_PROCESSORS)
        refuse("it runs at most 64 processors");
    if (info->system.max_vcpus != info->system.smp_vcpus)
        refuse("processors cannot be plugged in later: leave out maxcpus=");
    const char *why = qemu_open();
    if (!why)
        why = qemu_redirect_exec(exec_turn);
    if (why)
        refuse(why);
    static const struct schedule_machine machine = {is_idle, qemu_jumped_ns, qemu_next_timer_ns};
    schedule_start(&schedule, &machine, n_cpus, quantum_ns); /* the clock is read before a processor runs */
    qemu_plugin_register_vcpu_init_cb(BOOTLAB_REGISTER(id, on_processor));
    if (report)
        qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
