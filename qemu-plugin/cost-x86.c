// SPDX-License-Identifier: GPL-2.0-or-later
/* x86 in 64-bit mode; other modes nearly. Source: Intel SDM vol. 2, chapter 2 and appendix A (opcode maps). */
#include "cost-insn.h"

struct x86 {
    const uint8_t *at, *end;
    uint8_t rex; /* bits W R X B; of VEX and EVEX too */
    uint8_t prefix; /* 0x66, 0xf2 or 0xf3 */
    uint8_t vex_source; /* VEX.vvvv, or REG_NONE */
    uint8_t map; /* 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A */
    uint8_t opcode;
    bool lock, is_vex, is_memory;
    uint8_t mod, reg, rm, address[2];
};

static uint8_t byte(struct x86 *x)
{
    return x->at < x->end ? *x->at++ : 0;
}

static void vex_fields(struct x86 *x, uint8_t rxb, uint8_t wvp)
{
    static const uint8_t prefixes[4] = {0, 0x66, 0xf3, 0xf2};
    x->is_vex = true;
    x->rex = (uint8_t)((~rxb >> 5 & 7) | (wvp >> 7) << 3);
    x->vex_source = (uint8_t)(~wvp >> 3 & 15);
    x->prefix = prefixes[wvp & 3];
}

static bool prefixes(struct x86 *x)
{
    for (;;) {
        uint8_t b = byte(x);
        if (b == 0xf0) {
            x->lock = true;
        } else if (b == 0x66 || b == 0xf2 || b == 0xf3) {
            if (b != 0x66 || !x->prefix)
                x->prefix = b;
        } else if (b != 0x67 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26 && b != 0x64 && b != 0x65) {
            x->opcode = b;
            break;
        }
        if (x->at >= x->end)
            return false;
    }
    if ((x->opcode & 0xf0) == 0x40) {
        x->rex = x->opcode & 15;
        x->opcode = byte(x);
    }
    if ((x->opcode == 0xc4 || x->opcode == 0xc5 || x->opcode == 0x62) && x->end - x->at >= 3) {
        uint8_t kind = x->opcode, first = byte(x);
        if (kind == 0xc5) {
            vex_fields(x, first | 0x60, first & 0x7f);
            x->map = 1;
        } else {
            x->map = first & (kind == 0x62 ? 7 : 31);
            vex_fields(x, first, byte(x));
            if (kind == 0x62)
                byte(x);
        }
        x->opcode = byte(x);
        return true;
    }
    if (x->opcode != 0x0f)
        return true;
    x->map = 1;
    x->opcode = byte(x);
    if (x->opcode == 0x38 || x->opcode == 0x3a) {
        x->map = x->opcode == 0x38 ? 2 : 3;
        x->opcode = byte(x);
    }
    return true;
}

static void modrm(struct x86 *x)
{
    uint8_t m = byte(x);
    x->mod = m >> 6;
    x->reg = (uint8_t)((m >> 3 & 7) | (x->rex & 4) << 1);
    x->rm = (uint8_t)((m & 7) | (x->rex & 1) << 3);
    x->is_memory = x->mod != 3;
    if (!x->is_memory)
        return;
    if ((m & 7) != 4) {
        if (!(x->mod == 0 && (m & 7) == 5))
            x->address[0] = x->rm;
        return;
    }
    uint8_t sib = byte(x), index = (uint8_t)((sib >> 3 & 7) | (x->rex & 2) << 2);
    if (!(x->mod == 0 && (sib & 7) == 5))
        x->address[0] = (uint8_t)((sib & 7) | (x->rex & 1) << 3);
    if (index != 4)
        x->address[1] = index;
}

enum { INTO_RM = 1, INTO_REG = 2, FROM_RM = 4, FROM_REG = 8, SETS_FLAGS = 16, TAKES_FLAGS = 32 };

