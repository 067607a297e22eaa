// SPDX-License-Identifier: GPL-2.0-or-later
/* A32. Source: Arm ARM (DDI 0406), A5 "ARM instruction set encoding". */
#include "cost-insn.h"
#include "decode.h"

#define LINK 14
#define PC 15

static uint8_t field(uint32_t w, unsigned at)
{
    unsigned number = w >> at & 15;
    return (uint8_t)(number == PC ? REG_NONE : number);
}

static void into_pc(struct cost_insn *i, bool is_return)
{
    i->end = is_return ? END_RETURN : END_INDIRECT;
}

static void multiply(struct cost_insn *i, uint32_t w)
{
    i->class = COST_MUL;
    i->target[0] = field(w, 16);
    i->source[0] = field(w, 0);
    i->source[1] = field(w, 8);
    if (w >> 23 & 1)
        i->target[1] = field(w, 12);
    else if (w >> 21 & 1)
        i->source[2] = field(w, 12);
    if (w >> 20 & 1)
        i->target[2] = REG_FLAGS;
}

static void one(struct cost_insn *i, uint32_t w, bool is_load, bool writes_back)
{
    i->class = COST_MEMORY;
    i->address[0] = field(w, 16);
    if (is_load)
        i->target[0] = field(w, 12);
    else
        i->source[0] = field(w, 12);
    if (writes_back)
        i->target[2] = field(w, 16);
    if (is_load && (w >> 12 & 15) == PC)
        into_pc(i, (w >> 16 & 15) == 13);
}

static void miscellaneous(struct cost_insn *i, uint32_t w)
{
    unsigned kind = w >> 4 & 15, op = w >> 21 & 3;
    i->source[0] = field(w, 0);
    if (kind == 1 && op == 1) { /* bx */
        i->class = COST_BRANCH;
        into_pc(i, (w & 15) == LINK);
    } else if (kind == 3) {
        i->class = COST_BRANCH;
        i->end = END_CALL_INDIRECT;
    } else if (kind == 1) { /* clz */
        i->target[0] = field(w, 12);
    } else if (kind == 0) { /* mrs, msr */
        i->class = op & 1 ? COST_SYSTEM : COST_SHIFT;
        i->target[0] = op & 1 ? REG_NONE : field(w, 12);
    } else if (kind & 8) { /* multiplications of halves */
        i->class = COST_MUL;
        i->target[0] = field(w, 16);
        i->source[1] = field(w, 8);
        i->source[2] = field(w, 12);
    } else {
        i->class = COST_SYSTEM;
    }
}

static void data(struct cost_insn *i, uint32_t w)
{
    unsigned op = w >> 21 & 15;
    bool is_immediate = w >> 25 & 1, by_register = !is_immediate && w >> 4 & 1;
    if (is_immediate && (op == 8 || op == 10) && !(w >> 20 & 1)) { /* movw, movt */
        i->class = COST_MOVE;
        i->target[0] = field(w, 12);
        i->source[0] = op == 10 ? i->target[0] : REG_NONE;
        return;
    }
    if (!is_immediate && (w >> 23 & 3) == 2 && !(w >> 20 & 1)) {
        miscellaneous(i, w);
        return;
    }
    bool shifts = !is_immediate && (by_register || (w >> 4 & 0xff));
    i->class = shifts ? COST_SHIFT : op == 13 || op == 15 ? COST_MOVE : COST_ALU;
    i->source[0] = op == 13 || op == 15 ? REG_NONE : field(w, 16);
    i->source[1] = is_immediate ? REG_NONE : field(w, 0);
    i->source[2] = by_register ? field(w, 8) : op >= 5 && op <= 7 ? REG_FLAGS : REG_NONE;
    i->target[0] = op >= 8 && op <= 11 ? REG_NONE : field(w, 12);
    i->target[1] = w >> 20 & 1 ? REG_FLAGS : REG_NONE;
    if ((w >> 12 & 15) == PC && !(op >= 8 && op <= 11)) {
        i->class = COST_BRANCH;
        into_pc(i, (w & 15) == LINK);
    }
}

static void data_and_more(struct cost_insn *i, uint32_t w)
{
    bool is_immediate = w >> 25 & 1;
    if (is_immediate || (w & 0x90) != 0x90) {
        data(i, w);
    } else if ((w & 0x60) == 0) {
        if (w >> 24 & 1) {
            i->class = COST_ATOMIC;
            i->address[0] = field(w, 16);
            i->target[0] = field(w, 12);
            i->source[0] = field(w, 0);
        } else {
            multiply(i, w);
        }
    } else { /* halves, signed bytes, pairs */
        bool is_pair = !(w >> 20 & 1) && w >> 6 & 1, is_load = w >> 20 & 1 || (is_pair && !(w >> 5 & 1));
        one(i, w, is_load, !(w >> 24 & 1) || w >> 21 & 1);
        i->address[1] = w >> 22 & 1 ? REG_NONE : field(w, 0);
        if (is_pair && is_load)
            i->target[1] = (uint8_t)((w >> 12 & 15) + 1 < PC ? (w >> 12 & 15) + 1 : REG_NONE);
    }
}

