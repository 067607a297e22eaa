// SPDX-License-Identifier: GPL-2.0-or-later
#include "schedule.h"

#include <string.h>

/* No timer, or one far away: QEMU counts a slice's instructions in 32 bits. */
#define FARTHEST_NS (1ll << 30)

void schedule_start(struct schedule *s, const struct schedule_machine *machine, unsigned n, int64_t quantum_ns)
{
    memset(s, 0, sizeof *s);
    s->machine = *machine;
    s->n = n;
    s->quantum_ns = quantum_ns;
    s->turn = SCHEDULE_NOBODY;
    for (unsigned i = 0; i < n; i++)
        s->processors[i].woken_ns = -1;
}

/* base_ns is written while processors are scheduled only, and read by other threads at any time. */
int64_t schedule_global_ns(const struct schedule *s)
{
    return __atomic_load_n(&s->base_ns, __ATOMIC_RELAXED) + s->machine.jumped_ns();
}

static void advance_to(struct schedule *s, int64_t ns)
{
    int64_t now = schedule_global_ns(s);
    if (ns > now)
        __atomic_store_n(&s->base_ns, s->base_ns + ns - now, __ATOMIC_RELAXED);
}

static int64_t timer_ns(const struct schedule *s)
{
    int64_t left = s->machine.next_timer_ns();
    return schedule_global_ns(s) + (left < 0 || left > FARTHEST_NS ? FARTHEST_NS : left);
}

/* The least local time of those that run (`stayed`: and ran at the last look), INT64_MAX when there is none. */
static int64_t least_local(const struct schedule *s, const bool *idle, bool stayed)
{
    int64_t least = INT64_MAX;
    for (unsigned i = 0; i < s->n; i++)
        if (!idle[i] && !(stayed && s->processors[i].idle) && s->processors[i].local_ns < least)
            least = s->processors[i].local_ns;
    return least;
}

/*
 * Looks who is idle. One that is not any more starts when it was woken; when that is not known (a timer, work that the
 * emulator did for it), with those that ran. Nobody is ever behind global time: the clock jumps while all are idle, and one that
 * was still taken for running would otherwise have to catch up, an instruction a turn.
 */
static unsigned look(struct schedule *s, int64_t *least)
{
    bool idle[SCHEDULE_MAX_PROCESSORS];
    unsigned n_running = 0;
    for (unsigned i = 0; i < s->n; i++)
        idle[i] = s->machine.idle(i);
    int64_t stayed = least_local(s, idle, true), global = schedule_global_ns(s);
    for (unsigned i = 0; i < s->n; i++) {
        struct schedule_processor *p = &s->processors[i];
        if (!idle[i]) {
            int64_t from = !p->idle ? p->local_ns : p->woken_ns >= 0 ? p->woken_ns : stayed != INT64_MAX ? stayed : global;
            from = from > global ? from : global;
            p->local_ns = from > p->local_ns ? from : p->local_ns;
            n_running++;
        }
        if (p->idle != idle[i])
            p->woken_ns = -1;
        p->idle = idle[i];
    }
    *least = least_local(s, idle, false);
    return n_running;
}

static bool may_run(const struct schedule *s, int i)
{
    return i >= 0 && !s->processors[i].idle && s->processors[i].local_ns < s->end_ns;
}

static int choose(struct schedule *s)
{
    if (may_run(s, s->turn))
        return s->turn;
    s->turn = SCHEDULE_NOBODY;
    for (unsigned i = 0; i < s->n && s->turn == SCHEDULE_NOBODY; i++)
        if (may_run(s, (int)i)) {
            s->turn = (int)i;
            s->n_turns++;
        }
    return s->turn;
}

static void end_by(struct schedule *s, int64_t ns)
{
    s->end_ns = ns < s->end_ns ? ns : s->end_ns;
}

int schedule_turn(struct schedule *s)
{
    int64_t least;
    unsigned n_running = look(s, &least);
    if (s->open) {
        end_by(s, timer_ns(s));
        if (s->alone && n_running > 1) {
            s->alone = false;
            end_by(s, least + s->quantum_ns);
        }
        if (choose(s) != SCHEDULE_NOBODY)
            return s->turn;
        s->open = false;
    }
    if (!n_running)
        return SCHEDULE_NOBODY;
    advance_to(s, least);
    int64_t timer = timer_ns(s), now = schedule_global_ns(s);
    if (timer <= now)
        return SCHEDULE_NOBODY;
    s->open = true;
    s->alone = n_running == 1;
    s->end_ns = timer;
    if (!s->alone)
        end_by(s, now + s->quantum_ns);
    s->n_quanta++;
    s->n_alone += s->alone;
    return choose(s);
}

int64_t schedule_left_ns(const struct schedule *s)
{
    return s->end_ns - s->processors[s->turn].local_ns;
}

void schedule_ran(struct schedule *s, int64_t ns)
{
    struct schedule_processor *p = &s->processors[s->turn];
    p->local_ns += ns;
    p->ran_ns += ns;
}

bool schedule_goes_on(struct schedule *s)
{
    end_by(s, timer_ns(s));
    return !s->machine.idle((unsigned)s->turn) && s->processors[s->turn].local_ns < s->end_ns;
}

int64_t schedule_local_ns(const struct schedule *s, int64_t ns)
{
    return s->processors[s->turn].local_ns + ns;
}

int64_t schedule_look_ns(const struct schedule *s, int64_t ns)
{
    int64_t now = schedule_local_ns(s, ns);
    return now > s->highest_ns ? now : s->highest_ns;
}

int64_t schedule_read_ns(struct schedule *s, int64_t ns)
{
    s->n_held += schedule_local_ns(s, ns) < s->highest_ns;
    return s->highest_ns = schedule_look_ns(s, ns);
}

bool schedule_wakes(struct schedule *s, unsigned processor, int64_t ns)
{
    struct schedule_processor *p = &s->processors[processor];
    if ((int)processor == s->turn || !p->idle || p->woken_ns >= 0)
        return false;
    p->woken_ns = schedule_local_ns(s, ns);
    s->n_woken++;
    return s->alone;
}