static void operands(struct cost_insn *i, struct x86 *x, unsigned how, uint8_t base)
{
    modrm(x);
    i->address[0] = x->address[0];
    i->address[1] = x->address[1];
    uint8_t rm = x->is_memory ? REG_NONE : (uint8_t)(x->rm + base), reg = (uint8_t)(x->reg + base);
    if (how & FROM_RM)
        i->source[0] = rm;
    if (how & FROM_REG)
        i->source[1] = reg;
    if (how & TAKES_FLAGS)
        i->source[2] = REG_FLAGS;
    if (how & INTO_RM)
        i->target[0] = rm;
    if (how & INTO_REG)
        i->target[0] = reg;
    if (how & SETS_FLAGS)
        i->target[1] = REG_FLAGS;
}

static void alu(struct cost_insn *i, struct x86 *x)
{
    unsigned kind = x->opcode >> 3 & 7, form = x->opcode & 7;
    unsigned flags = SETS_FLAGS | (kind == 2 || kind == 3 ? TAKES_FLAGS : 0);
    if (form >= 4) {
        i->source[0] = 0;
        i->target[0] = kind == 7 ? REG_NONE : 0;
        i->target[1] = REG_FLAGS;
        i->source[2] = flags & TAKES_FLAGS ? REG_FLAGS : REG_NONE;
        return;
    }
    unsigned into = kind == 7 ? 0 : form < 2 ? INTO_RM : INTO_REG;
    operands(i, x, into | FROM_RM | FROM_REG | flags, 0);
    if (!x->is_memory && x->rm == x->reg && (kind == 6 || kind == 5)) {
        i->source[0] = i->source[1] = REG_NONE; /* the usual way to write 0 */
        i->class = COST_MOVE;
    }
}

static void group(struct cost_insn *i, struct x86 *x)
{
    uint8_t o = x->opcode, kind = x->at < x->end ? *x->at >> 3 & 7 : 0;
    if (o <= 0x83) {
        unsigned flags = SETS_FLAGS | (kind == 2 || kind == 3 ? TAKES_FLAGS : 0);
        operands(i, x, FROM_RM | (kind == 7 ? 0 : INTO_RM) | flags, 0);
    } else if (o == 0xf6 || o == 0xf7) {
        operands(i, x, FROM_RM | (kind == 2 || kind == 3 ? INTO_RM : 0) | (kind == 2 ? 0 : SETS_FLAGS), 0);
        if (kind >= 4) {
            i->class = kind >= 6 ? COST_DIV : COST_MUL;
            i->source[1] = 0;
            i->source[2] = kind >= 6 ? 2 : REG_NONE;
            i->target[0] = 0;
            i->target[2] = 2;
        }
    } else if (kind == 2 || kind == 3) {
        operands(i, x, FROM_RM, 0);
        i->class = COST_BRANCH;
        i->end = END_CALL_INDIRECT;
    } else if (kind == 4 || kind == 5) {
        operands(i, x, FROM_RM, 0);
        i->class = COST_BRANCH;
        i->end = END_INDIRECT;
    } else {
        operands(i, x, FROM_RM | (kind < 2 ? INTO_RM | SETS_FLAGS : 0), 0);
        i->class = kind < 2 ? COST_ALU : COST_MEMORY;
    }
}