static void media(struct cost_insn *i, uint32_t w)
{
    unsigned op = w >> 20 & 31;
    bool multiplies = op >= 16 && op <= 21, divides = op == 17 || op == 19;
    i->class = divides && (w >> 5 & 7) == 0 ? COST_DIV : multiplies ? COST_MUL : COST_SHIFT;
    i->target[0] = field(w, multiplies ? 16 : 12);
    i->source[0] = field(w, 0);
    i->source[1] = multiplies ? field(w, 8) : op < 16 ? field(w, 16) : REG_NONE;
    i->source[2] = multiplies && !divides ? field(w, 12) : op == 28 || op == 29 ? field(w, 12) : REG_NONE;
}

static void several(struct cost_insn *i, uint32_t w)
{
    i->class = COST_MEMORY;
    i->address[0] = field(w, 16);
    if (w >> 21 & 1)
        i->target[0] = field(w, 16);
    if (w >> 20 & 1) {
        i->list = w & 0x7fff;
        if (w >> PC & 1)
            into_pc(i, true);
    }
}

static void coprocessor(struct cost_insn *i, uint32_t w)
{
    unsigned number = w >> 8 & 15, group = w >> 24 & 15;
    bool is_float = number == 10 || number == 11;
    if (group == 15) {
        i->class = COST_SYSTEM;
    } else if (!is_float) {
        i->class = COST_SYSTEM;
        if (group == 14 && w >> 20 & 1 && w >> 4 & 1) { /* mrc: reading is cheap */
            i->class = COST_SHIFT;
            i->target[0] = field(w, 12);
        }
    } else if (group < 14) {
        i->class = COST_MEMORY;
        i->address[0] = field(w, 16);
        i->target[0] = w >> 20 & 1 ? (uint8_t)(REG_VECTOR + (w >> 12 & 15)) : REG_NONE;
        i->target[2] = w >> 21 & 1 ? field(w, 16) : REG_NONE;
    } else if (w >> 4 & 1) {
        i->class = COST_FP;
        i->target[0] = w >> 20 & 1 ? field(w, 12) : (uint8_t)(REG_VECTOR + (w >> 16 & 15));
        i->source[0] = w >> 20 & 1 ? (uint8_t)(REG_VECTOR + (w >> 16 & 15)) : field(w, 12);
    } else {
        i->class = (w & 0x00b00040) == 0x00800000 ? COST_FDIV : COST_FP;
        i->target[0] = (uint8_t)(REG_VECTOR + (w >> 12 & 15));
        i->source[0] = (uint8_t)(REG_VECTOR + (w >> 16 & 15));
        i->source[1] = (uint8_t)(REG_VECTOR + (w & 15));
    }
}

/* NEON, preloads, barriers. */
static void unconditional(struct cost_insn *i, uint32_t w)
{
    if (w >> 25 == 0x79) { /* 1111 001 */
        i->class = COST_SIMD;
        i->target[0] = (uint8_t)(REG_VECTOR + (w >> 12 & 15) + (w >> 18 & 16));
        i->source[0] = (uint8_t)(REG_VECTOR + (w >> 16 & 15) + (w >> 3 & 16));
        i->source[1] = (uint8_t)(REG_VECTOR + (w & 15) + (w >> 1 & 16));
    } else if ((w & 0xff100000) == 0xf4000000) {
        i->class = COST_MEMORY;
        i->address[0] = field(w, 16);
        i->target[0] = w >> 21 & 1 ? (uint8_t)(REG_VECTOR + (w >> 12 & 15) + (w >> 18 & 16)) : REG_NONE;
        i->target[2] = (w & 15) == PC ? REG_NONE : field(w, 16);
    } else if (w >> 25 == 0x7d) {
        i->class = COST_BRANCH;
        i->end = END_CALL;
    } else if ((w & 0xfd70f000) == 0xf550f000 || (w & 0xfd30f000) == 0xf510f000) {
        i->class = COST_MOVE; /* pld */
    } else {
        i->class = COST_SYSTEM;
    }
}

struct cost_insn cost_a32(const uint8_t *bytes, size_t n)
{
    struct cost_insn i = cost_insn_none();
    if (n != 4)
        return i;
    uint32_t w = decode_word(bytes);
    unsigned condition = w >> 28;
    if (condition == 15) {
        unconditional(&i, w);
        return i;
    }
    switch (w >> 25 & 7) {
    case 0:
    case 1:
        data_and_more(&i, w);
        break;
    case 3:
        if (w >> 4 & 1) {
            media(&i, w);
            break;
        }
        /* fall through */
    case 2:
        one(&i, w, w >> 20 & 1, !(w >> 24 & 1) || w >> 21 & 1);
        i.address[1] = w >> 25 & 1 ? field(w, 0) : REG_NONE;
        break;
    case 4:
        several(&i, w);
        break;
    case 5:
        i.class = COST_BRANCH;
        i.end = w >> 24 & 1 ? END_CALL : END_JUMP;
        break;
    default:
        coprocessor(&i, w);
    }
    if (condition == 14)
        return i;
    if (i.end == END_JUMP)
        i.end = END_COND;
    for (unsigned s = 0; s < 3; s++)
        if (i.source[s] == REG_NONE) {
            i.source[s] = REG_FLAGS;
            break;
        }
    return i;
}
