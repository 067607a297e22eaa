// SPDX-License-Identifier: GPL-2.0-or-later
/* RISC-V, RV64GC. Source: the unprivileged specification (20240411), chapters 24 "Instruction listings" and 26 "C". */
#include "cost-insn.h"
#include "decode.h"

#define LINK 1
#define STACK 2

static uint8_t general(unsigned number)
{
    return (uint8_t)(number == 0 ? REG_NONE : number);
}

static void jump_to_register(struct cost_insn *i, unsigned into, unsigned from)
{
    i->class = COST_BRANCH;
    i->source[0] = general(from);
    i->target[0] = general(into);
    i->end = into ? END_CALL_INDIRECT : from == LINK || from == 5 ? END_RETURN : END_INDIRECT;
}

static void compressed(struct cost_insn *i, uint32_t h)
{
    unsigned op = h & 3, kind = h >> 13, full = h >> 7 & 31, other = h >> 2 & 31;
    uint8_t upper = (uint8_t)((h >> 7 & 7) + 8), lower = (uint8_t)((h >> 2 & 7) + 8);
    if (op == 0) {
        if (kind == 0) {
            i->source[0] = STACK;
            i->target[0] = lower;
            return;
        }
        uint8_t data = (uint8_t)(kind == 1 || kind == 5 ? REG_VECTOR + lower : lower);
        i->class = COST_MEMORY;
        i->address[0] = upper;
        *(kind < 4 ? &i->target[0] : &i->source[0]) = data;
    } else if (op == 2 && kind == 0) {
        i->class = COST_SHIFT;
        i->source[0] = i->target[0] = general(full);
    } else if (op == 2 && kind == 4) {
        if (!other) {
            jump_to_register(i, h >> 12 & 1, full);
        } else {
            i->class = h >> 12 & 1 ? COST_ALU : COST_MOVE;
            i->source[0] = general(other);
            i->source[1] = h >> 12 & 1 ? general(full) : REG_NONE;
            i->target[0] = general(full);
        }
    } else if (op == 2) {
        bool is_float = kind == 1 || kind == 5;
        i->class = COST_MEMORY;
        i->address[0] = STACK;
        if (kind < 4)
            i->target[0] = (uint8_t)(is_float ? REG_VECTOR + full : general(full));
        else
            i->source[0] = (uint8_t)(is_float ? REG_VECTOR + other : general(other));
    } else if (kind == 5) {
        i->class = COST_BRANCH;
        i->end = END_JUMP;
    } else if (kind >= 6) {
        i->class = COST_BRANCH;
        i->source[0] = upper;
        i->end = END_COND;
    } else if (kind == 4) {
        i->source[0] = i->target[0] = upper;
        i->source[1] = (h >> 10 & 3) == 3 ? lower : REG_NONE;
        i->class = (h >> 10 & 3) < 2 ? COST_SHIFT : COST_ALU;
    } else {
        bool is_constant = kind == 2 || (kind == 3 && full != STACK);
        i->class = is_constant ? COST_MOVE : COST_ALU;
        i->source[0] = is_constant ? REG_NONE : general(full);
        i->target[0] = general(full);
    }
}

struct cost_insn cost_riscv(const uint8_t *bytes, size_t n)
{
    struct cost_insn i = cost_insn_none();
    if (n == 2) {
        compressed(&i, decode_half(bytes));
        return i;
    }
    if (n != 4)
        return i;
    uint32_t w = decode_word(bytes);
    unsigned op = w >> 2 & 31, function = w >> 12 & 7;
    uint8_t into = general(w >> 7 & 31), one = general(w >> 15 & 31), two = general(w >> 20 & 31);
    bool is_float = op == 1 || op == 9;
    i.target[0] = into;
    i.source[0] = one;
    switch (op) {
    case 0:
    case 1:
        i.class = COST_MEMORY;
        i.address[0] = one;
        i.source[0] = REG_NONE;
        i.target[0] = is_float ? (uint8_t)(REG_VECTOR + (w >> 7 & 31)) : into;
        break;
    case 8:
    case 9:
        i.class = COST_MEMORY;
        i.address[0] = one;
        i.source[0] = is_float ? (uint8_t)(REG_VECTOR + (w >> 20 & 31)) : two;
        i.target[0] = REG_NONE;
        break;
    case 3: /* fence */
        i.class = COST_SYSTEM;
        i.target[0] = i.source[0] = REG_NONE;
        break;
    case 4:
    case 6:
        i.class = function == 1 || function == 5 ? COST_SHIFT : one == REG_NONE ? COST_MOVE : COST_ALU;
        break;
    case 5:
    case 13:
        i.class = COST_MOVE;
        i.source[0] = REG_NONE;
        break;
    case 11:
        i.class = COST_ATOMIC;
        i.address[0] = one;
        i.source[0] = two;
        break;
    case 12:
    case 14:
        i.source[1] = two;
        i.class = w >> 25 == 1 ? (function >= 4 ? COST_DIV : COST_MUL) : function == 1 || function == 5 ? COST_SHIFT : COST_ALU;
        break;
    case 24:
        i.class = COST_BRANCH;
        i.source[1] = two;
        i.target[0] = REG_NONE;
        i.end = END_COND;
        break;
    case 25:
        jump_to_register(&i, w >> 7 & 31, w >> 15 & 31);
        break;
    case 27:
        i.class = COST_BRANCH;
        i.source[0] = REG_NONE;
        i.end = into == REG_NONE ? END_JUMP : END_CALL;
        break;
    case 28:
        /* Another table of pages (satp) may come without a fence, where each process has its identifier. */
        i.class = function && w >> 20 != 0x180 ? COST_SHIFT : COST_SYSTEM;
        i.end = w == 0x30200073 || w == 0x10200073 ? END_INDIRECT : END_NONE;
        break;
    default:
        i.class = op >= 16 && op <= 20 ? (w >> 27 == 3 || w >> 27 == 11 ? COST_FDIV : COST_FP) : COST_ALU;
        i.source[0] = (uint8_t)(REG_VECTOR + (w >> 15 & 31));
        i.source[1] = (uint8_t)(REG_VECTOR + (w >> 20 & 31));
        i.target[0] = (uint8_t)(REG_VECTOR + (w >> 7 & 31));
    }
    return i;
}