static void one_byte(struct cost_insn *i, struct x86 *x)
{
    uint8_t o = x->opcode, low = (uint8_t)((o & 7) | (x->rex & 1) << 3);
    if (o < 0x40 && (o & 7) < 6) {
        alu(i, x);
    } else if ((o & 0xf8) == 0x50 || o == 0x68 || o == 0x6a) { /* the stack's engine keeps rsp */
        i->class = COST_MEMORY;
        i->source[0] = (o & 0xf8) == 0x50 ? low : REG_NONE;
    } else if ((o & 0xf8) == 0x58) {
        i->class = COST_MEMORY;
        i->target[0] = low;
    } else if (o == 0x63) {
        operands(i, x, INTO_REG | FROM_RM, 0);
    } else if (o == 0x69 || o == 0x6b) {
        operands(i, x, INTO_REG | FROM_RM | SETS_FLAGS, 0);
        i->class = COST_MUL;
    } else if ((o & 0xf0) == 0x70 || (o >= 0xe0 && o <= 0xe3)) {
        i->class = COST_BRANCH;
        i->source[0] = REG_FLAGS;
        i->end = END_COND;
    } else if ((o >= 0x80 && o <= 0x83) || o == 0xf6 || o == 0xf7 || o >= 0xfe) {
        group(i, x);
    } else if (o == 0x84 || o == 0x85) {
        operands(i, x, FROM_RM | FROM_REG | SETS_FLAGS, 0);
    } else if (o == 0x86 || o == 0x87) {
        operands(i, x, FROM_RM | FROM_REG | INTO_RM, 0);
        i->target[2] = x->reg;
        i->class = x->is_memory ? COST_ATOMIC : COST_ALU;
    } else if (o >= 0x88 && o <= 0x8b) {
        operands(i, x, o < 0x8a ? INTO_RM | FROM_REG : INTO_REG | FROM_RM, 0);
        i->class = x->is_memory ? COST_MEMORY : COST_MOVE;
    } else if (o == 0x8d) {
        operands(i, x, INTO_REG, 0);
        i->source[0] = i->address[0];
        i->source[1] = i->address[1];
        i->address[0] = i->address[1] = REG_NONE;
    } else if (o == 0x8f) {
        operands(i, x, INTO_RM, 0);
        i->class = COST_MEMORY;
    } else if (o == 0x90) {
        i->class = COST_MOVE;
    } else if (o > 0x90 && o <= 0x97) {
        i->source[0] = i->target[0] = 0;
        i->source[1] = i->target[2] = low;
    } else if (o == 0x98 || o == 0x99) {
        i->source[0] = 0;
        i->target[0] = o == 0x98 ? 0 : 2;
    } else if (o == 0x9c || o == 0x9d || o == 0xcc || o == 0xcd || o == 0xcf) {
        i->class = COST_SYSTEM;
        i->end = o == 0xcf ? END_INDIRECT : END_NONE;
    } else if ((o >= 0xa4 && o <= 0xa7) || (o >= 0xaa && o <= 0xaf) || (o >= 0x6c && o <= 0x6f)) {
        i->class = o < 0xa0 ? COST_PORT : x->prefix >= 0xf2 ? COST_STRING : COST_MEMORY;
        if (i->class == COST_MEMORY)
            i->address[0] = 6;
    } else if (o >= 0xa0 && o <= 0xa3) {
        i->class = COST_MEMORY;
        i->target[0] = o < 0xa2 ? 0 : REG_NONE;
    } else if (o == 0xa8 || o == 0xa9) {
        i->source[0] = 0;
        i->target[1] = REG_FLAGS;
    } else if ((o & 0xf0) == 0xb0) {
        i->class = COST_MOVE;
        i->target[0] = low;
    } else if (o == 0xc0 || o == 0xc1 || (o >= 0xd0 && o <= 0xd3)) {
        operands(i, x, INTO_RM | FROM_RM | SETS_FLAGS, 0);
        i->source[1] = o == 0xd2 || o == 0xd3 ? 1 : REG_NONE;
        i->class = COST_SHIFT;
    } else if (o == 0xc2 || o == 0xc3 || o == 0xca || o == 0xcb) {
        i->class = COST_BRANCH;
        i->end = END_RETURN;
    } else if (o == 0xc6 || o == 0xc7) {
        operands(i, x, INTO_RM, 0);
        i->class = x->is_memory ? COST_MEMORY : COST_MOVE;
    } else if (o == 0xc9) {
        i->class = COST_MEMORY;
        i->address[0] = i->target[0] = 5;
    } else if (o >= 0xd8 && o <= 0xdf) {
        operands(i, x, 0, 0);
        i->class = COST_FP;
        i->source[0] = i->target[0] = REG_VECTOR + 16;
    } else if (o == 0xe8 || o == 0xe9 || o == 0xeb) {
        i->class = COST_BRANCH;
        i->end = o == 0xe8 ? END_CALL : END_JUMP;
    } else if ((o >= 0xe4 && o <= 0xe7) || (o >= 0xec && o <= 0xef)) {
        i->class = COST_PORT;
    } else if (o == 0xf4) {
        i->class = COST_SYSTEM;
    }
}

