// SPDX-License-Identifier: GPL-2.0-or-later
/* AArch64. Source: Arm ARM (DDI 0487), C4.1 "A64 instruction set encoding". */
#include "cost-insn.h"
#include "decode.h"

#define ZERO 31

static uint8_t general(unsigned number)
{
    return (uint8_t)(number == ZERO ? REG_NONE : number);
}

static uint8_t field(uint32_t w, unsigned at)
{
    return general(w >> at & 31);
}

static void immediate(struct cost_insn *i, uint32_t w)
{
    unsigned kind = w >> 23 & 7;
    i->target[0] = field(w, 0);
    if (kind <= 1) { /* adr, adrp */
        i->class = COST_MOVE;
    } else if (kind == 5) { /* movn, movz; movk keeps the rest */
        i->class = COST_MOVE;
        i->source[0] = (w >> 29 & 3) == 3 ? field(w, 0) : REG_NONE;
    } else {
        i->source[0] = field(w, 5);
        if (kind == 6 || kind == 7)
            i->class = COST_SHIFT;
        if (kind == 7)
            i->source[1] = field(w, 16);
        bool sets = (kind <= 3 && w >> 29 & 1) || (kind == 4 && (w >> 29 & 3) == 3);
        i->target[1] = sets ? REG_FLAGS : REG_NONE;
    }
}

static void branch(struct cost_insn *i, uint32_t w)
{
    i->class = COST_BRANCH;
    if (w >> 24 == 0x54) {
        i->source[0] = REG_FLAGS;
        i->end = END_COND;
    } else if ((w >> 25 & 0x3f) == 0x1a || (w >> 25 & 0x3f) == 0x1b) { /* cbz, tbz */
        i->source[0] = field(w, 0);
        i->end = END_COND;
    } else if ((w >> 26 & 0x1f) == 5) {
        i->end = w >> 31 ? END_CALL : END_JUMP;
    } else if (w >> 25 == 0x6b) {
        unsigned kind = w >> 21 & 3;
        i->source[0] = field(w, 5);
        i->end = w >> 23 & 1 ? END_INDIRECT : kind == 1 ? END_CALL_INDIRECT : kind == 2 ? END_RETURN : END_INDIRECT;
        if (w >> 23 & 1)
            i->class = COST_SYSTEM;
    } else if ((w & 0xfffff01f) == 0xd503201f) { /* hints */
        i->class = COST_MOVE;
    } else {
        /* Reading a plain register of the system (counter, thread's pointer) is cheap; the rest waits for the pipeline. */
        i->class = (w & 0xfff00000) == 0xd5300000 ? COST_SHIFT : COST_SYSTEM;
        i->target[0] = (w & 0xfff00000) == 0xd5300000 ? field(w, 0) : REG_NONE;
    }
}

static void memory(struct cost_insn *i, uint32_t w)
{
    bool is_vector = w >> 26 & 1, is_load = w >> 22 & 1;
    unsigned kind = w >> 28 & 3;
    uint8_t first = is_vector ? (uint8_t)(REG_VECTOR + (w & 31)) : field(w, 0);
    i->class = COST_MEMORY;
    i->address[0] = (uint8_t)(w >> 5 & 31);
    if (kind == 1 && !(w >> 24 & 1)) { /* literal */
        i->address[0] = REG_NONE;
        i->target[0] = w >> 30 == 3 && !is_vector ? REG_NONE : first; /* prfm loads nothing */
        return;
    }
    if (kind == 0 && !is_vector) { /* exclusive, compare and swap */
        bool is_swap = w >> 21 & 1 && (w >> 23 & 1 || !(w >> 31)); /* cas, casp */
        bool is_plain = w >> 23 & 1 && !is_swap;                   /* ldar, stlr */
        i->class = is_plain ? COST_MEMORY : COST_ATOMIC;
        if (is_swap || !is_load)
            i->source[0] = first;
        if (is_swap)
            i->source[1] = i->target[0] = field(w, 16);
        else
            i->target[0] = is_load ? first : is_plain ? REG_NONE : field(w, 16); /* whether it was stored */
        if (!is_swap && w >> 21 & 1)
            *(is_load ? &i->target[1] : &i->source[1]) = field(w, 10);
        return;
    }
    bool is_pair = kind == 2;
    if (!is_pair && kind == 3 && !is_vector)
        is_load = (w >> 22 & 3) != 0;
    bool is_prefetch = kind == 3 && !is_vector && w >> 30 == 3 && (w >> 22 & 3) == 2;
    if (is_prefetch) {
        is_load = false;
    } else if (is_load) {
        i->target[0] = first;
        if (is_pair)
            i->target[1] = is_vector ? (uint8_t)(REG_VECTOR + (w >> 10 & 31)) : field(w, 10);
    } else {
        i->source[0] = first;
    }
    bool writes_back = is_pair ? w >> 23 & 1 : kind == 3 && !(w >> 24 & 1) && !(w >> 21 & 1) && w >> 10 & 1;
    if (writes_back)
        i->target[2] = i->address[0];
    if (kind == 3 && !(w >> 24 & 1) && w >> 21 & 1) {
        if ((w >> 10 & 3) == 2)
            i->address[1] = field(w, 16);
        else if ((w >> 10 & 3) == 0) { /* ldadd, swp and others */
            i->class = COST_ATOMIC;
            i->source[0] = field(w, 16);
            i->target[0] = field(w, 0);
        }
    }
}

