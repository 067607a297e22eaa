// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost-pipe.h"

#include "cost-core.h"

#define MOST 512
#define FORWARDS 256 /* stores whose value a load may take */
/*
 * In order: so many instructions are fetched before they start. Without a limit all misses of L1I would hide behind one of
 * L1D. Small cores have queues of about that length; no figure of a core's file.
 */
#define QUEUE 16

struct pipe {
    uint64_t ready[N_REGISTERS];
    uint64_t fetch;   /* when the next instruction can come */
    uint64_t started; /* when the last one started */
    uint64_t done;    /* when all so far are done */
    uint64_t last;    /* when the last one is done: a branch's direction is known */
    uint64_t slot;    /* in order: when the next one can start */
    uint64_t unit[COST_CLASSES], load_unit, store_unit;
    uint64_t window[MOST], miss[MOST], store[MOST];
    uint64_t memory; /* when the next line can come */
    uint32_t at, at_miss, at_store;
    struct {
        uint64_t from, to, ready; /* the bytes stored, and when */
    } forward[FORWARDS];
};

static struct pipe pipes[CORNERS];

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A unit serves so many in a time, whichever come first. */
static inline uint64_t served(uint64_t *unit, uint64_t wanted, uint64_t floor, uint32_t every)
{
    if (!every)
        return wanted;
    uint64_t start = later(wanted, *unit);
    *unit = later(*unit, floor) + every;
    return start;
}

static uint64_t tlb_time(const struct cost_times *t, uint8_t translation)
{
    return translation == TLB_HIT ? 0 : translation == TLB_SECOND ? t->tlb2 : t->walk;
}

/* When a line that L1D lacks is there: only so many are under way, and memory has its rate. */
static uint64_t line_ready(struct pipe *p, const struct cost_times *t, const struct access *a, uint64_t start)
{
    if (a->level == IN_MEMORY) {
        start = later(start, p->memory);
        p->memory = later(p->memory, p->fetch) + t->line;
    }
    if (a->prefetched)
        return start + t->prefetched;
    uint64_t *miss = &p->miss[p->at_miss];
    p->at_miss = p->at_miss + 1 == core.misses ? 0 : p->at_miss + 1;
    start = later(start, *miss);
    return *miss = start + t->hit[a->level];
}

static uint64_t load(struct pipe *p, const struct cost_times *t, const struct access *a, uint64_t start)
{
    start = served(&p->load_unit, start, p->fetch, t->load_every) + tlb_time(t, a->translation);
    uint64_t ready = a->level == IN_L1 ? start + t->hit[0] : line_ready(p, t, a, start);
    const typeof(p->forward[0]) *stored = &p->forward[(a->address >> 3) % FORWARDS];
    if (t->forward && a->address < stored->to && stored->from < a->address + a->bytes)
        ready = later(ready, stored->ready + t->forward);
    return ready;
}

/* Returns when the store's place in the buffer was free: there it waits for its line and for the stores before it. */
static uint64_t store(struct pipe *p, const struct cost_times *t, const struct access *a, uint64_t start, uint64_t data)
{
    uint64_t *place = &p->store[p->at_store], *before = &p->store[p->at_store ? p->at_store - 1 : core.stores - 1];
    start = later(served(&p->store_unit, start, p->fetch, t->store_every), *place);
    uint64_t line = a->level == IN_L1 ? start : line_ready(p, t, a, start);
    *place = later(later(line, data), *before + (t->store_every ? t->store_every : t->issue)) + tlb_time(t, a->translation);
    p->at_store = p->at_store + 1 == core.stores ? 0 : p->at_store + 1;
    typeof(p->forward[0]) *stored = &p->forward[(a->address >> 3) % FORWARDS];
    stored->from = a->address;
    stored->to = a->address + a->bytes;
    stored->ready = later(start, data);
    return start;
}