static bool is_store_of_vector(uint8_t o)
{
    return o == 0x11 || o == 0x13 || o == 0x17 || o == 0x29 || o == 0x2b || o == 0x7e || o == 0x7f || o == 0xd6 ||
           o == 0xe7;
}

static void vector(struct cost_insn *i, struct x86 *x)
{
    uint8_t o = x->opcode;
    bool is_move = (o >= 0x10 && o <= 0x17 && o != 0x14 && o != 0x15) || o == 0x28 || o == 0x29 || o == 0x2b ||
                   o == 0x6e || o == 0x6f || o == 0x7e || o == 0x7f || o == 0xd6 || o == 0xe7 || o == 0xf0;
    i->class = COST_SIMD;
    if (is_move && is_store_of_vector(o) && !(o == 0x7e && x->prefix == 0xf3)) {
        operands(i, x, FROM_REG, REG_VECTOR);
        i->target[0] = x->is_memory ? REG_NONE : o == 0x7e ? x->rm : (uint8_t)(REG_VECTOR + x->rm);
        i->class = x->is_memory ? COST_MEMORY : COST_SIMD;
        return;
    }
    bool takes = !is_move && !x->is_vex && o != 0x70 && !(o >= 0x5a && o <= 0x5b);
    operands(i, x, INTO_REG | FROM_RM | (takes ? FROM_REG : 0), REG_VECTOR);
    i->source[2] = x->is_vex && !is_move ? (uint8_t)(REG_VECTOR + x->vex_source) : REG_NONE;
    if (o == 0x6e || o == 0x2a)
        i->source[0] = x->is_memory ? REG_NONE : x->rm;
    if (o == 0xd7 || o == 0x50 || o == 0x2c || o == 0x2d)
        i->target[0] = x->reg;
    if (o == 0x2e || o == 0x2f) {
        i->target[0] = REG_NONE;
        i->target[1] = REG_FLAGS;
        i->source[1] = (uint8_t)(REG_VECTOR + x->reg);
    }
    if (is_move && x->is_memory)
        i->class = COST_MEMORY;
    else if (o == 0x5e || o == 0x51)
        i->class = COST_FDIV;
    else if ((o >= 0x58 && o <= 0x5f && o != 0x5b) || (o >= 0x2a && o <= 0x2d) || o == 0xd5 || o == 0xe4 || o == 0xe5 ||
             o == 0xf4 || o == 0xf5 || o == 0xf6)
        i->class = COST_FP;
    else if (!x->is_memory && x->rm == x->reg && (o == 0xef || o == 0x57))
        i->source[0] = i->source[1] = REG_NONE;
}