static void registers(struct cost_insn *i, uint32_t w)
{
    bool second = w >> 28 & 1;
    unsigned op2 = w >> 21 & 15;
    i->target[0] = field(w, 0);
    i->source[0] = field(w, 5);
    i->source[1] = field(w, 16);
    if (!second) {
        bool is_extended = op2 >= 8 && op2 & 1;
        bool is_logical = op2 < 8;
        i->class = is_extended || (w >> 10 & 63) ? COST_SHIFT : COST_ALU;
        if (is_logical && i->source[0] == REG_NONE && !(w >> 10 & 63))
            i->class = COST_MOVE;
        bool sets = is_logical ? (w >> 29 & 3) == 3 : w >> 29 & 1;
        i->target[1] = sets ? REG_FLAGS : REG_NONE;
    } else if (op2 >= 8) {
        i->class = COST_MUL;
        i->source[2] = field(w, 10);
    } else if (op2 == 0 || op2 == 2 || op2 == 4) { /* with carry, conditional compare, conditional select */
        i->source[2] = REG_FLAGS;
        if (op2 == 2) {
            i->target[0] = REG_NONE;
            i->target[1] = REG_FLAGS;
            if (w >> 11 & 1)
                i->source[1] = REG_NONE;
        } else if (op2 == 0 && w >> 29 & 1) {
            i->target[1] = REG_FLAGS;
        }
    } else if (op2 == 6) {
        unsigned kind = w >> 10 & 63;
        if (w >> 30 & 1)
            i->source[1] = REG_NONE;
        else
            i->class = kind == 2 || kind == 3 ? COST_DIV : kind >= 16 && kind < 24 ? COST_CRYPTO : COST_SHIFT;
    }
}

static void vector(struct cost_insn *i, uint32_t w)
{
    i->class = COST_SIMD;
    i->target[0] = (uint8_t)(REG_VECTOR + (w & 31));
    i->source[0] = (uint8_t)(REG_VECTOR + (w >> 5 & 31));
    i->source[1] = (uint8_t)(REG_VECTOR + (w >> 16 & 31));
    unsigned top = w >> 24;
    if (top == 0x1e || top == 0x9e) { /* scalar */
        i->class = COST_FP;
        if (!(w >> 21 & 1))
            return;
        unsigned kind = w >> 10 & 63;
        if ((w >> 10 & 3) == 2 && (w >> 12 & 15) == 1)
            i->class = COST_FDIV;
        if ((kind & 15) == 8) {
            i->target[0] = REG_NONE;
            i->target[1] = REG_FLAGS;
        } else if (kind == 0) { /* from or to a general register */
            unsigned op = w >> 16 & 7;
            if (op == 2 || op == 3 || op == 7)
                i->source[0] = field(w, 5);
            else
                i->target[0] = field(w, 0);
            i->source[1] = REG_NONE;
        }
    } else if (top == 0x1f) {
        i->class = COST_FP;
        i->source[2] = (uint8_t)(REG_VECTOR + (w >> 10 & 31));
    } else if ((w & 0xff3e0c00) == 0x4e280800 || (w & 0xff000000) == 0x5e000000 || (w & 0xffe00000) == 0xce000000 ||
               (w & 0xbf20fc00) == 0x0e20e000) {
        i->class = (w & 0xff200c00) == 0x5e200400 ? COST_SIMD : COST_CRYPTO; /* AES, SHA, SHA3, pmull */
        i->source[2] = i->target[0];
    } else if ((w & 0x9f200400) == 0x0e200400 && ((w >> 11 & 31) == 0x13 || (w >> 11 & 31) == 0x12 || (w >> 11 & 31) >= 0x18)) {
        i->class = COST_FP;
        i->source[2] = i->target[0];
    } else if ((w & 0xbfe0fc00) == 0x0e003c00) { /* umov */
        i->target[0] = field(w, 0);
    } else if ((w & 0xbfe0fc00) == 0x0e000c00 || (w & 0xffe0fc00) == 0x4e001c00) { /* dup, ins */
        i->source[0] = field(w, 5);
    }
}

struct cost_insn cost_arm64(const uint8_t *bytes, size_t n)
{
    struct cost_insn i = cost_insn_none();
    if (n != 4)
        return i;
    uint32_t w = decode_word(bytes);
    unsigned group = w >> 25 & 15;
    if ((group & 14) == 8)
        immediate(&i, w);
    else if ((group & 14) == 10)
        branch(&i, w);
    else if ((group & 5) == 4)
        memory(&i, w);
    else if ((group & 7) == 5)
        registers(&i, w);
    else if ((group & 7) == 7)
        vector(&i, w);
    return i;
}