static void execute(struct pipe *p, const struct cost_times *t, const struct cost_insn *i, const struct access *a,
                    unsigned n_accesses)
{
    bool in_order = !core.window;
    p->fetch += i->class == COST_STRING ? 0 : t->issue;
    p->fetch = later(p->fetch, p->window[p->at]);
    uint64_t start = p->fetch;
    if (in_order)
        start = later(start, p->slot);
    if (i->class == COST_SYSTEM)
        start = later(start, p->done);
    uint64_t address = later(start, later(p->ready[i->address[0]], p->ready[i->address[1]]));
    uint64_t data = later(later(p->ready[i->source[0]], p->ready[i->source[1]]), p->ready[i->source[2]]);
    uint64_t loaded = 0, stored = 0;
    bool loads = false, stores = false;
    for (unsigned k = 0; k < n_accesses; k++) {
        if (a[k].is_device) {
            p->fetch = loaded = later(loaded, later(address, p->done) + t->device);
            loads = true;
        } else if (i->class == COST_STRING) {
            p->fetch += (uint64_t)t->string_byte * a[k].bytes / 2; /* a load and a store, or one of both */
            if (a[k].level != IN_L1)
                loaded = later(loaded, line_ready(p, t, &a[k], p->fetch));
        } else if (a[k].is_store) {
            stores = true;
        } else {
            loaded = later(loaded, load(p, t, &a[k], address));
            loads = true;
        }
    }
    bool only_memory = i->class == COST_MEMORY;
    uint64_t begin = only_memory ? address : later(address, data);
    if (loads && !only_memory)
        begin = later(begin, loaded);
    begin = served(&p->unit[i->class], begin, start, t->every[i->class]);
    uint64_t done = (loads && only_memory ? later(begin, loaded) : begin) + t->latency[i->class];
    if (i->class == COST_STRING)
        done = later(p->fetch, loaded);
    if (stores) {
        uint64_t value = only_memory ? later(data, loaded) : done;
        for (unsigned k = 0; k < n_accesses; k++)
            if (a[k].is_store && !a[k].is_device)
                stored = later(stored, store(p, t, &a[k], address, value));
        begin = later(begin, stored);
    }
    for (int k = 0; k < 3; k++)
        p->ready[i->target[k]] = done;
    /* A base that is written back is ready before what was loaded. */
    if (only_memory && i->target[2] != REG_NONE)
        p->ready[i->target[2]] = address + t->latency[COST_ALU];
    for (unsigned list = i->list; list; list &= list - 1)
        p->ready[__builtin_ctz(list)] = done;
    p->ready[REG_NONE] = 0;
    if (i->class == COST_SYSTEM || i->class == COST_PORT)
        p->fetch = later(p->fetch, done);
    p->last = done;
    p->done = later(p->done, done);
    if (in_order) {
        p->slot = begin + t->issue;
        p->started = begin;
    }
    p->window[p->at] = in_order ? begin : p->done;
    p->at = p->at + 1 == (in_order ? QUEUE : core.window) ? 0 : p->at + 1;
}

void cost_pipe_block(const struct cost_insn *insns, unsigned n, const struct access *accesses, unsigned n_accesses)
{
    for (int c = 0; c < CORNERS; c++) {
        unsigned k = 0;
        for (unsigned i = 0; i < n; i++) {
            while (k < n_accesses && accesses[k].insn < i)
                k++;
            unsigned first = k;
            while (k < n_accesses && accesses[k].insn == i)
                k++;
            execute(&pipes[c], &core.times[c], &insns[i], accesses + first, k - first);
        }
    }
}

/* A processor that fetches ahead of its branches hides a part of what L2 takes for code; of what is beyond, none. */
static uint64_t code_time(const struct cost_times *t, enum level level)
{
    if (level == IN_L1)
        return 0;
    return t->l1i_miss == AS_DATA || t->hit[level] < t->hit[IN_L2] ? t->hit[level]
                                                                  : t->hit[level] - t->hit[IN_L2] + t->l1i_miss;
}

void cost_pipe_code(enum level level, enum translation translation)
{
    for (int c = 0; c < CORNERS; c++)
        pipes[c].fetch += code_time(&core.times[c], level) + tlb_time(&core.times[c], (uint8_t)translation);
}

void cost_pipe_taken(void)
{
    for (int c = 0; c < CORNERS; c++)
        pipes[c].fetch += core.times[c].taken;
}

void cost_pipe_mispredicted(void)
{
    for (int c = 0; c < CORNERS; c++)
        pipes[c].fetch = later(pipes[c].fetch, pipes[c].last + core.times[c].mispredict);
}

void cost_pipe_exception(void)
{
    for (int c = 0; c < CORNERS; c++)
        pipes[c].fetch = later(pipes[c].fetch, pipes[c].done) + core.times[c].exception;
}

uint64_t cost_pipe_now(int corner)
{
    const struct pipe *p = &pipes[corner];
    return core.window ? p->done : later(p->started, p->fetch);
}