static void two_bytes(struct cost_insn *i, struct x86 *x)
{
    uint8_t o = x->opcode;
    if (x->is_vex && !(o == 0x77 || o == 0xae || (o >= 0x90 && o <= 0x9f) || (o >= 0x41 && o <= 0x4b))) {
        vector(i, x);
    } else if (o <= 0x0d || (o >= 0x20 && o <= 0x23) || (o >= 0x30 && o <= 0x37) || o == 0xa2 || o == 0xa0 || o == 0xa8) {
        bool is_clock = o == 0x31 || o == 0x0d;
        i->class = is_clock ? COST_ALU : COST_SYSTEM;
        i->end = o == 0x05 || o == 0x07 || o == 0x34 || o == 0x35 ? END_INDIRECT : END_NONE;
    } else if (o >= 0x18 && o <= 0x1f) {
        operands(i, x, 0, 0);
        i->class = COST_MOVE;
        i->address[0] = i->address[1] = REG_NONE;
    } else if ((o & 0xf0) == 0x40) {
        operands(i, x, INTO_REG | FROM_RM | FROM_REG | TAKES_FLAGS, 0);
    } else if ((o & 0xf0) == 0x80) {
        i->class = COST_BRANCH;
        i->source[0] = REG_FLAGS;
        i->end = END_COND;
    } else if ((o & 0xf0) == 0x90) {
        operands(i, x, INTO_RM | FROM_RM | TAKES_FLAGS, 0);
    } else if (o == 0xa3 || o == 0xab || o == 0xb3 || o == 0xbb || o == 0xba) {
        operands(i, x, (o == 0xa3 ? 0 : INTO_RM) | FROM_RM | FROM_REG | SETS_FLAGS, 0);
    } else if (o == 0xa4 || o == 0xa5 || o == 0xac || o == 0xad) {
        operands(i, x, INTO_RM | FROM_RM | FROM_REG | SETS_FLAGS, 0);
        i->class = COST_MUL; /* three cycles where it is fast */
    } else if (o == 0xae) {
        operands(i, x, 0, 0);
        i->class = x->is_memory || x->mod == 3 ? COST_SYSTEM : COST_ALU;
    } else if (o == 0xaf) {
        operands(i, x, INTO_REG | FROM_RM | FROM_REG | SETS_FLAGS, 0);
        i->class = COST_MUL;
    } else if (o == 0xb0 || o == 0xb1 || o == 0xc0 || o == 0xc1) {
        operands(i, x, INTO_RM | FROM_RM | FROM_REG | SETS_FLAGS, 0);
        i->target[2] = o < 0xc0 ? 0 : x->reg;
    } else if (o == 0xb6 || o == 0xb7 || o == 0xbe || o == 0xbf) {
        operands(i, x, INTO_REG | FROM_RM, 0);
        i->class = x->is_memory ? COST_MEMORY : COST_ALU;
    } else if (o == 0xb8 || o == 0xbc || o == 0xbd) {
        operands(i, x, INTO_REG | FROM_RM | SETS_FLAGS, 0);
        i->class = COST_MUL; /* three cycles where it is fast */
    } else if (o == 0xc7) {
        operands(i, x, FROM_RM | SETS_FLAGS, 0);
        i->class = x->is_memory ? COST_ATOMIC : COST_SYSTEM;
    } else if ((o & 0xf8) == 0xc8) {
        i->source[0] = i->target[0] = (uint8_t)((o & 7) | (x->rex & 1) << 3);
    } else if ((o >= 0x10 && o <= 0x17) || (o >= 0x28 && o <= 0x2f) || (o >= 0x50 && o <= 0x7f) || o >= 0xc2) {
        vector(i, x);
    }
}

static void three_bytes(struct cost_insn *i, struct x86 *x)
{
    uint8_t o = x->opcode;
    bool general = x->map == 2 ? o >= 0xf0 && o <= 0xf7 : o == 0xf0;
    if (!general) {
        vector(i, x);
        i->class = x->map == 2 && ((o >= 0xc8 && o <= 0xcd) || (o >= 0xdb && o <= 0xdf)) ? COST_CRYPTO
                   : x->map == 3 && (o == 0x44 || o == 0xcc || o == 0xdf)                ? COST_CRYPTO
                   : x->map == 2 && ((o >= 0x96 && o <= 0xbf) || o == 0x04 || o == 0x28 || o == 0x40) ? COST_FP
                                                                                          : COST_SIMD;
        return;
    }
    bool is_crc = !x->is_vex && x->prefix == 0xf2, is_store = !x->is_vex && !is_crc && o == 0xf1;
    operands(i, x, is_store ? FROM_REG | INTO_RM : INTO_REG | FROM_RM | (is_crc ? FROM_REG : 0), 0);
    if (x->is_vex && x->map == 2)
        i->source[2] = x->vex_source;
    i->class = is_crc ? COST_CRYPTO : !x->is_vex ? COST_MEMORY : o == 0xf6 || o == 0xf5 ? COST_MUL : COST_ALU;
}

struct cost_insn cost_x86(const uint8_t *bytes, size_t n)
{
    struct cost_insn i = cost_insn_none();
    struct x86 x = {.at = bytes, .end = bytes + n, .vex_source = REG_NONE, .address = {REG_NONE, REG_NONE}};
    if (!n || !prefixes(&x))
        return i;
    if (x.map == 0)
        one_byte(&i, &x);
    else if (x.map == 1)
        two_bytes(&i, &x);
    else if (x.map <= 3)
        three_bytes(&i, &x);
    else
        i.class = COST_SIMD;
    if (x.lock)
        i.class = COST_ATOMIC;
    return i;
}
