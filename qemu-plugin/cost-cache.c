// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost-cache.h"

#include <stdlib.h>
#include <string.h>

#include "cost-core.h"

#define PAGE_BITS 12
#define TLB_WAYS 4

struct cache {
    uint64_t *tags; /* the most recent first; 0: empty */
    uint32_t sets, ways;
    unsigned line_bits;
};

static struct cache l1i, l1d, l2, l3, itlb, dtlb, tlb;
static uint64_t kernel_from = UINT64_MAX;
static unsigned kernel_page_bits;
static uint64_t *runs; /* the line after the last one of each run of misses, the most recent first */

static bool touch(struct cache *c, uint64_t line)
{
    uint64_t tag = line + 1, *set = c->tags + (line & (c->sets - 1)) * c->ways;
    if (*set == tag)
        return true;
    for (uint32_t way = 1; way < c->ways; way++)
        if (set[way] == tag) {
            memmove(set + 1, set, way * sizeof *set);
            *set = tag;
            return true;
        }
    memmove(set + 1, set, (c->ways - 1) * sizeof *set);
    *set = tag;
    return false;
}

static bool build(struct cache *c, uint32_t sets, uint32_t ways, unsigned line_bits)
{
    *c = (struct cache){.sets = sets, .ways = ways, .line_bits = line_bits};
    c->tags = calloc((size_t)sets * ways, sizeof *c->tags);
    return c->tags;
}

static bool build_shape(struct cache *c, const struct cost_shape *s)
{
    return !s->size || build(c, s->size / (s->ways * s->line), s->ways, (unsigned)__builtin_ctz(s->line));
}

/* The nearest number of sets that is a power of two. */
static bool build_tlb(struct cache *c, uint32_t entries)
{
    uint32_t ways = entries < TLB_WAYS ? entries : TLB_WAYS, sets = 1;
    while (entries && sets * 2 * ways <= entries)
        sets *= 2;
    return !entries || build(c, sets, entries / sets, 0);
}

const char *cost_cache_open(void)
{
    runs = calloc(core.streams + 1, sizeof *runs);
    bool built = runs && build_shape(&l1i, &core.l1i) && build_shape(&l1d, &core.l1d) && build_shape(&l2, &core.l2) &&
                 build_shape(&l3, &core.l3) && build_tlb(&itlb, core.itlb) && build_tlb(&dtlb, core.dtlb) &&
                 build_tlb(&tlb, core.tlb);
    return built ? NULL : "there is no memory for the caches";
}

static enum level beyond_l1(uint64_t address, uint64_t *events)
{
    if (l2.sets && touch(&l2, address >> l2.line_bits))
        return IN_L2;
    events[EVENT_L2_MISS]++;
    if (!l3.sets)
        return IN_MEMORY;
    if (touch(&l3, address >> l3.line_bits))
        return IN_L3;
    events[EVENT_L3_MISS]++;
    return IN_MEMORY;
}

/* Linux: the upper half, in pages of 2 MiB; on 32-bit ARM the upper quarter (as most are built), in sections of 1 MiB. */
void cost_cache_kernel(const char *target)
{
    bool is_arm = !strcmp(target, "arm");
    kernel_from = is_arm ? 0xc0000000u : 1ull << 63;
    kernel_page_bits = is_arm ? 20 : 21;
}

/*
 * What a TLB knows a page by. Processes use the same virtual pages for different memory; an entry of one is of no use to
 * another, as if each had an identifier of its own (ASID). The lowest bits choose the set.
 */
static uint64_t page(uint64_t virtual, uint64_t physical)
{
    if (virtual >= kernel_from)
        return virtual >> kernel_page_bits;
    return virtual >> PAGE_BITS ^ (physical >> PAGE_BITS) << 24;
}

static enum translation translate(struct cache *first, uint64_t number, uint64_t *missed, uint64_t *walks)
{
    if (touch(first, number))
        return TLB_HIT;
    ++*missed;
    if (tlb.sets && touch(&tlb, number))
        return TLB_SECOND;
    ++*walks;
    return TLB_WALK;
}

/* A prefetcher follows a run from its second miss on, upwards or downwards by a line. */
static bool follows(uint64_t line)
{
    for (uint32_t i = 0; i < core.streams; i++) {
        uint64_t last = runs[i];
        if (line - last > 2 && last - line > 2)
            continue;
        memmove(runs + 1, runs, i * sizeof *runs);
        runs[0] = line;
        return line != last;
    }
    memmove(runs + 1, runs, (core.streams ? core.streams - 1 : 0) * sizeof *runs);
    runs[0] = line;
    return false;
}

static void data_line(struct access *a, uint64_t line, uint64_t *events)
{
    if (touch(&l1d, line))
        return;
    events[EVENT_L1D_MISS]++;
    enum level level = beyond_l1(line << l1d.line_bits, events);
    bool prefetched = core.streams && follows(line);
    events[EVENT_PREFETCHED] += prefetched;
    if (level <= a->level)
        return;
    a->prefetched = prefetched;
    a->level = (uint8_t)level;
}

void cost_cache_data(struct access *a, uint64_t virtual, uint64_t physical, uint64_t *events)
{
    events[EVENT_ACCESS]++;
    uint64_t number = page(virtual, physical);
    a->translation = (uint8_t)translate(&dtlb, number, &events[EVENT_DTLB_MISS], &events[EVENT_WALK]);
    a->level = IN_L1;
    a->prefetched = false;
    uint64_t first = physical >> l1d.line_bits, last = (physical + (a->bytes ? a->bytes - 1u : 0)) >> l1d.line_bits;
    data_line(a, first, events);
    if (last != first)
        data_line(a, last, events);
}

enum level cost_cache_code(uint64_t address, uint64_t *events)
{
    if (touch(&l1i, address >> l1i.line_bits))
        return IN_L1;
    events[EVENT_L1I_MISS]++;
    return beyond_l1(address, events);
}

enum translation cost_cache_code_page(uint64_t virtual, uint64_t physical, uint64_t *events)
{
    static uint64_t last = UINT64_MAX;
    uint64_t number = page(virtual, physical);
    if (number == last)
        return TLB_HIT;
    last = number;
    return translate(&itlb, number, &events[EVENT_ITLB_MISS], &events[EVENT_WALK]);
}
