// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small TAGE: a table by address, and three by address and ever longer histories, whose entries have tags; the longest
 * that knows the branch decides (Seznec and Michaud, 2006). Targets: by address and path. Returns: a stack.
 */
#include "cost-branch.h"

#include "cost-core.h"

#define TABLE_BITS 12
#define TABLE (1u << TABLE_BITS)
#define TABLES 3
#define RETURNS 16

struct entry {
    uint16_t tag;
    int8_t counter; /* -4 to 3; 0 and more: taken */
    uint8_t useful;
};

static int8_t base[TABLE * 4];
static struct entry tagged[TABLES][TABLE];
static uint64_t targets[TABLE], returns[RETURNS];
static unsigned top;
static uint64_t history, path;

static uint64_t mixed(uint64_t at, uint64_t of_history)
{
    uint64_t hash = (at ^ of_history * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 29;
}

static int8_t moved(int8_t counter, bool up, int8_t low, int8_t high)
{
    return (int8_t)(up ? (counter < high ? counter + 1 : high) : (counter > low ? counter - 1 : low));
}

static bool direction(uint64_t at, bool taken)
{
    int8_t *plain = &base[mixed(at, 0) % (TABLE * 4)];
    bool says = *plain >= 0;
    struct entry *slots[TABLES], *by = NULL;
    uint16_t tags[TABLES];
    int by_table = -1;
    for (int t = 0; t < TABLES; t++) {
        unsigned bits = core.history >> (TABLES - 1 - t) * 2;
        if (!bits) {
            slots[t] = NULL;
            continue;
        }
        uint64_t hash = mixed(at, (bits >= 64 ? history : history & ((1ull << bits) - 1)) + (unsigned)t + 1);
        slots[t] = &tagged[t][hash % TABLE];
        tags[t] = (uint16_t)(hash >> 40 | 1);
        if (slots[t]->tag == tags[t]) {
            by = slots[t];
            by_table = t;
        }
    }
    if (by)
        says = by->counter >= 0;
    bool wrong = says != taken;
    if (by) {
        by->counter = moved(by->counter, taken, -4, 3);
        by->useful = (uint8_t)(wrong ? by->useful / 2 : by->useful < 3 ? by->useful + 1 : 3);
    } else {
        *plain = moved(*plain, taken, -2, 1);
    }
    for (int t = by_table + 1; wrong && t < TABLES; t++) {
        if (!slots[t])
            continue;
        if (slots[t]->useful) {
            slots[t]->useful--;
            continue;
        }
        *slots[t] = (struct entry){.tag = tags[t], .counter = (int8_t)(taken ? 0 : -1)};
        break;
    }
    history = history << 1 | taken;
    return wrong;
}

static bool target(uint64_t at, uint64_t to)
{
    uint64_t *slot = &targets[mixed(at, core.history ? path & 0xffff : 0) % TABLE];
    bool wrong = *slot != to;
    *slot = to;
    path = path << 4 ^ to >> 2;
    return wrong;
}

bool cost_branch(enum cost_end end, uint64_t at, uint64_t after, uint64_t to)
{
    /* ARM's calls and returns may have a condition. One that does not hold leaves no trace on the stack of returns. */
    if (to == after && end != END_COND)
        return false;
    switch (end) {
    case END_COND:
        return direction(at, to != after);
    case END_CALL:
        returns[top++ % RETURNS] = after;
        return false;
    case END_CALL_INDIRECT:
        returns[top++ % RETURNS] = after;
        return target(at, to);
    case END_INDIRECT:
        return target(at, to);
    case END_RETURN:
        return returns[--top % RETURNS] != to;
    default:
        return false;
    }
}
