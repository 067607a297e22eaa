// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost-core.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CYCLES 1e6
#define MOST 512 /* of anything that a processor has several of */
#define MOST_BYTES (1u << 30) /* of a cache */

struct cost_core core = {.times = {{.l1i_miss = AS_DATA}, {.l1i_miss = AS_DATA}}};

static const char *const classes[COST_CLASSES] = {"alu", "move", "shifted", "mul", "div", "memory", "branch", "simd",
                                                  "fp", "fdiv", "crypto", "atomic", "string", "system", "port"};

/* Where a time is kept in a corner's times. */
static uint32_t *time_of(struct cost_times *t, const char *name, size_t n)
{
    const struct {
        const char *name;
        uint32_t *at;
    } times[] = {
        {"issue", &t->issue},           {"load_every", &t->load_every}, {"store_every", &t->store_every},
        {"l1d_hit", &t->hit[0]},        {"l2_hit", &t->hit[1]},         {"l3_hit", &t->hit[2]},
        {"dram", &t->hit[3]},           {"prefetched", &t->prefetched}, {"line", &t->line},
        {"mispredict", &t->mispredict}, {"taken", &t->taken},           {"exception", &t->exception},
        {"tlb_hit", &t->tlb2},          {"walk", &t->walk},             {"device", &t->device},
        {"l1i_miss", &t->l1i_miss},     {"forward", &t->forward},       {"string_byte", &t->string_byte},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strlen(times[i].name) == n && !memcmp(times[i].name, name, n))
            return times[i].at;
    for (unsigned c = 0; c < COST_CLASSES; c++) {
        size_t length = strlen(classes[c]);
        if (n < length || memcmp(classes[c], name, length))
            continue;
        if (n == length)
            return &t->latency[c];
        if (n == length + 6 && !memcmp(name + length, "_every", 6))
            return &t->every[c];
    }
    return NULL;
}

/* Reads a whole number of digits alone, and moves behind it. One that is too large is no number. */
static bool whole(const char **text, unsigned long long most, uint32_t *into)
{
    char *end = NULL;
    bool is_number = **text >= '0' && **text <= '9';
    unsigned long long value = is_number ? strtoull(*text, &end, 10) : 0;
    if (!is_number || value > most)
        return false;
    *into = (uint32_t)value;
    *text = end;
    return true;
}

static const char *shape(struct cost_shape *into, const char *value)
{
    bool is_shape = whole(&value, MOST_BYTES, &into->size) && *value++ == ':' && whole(&value, MOST, &into->ways) &&
                    *value++ == ':' && whole(&value, MOST, &into->line);
    return is_shape && !*value ? NULL : "a cache is SIZE:WAYS:LINE";
}

static const char *number(uint32_t *into, const char *value)
{
    return whole(&value, 1u << 16, into) && !*value ? NULL : "a number is out of range";
}

/* strtod() takes nothing for 0, spaces, `nan`, `inf` and hexadecimal numbers too. */
static bool cycles(const char **text, double *into)
{
    char *end;
    if ((**text < '0' || **text > '9') || (**text == '0' && ((*text)[1] | 32) == 'x'))
        return false;
    *into = strtod(*text, &end);
    *text = end;
    return *into >= 0 && *into <= MOST_CYCLES;
}

const char *cost_core_argument(const char *argument)
{
    const char *value = strchr(argument, '=');
    if (!value)
        return "an argument is NAME=VALUE";
    size_t n = (size_t)(value++ - argument);
    const struct {
        const char *name;
        uint32_t *number;
        struct cost_shape *shape;
    } places[] = {
        {"window", &core.window, NULL}, {"misses", &core.misses, NULL}, {"stores", &core.stores, NULL},
        {"streams", &core.streams, NULL}, {"history", &core.history, NULL}, {"itlb", &core.itlb, NULL},
        {"dtlb", &core.dtlb, NULL}, {"tlb", &core.tlb, NULL}, {"l1i", NULL, &core.l1i},
        {"l1d", NULL, &core.l1d}, {"l2", NULL, &core.l2}, {"l3", NULL, &core.l3},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == n && !memcmp(places[i].name, argument, n))
            return places[i].number ? number(places[i].number, value) : shape(places[i].shape, value);
    double low, high;
    if (!cycles(&value, &low))
        return "a time is CYCLES or LOW:HIGH";
    high = low;
    if ((*value == ':' && (value++, !cycles(&value, &high))) || *value)
        return "a time is CYCLES or LOW:HIGH";
    uint32_t *into[CORNERS] = {time_of(&core.times[LOW], argument, n), time_of(&core.times[HIGH], argument, n)};
    if (!into[LOW])
        return "unknown argument";
    *into[LOW] = (uint32_t)(low * TICKS_PER_CYCLE + 0.5);
    *into[HIGH] = (uint32_t)(high * TICKS_PER_CYCLE + 0.5);
    return NULL;
}

static bool is_power(uint32_t n)
{
    return n && !(n & (n - 1));
}

static bool can_be(const struct cost_shape *s)
{
    return is_power(s->line) && s->line >= 16 && s->line <= 256 && s->ways >= 1 && s->ways <= 32 &&
           is_power(s->size / (s->ways * s->line)) && s->size % (s->ways * s->line) == 0;
}

const char *cost_core_check(void)
{
    if (!can_be(&core.l1i) || !can_be(&core.l1d) || (core.l2.size && !can_be(&core.l2)) || (core.l3.size && !can_be(&core.l3)))
        return "a cache's sets and its line must be powers of two";
    if (core.window > MOST || core.misses < 1 || core.misses > MOST || core.stores < 1 || core.stores > MOST ||
        core.streams > MOST || core.history > 64)
        return "window, misses, stores, streams or history are out of range";
    if (core.itlb < 1 || core.dtlb < 1)
        return "itlb= and dtlb= are needed";
    for (int c = 0; c < CORNERS; c++)
        if (!core.times[c].issue || !core.times[c].hit[0] || !core.times[c].hit[3])
            return "issue=, l1d_hit= and dram= are needed";
    for (int c = 0; c < CORNERS; c++)
        if ((core.l2.size && !core.times[c].hit[1]) || (core.l3.size && !core.times[c].hit[2]))
            return "a level of the caches has no time: l2_hit=, l3_hit=";
    return NULL;
}
