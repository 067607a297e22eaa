// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose turn is it, for how long, and what does its clock say? Nothing here knows QEMU: the machine is four questions.
 * All times are nanoseconds of virtual time.
 *
 * Each processor has a local time, which only its own instructions move. The machine has a global time, which is behind every
 * processor that runs; timers fire by it. Both together go in steps of a quantum: the processors run one after the other
 * until each has reached the quantum's end or has nothing to do; then global time follows, and the next quantum begins.
 * A quantum never reaches beyond the next timer.
 *
 * The order is a matter of local times alone. Where a turn is cut (a kick, work that the main loop queued) does not matter:
 * whoever had the turn goes on. That is what makes boots equal on a loaded host.
 */
#ifndef QEMU_SMP_SCHEDULE_H
#define QEMU_SMP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_MAX_PROCESSORS 64
#define SCHEDULE_NOBODY (-1)

struct schedule_machine {
    bool (*idle)(unsigned processor);     /* it waits for an interrupt that has not come */
    int64_t (*jumped_ns)(void);           /* how far the emulator has moved the clock of an idle machine on, in all */
    int64_t (*next_timer_ns)(void);       /* from global time to the next timer; less than 0: there is none */
};

struct schedule_processor {
    int64_t local_ns, woken_ns; /* woken: when another processor woke it while it was idle, or less than 0 */
    int64_t ran_ns;
    bool idle;
};

struct schedule {
    struct schedule_machine machine;
    struct schedule_processor processors[SCHEDULE_MAX_PROCESSORS];
    unsigned n;
    int64_t quantum_ns, base_ns, end_ns, highest_ns;
    int turn;
    bool open, alone; /* a quantum is open; it is that of a single processor and reaches to the next timer */
    uint64_t n_quanta, n_alone, n_turns, n_woken, n_held;
};

void schedule_start(struct schedule *s, const struct schedule_machine *machine, unsigned n, int64_t quantum_ns);

/* Global time. */
int64_t schedule_global_ns(const struct schedule *s);

/* Whose turn it is, or SCHEDULE_NOBODY: all are idle, or a timer is due first. To be asked with no processor running. */
int schedule_turn(struct schedule *s);

/* How long the turn may last, at least 1. */
int64_t schedule_left_ns(const struct schedule *s);

/* The turn's processor has executed for so long. It keeps the turn. */
void schedule_ran(struct schedule *s, int64_t ns);

/* Whether it may go on at once, its quantum not being over. */
bool schedule_goes_on(struct schedule *s);

/* Its local time, `ns` into its turn. */
int64_t schedule_local_ns(const struct schedule *s, int64_t ns);

/* What the guest reads as the clock then: no processor reads less than another has read before. */
int64_t schedule_read_ns(struct schedule *s, int64_t ns);

/* The same for an observer, whose reads leave nothing behind. */
int64_t schedule_look_ns(const struct schedule *s, int64_t ns);

/* The turn's processor wakes an idle one, `ns` into its turn. True: its turn must be cut, for it believed to be alone. */
bool schedule_wakes(struct schedule *s, unsigned processor, int64_t ns);

#endif
