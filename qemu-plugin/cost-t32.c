// SPDX-License-Identifier: GPL-2.0-or-later
/* T32. Source: Arm ARM (DDI 0406), A6 "Thumb instruction set encoding". */
#include "cost-insn.h"
#include "decode.h"

#define STACK 13
#define LINK 14
#define PC 15

static uint8_t general(unsigned number)
{
    return (uint8_t)(number == PC ? REG_NONE : number);
}

static void short_memory(struct cost_insn *i, uint32_t h)
{
    unsigned top = h >> 12;
    bool is_load = h >> 11 & 1;
    uint8_t data = h & 7;
    i->class = COST_MEMORY;
    i->address[0] = h >> 3 & 7;
    if (top == 4) {
        i->address[0] = REG_NONE;
        data = h >> 8 & 7;
    } else if (top == 5) {
        i->address[1] = h >> 6 & 7;
        is_load = (h >> 9 & 7) >= 3;
    } else if (top == 9) {
        i->address[0] = STACK;
        data = h >> 8 & 7;
    }
    if (is_load)
        i->target[0] = data;
    else
        i->source[0] = data;
}

static void short_data(struct cost_insn *i, uint32_t h)
{
    unsigned op = h >> 6 & 15;
    i->source[0] = h & 7;
    i->source[1] = h >> 3 & 7;
    i->target[0] = op == 8 || op == 10 || op == 11 ? REG_NONE : h & 7;
    i->target[1] = REG_FLAGS;
    i->class = op == 13 ? COST_MUL : (op >= 2 && op <= 4) || op == 7 ? COST_SHIFT : COST_ALU;
    if (op == 5 || op == 6)
        i->source[2] = REG_FLAGS;
}

static void short_special(struct cost_insn *i, uint32_t h)
{
    unsigned op = h >> 8 & 3, from = h >> 3 & 15, to = (h & 7) | (h >> 4 & 8);
    i->source[0] = general(from);
    if (op == 3) {
        i->class = COST_BRANCH;
        i->end = h >> 7 & 1 ? END_CALL_INDIRECT : from == LINK ? END_RETURN : END_INDIRECT;
        return;
    }
    i->class = op == 2 ? COST_MOVE : COST_ALU;
    i->source[1] = op == 2 ? REG_NONE : general(to);
    i->target[0] = op == 1 ? REG_NONE : general(to);
    i->target[1] = op == 1 ? REG_FLAGS : REG_NONE;
    if (op != 1 && to == PC)
        i->end = from == LINK ? END_RETURN : END_INDIRECT;
}

static void short_rest(struct cost_insn *i, uint32_t h)
{
    if ((h & 0xf500) == 0xb100) { /* cbz, cbnz */
        i->class = COST_BRANCH;
        i->source[0] = h & 7;
        i->end = END_COND;
    } else if ((h & 0xf600) == 0xb400) { /* push, pop */
        bool is_pop = h >> 11 & 1;
        i->class = COST_MEMORY;
        i->address[0] = i->target[0] = STACK;
        i->list = is_pop ? h & 0xff : 0;
        i->end = is_pop && h >> 8 & 1 ? END_RETURN : END_NONE;
    } else if ((h & 0xff00) == 0xb000) {
        i->source[0] = i->target[0] = STACK;
    } else if ((h & 0xff00) == 0xbf00) { /* it, hints */
        i->class = COST_MOVE;
    } else if ((h & 0xff00) == 0xb200 || (h & 0xff00) == 0xba00) {
        i->source[0] = h >> 3 & 7;
        i->target[0] = h & 7;
    } else {
        i->class = COST_SYSTEM;
    }
}

static struct cost_insn half(uint32_t h)
{
    struct cost_insn i = cost_insn_none();
    unsigned top = h >> 12;
    if (top < 2) {
        bool adds = (h >> 11 & 3) == 3;
        i.class = adds ? COST_ALU : h >> 6 & 31 ? COST_SHIFT : COST_MOVE;
        i.source[0] = h >> 3 & 7;
        i.source[1] = adds && !(h >> 10 & 1) ? h >> 6 & 7 : REG_NONE;
        i.target[0] = h & 7;
        i.target[1] = REG_FLAGS;
    } else if (top < 4) {
        unsigned op = h >> 11 & 3;
        i.class = op == 0 ? COST_MOVE : COST_ALU;
        i.source[0] = op == 0 ? REG_NONE : h >> 8 & 7;
        i.target[0] = op == 1 ? REG_NONE : h >> 8 & 7;
        i.target[1] = REG_FLAGS;
    } else if (h >> 10 == 0x10) {
        short_data(&i, h);
    } else if (h >> 10 == 0x11) {
        short_special(&i, h);
    } else if (top <= 9) {
        short_memory(&i, h);
    } else if (top == 10) {
        i.source[0] = h >> 11 & 1 ? STACK : REG_NONE;
        i.target[0] = h >> 8 & 7;
    } else if (top == 11) {
        short_rest(&i, h);
    } else if (top == 12) {
        i.class = COST_MEMORY;
        i.address[0] = i.target[0] = h >> 8 & 7;
        i.list = h >> 11 & 1 ? h & 0xff : 0;
    } else if (top == 13 && (h >> 8 & 15) < 14) {
        i.class = COST_BRANCH;
        i.source[0] = REG_FLAGS;
        i.end = END_COND;
    } else if (top == 13) {
        i.class = COST_SYSTEM;
    } else {
        i.class = COST_BRANCH;
        i.end = END_JUMP;
    }
    return i;
}

static void wide_memory(struct cost_insn *i, uint32_t a, uint32_t b)
{
    uint8_t base = general(a & 15), first = general(b >> 12);
    bool is_load = a >> 4 & 1;
    i->class = COST_MEMORY;
    i->address[0] = base;
    if ((a & 0xfe40) == 0xe800) { /* several */
        i->list = is_load ? b & 0x7fff : 0;
        i->target[0] = a >> 5 & 1 ? base : REG_NONE;
        i->end = is_load && b >> PC & 1 ? END_RETURN : END_NONE;
        return;
    }
    if ((a & 0xfe40) == 0xe840) { /* pairs, exclusives, table branches */
        bool is_plain = a >> 8 & 1 || a >> 5 & 1;
        i->class = is_plain ? COST_MEMORY : COST_ATOMIC;
        if ((a & 0xfff0) == 0xe8d0 && (b & 0xf0) < 0x20) {
            i->class = COST_BRANCH;
            i->address[1] = general(b & 15);
            i->end = END_INDIRECT;
            return;
        }
        i->source[0] = is_load ? REG_NONE : first;
        i->target[0] = is_load ? first : REG_NONE;
        i->target[1] = is_load && is_plain ? general(b >> 8 & 15) : REG_NONE;
        i->target[2] = is_plain && a >> 5 & 1 ? base : REG_NONE;
        return;
    }
    if (is_load)
        i->target[0] = first;
    else
        i->source[0] = first;
    bool by_register = !(a >> 7 & 1) && !(b >> 11 & 1) && base != REG_NONE;
    i->address[1] = by_register ? general(b & 15) : REG_NONE;
    i->target[2] = !(a >> 7 & 1) && b >> 11 & 1 && b >> 8 & 1 ? base : REG_NONE;
    if (is_load && b >> 12 == PC)
        i->end = (a & 15) == STACK ? END_RETURN : END_INDIRECT;
}

static void wide_data(struct cost_insn *i, uint32_t a, uint32_t b)
{
    unsigned op = a >> 5 & 15, target = b >> 8 & 15;
    bool by_register = (a >> 9 & 7) == 5, keeps = (a & 15) == PC;
    bool plain = !by_register && a >> 9 & 1; /* 12 or 16 bits, bit fields */
    i->source[0] = general(a & 15);
    i->source[1] = by_register ? general(b & 15) : REG_NONE;
    i->target[0] = general(target);
    if (plain) {
        bool is_move = (a & 0x0170) == 0x0040 || (a & 0x01f0) == 0x00c0;
        i->class = is_move ? COST_MOVE : a >> 8 & 1 ? COST_SHIFT : COST_ALU;
        if (is_move)
            i->source[0] = a >> 7 & 1 ? general(target) : REG_NONE;
        return;
    }
    i->class = by_register && (b & 0x70f0) ? COST_SHIFT : keeps && op == 2 ? COST_MOVE : COST_ALU;
    i->source[2] = op == 10 || op == 11 ? REG_FLAGS : REG_NONE;
    i->target[1] = a >> 4 & 1 ? REG_FLAGS : REG_NONE;
}

static void wide_branch(struct cost_insn *i, uint32_t a, uint32_t b)
{
    bool is_system = !(b >> 12 & 1) && !(b >> 14 & 1) && (a >> 6 & 14) == 14;
    i->class = COST_BRANCH;
    if (is_system) {
        i->class = COST_SYSTEM;
    } else if (b >> 14 & 1) {
        i->end = END_CALL;
    } else if (b >> 12 & 1) {
        i->end = END_JUMP;
    } else {
        i->end = END_COND;
        i->source[0] = REG_FLAGS;
    }
}

static void wide_register(struct cost_insn *i, uint32_t a, uint32_t b)
{
    i->source[0] = general(a & 15);
    i->source[1] = general(b & 15);
    i->target[0] = general(b >> 8 & 15);
    if (!(a >> 8 & 1)) {
        i->class = COST_SHIFT;
        return;
    }
    bool is_divide = (a & 0xffd0) == 0xfb90 && (b & 0xf0) == 0xf0;
    i->class = is_divide ? COST_DIV : COST_MUL;
    uint8_t third = general(b >> 12);
    if (a >> 7 & 1)
        i->target[1] = is_divide ? REG_NONE : third;
    else
        i->source[2] = third;
}

struct cost_insn cost_t32(const uint8_t *bytes, size_t n)
{
    if (n == 2)
        return half(decode_half(bytes));
    struct cost_insn i = cost_insn_none();
    if (n != 4)
        return i;
    uint32_t a = decode_half(bytes), b = decode_half(bytes + 2);
    if ((a >> 8 & 0xef) == 0xef) { /* NEON */
        i.class = COST_SIMD;
        i.target[0] = (uint8_t)(REG_VECTOR + (b >> 12));
        i.source[0] = (uint8_t)(REG_VECTOR + (a & 15));
        i.source[1] = (uint8_t)(REG_VECTOR + (b & 15));
        return i;
    }
    if (a >> 10 & 1 && a >> 11 != 0x1e) /* the coprocessors', as A32 has them */
        return cost_a32((const uint8_t[4]){(uint8_t)b, (uint8_t)(b >> 8), (uint8_t)a, (uint8_t)((a >> 8 & 15) | 0xe0)}, 4);
    if (a >> 9 == 0x74)
        wide_memory(&i, a, b);
    else if (a >> 9 == 0x75)
        wide_data(&i, a, b);
    else if (a >> 11 == 0x1e && !(b >> 15))
        wide_data(&i, a, b);
    else if (a >> 11 == 0x1e)
        wide_branch(&i, a, b);
    else if ((a & 0xff10) == 0xf900)
        i.class = COST_MEMORY;
    else if (a >> 9 == 0x7c)
        wide_memory(&i, a, b);
    else if (a >> 9 == 0x7d)
        wide_register(&i, a, b);
    return i;
}
