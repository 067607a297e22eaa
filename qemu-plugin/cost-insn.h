// SPDX-License-Identifier: GPL-2.0-or-later
/* What the pipeline model must know of an instruction; one decoder an instruction set. */
#ifndef BOOTLAB_COST_INSN_H
#define BOOTLAB_COST_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cost_class {
    COST_ALU,
    COST_MOVE,  /* a register or a constant into a register */
    COST_SHIFT, /* shifts, and ALU operations with a shifted operand */
    COST_MUL,
    COST_DIV,
    COST_MEMORY, /* a load or a store that computes nothing */
    COST_BRANCH,
    COST_SIMD,
    COST_FP, /* floating point, and multiplications of vectors */
    COST_FDIV,
    COST_CRYPTO, /* AES, SHA, CRC, carry-less multiplication */
    COST_ATOMIC,
    COST_STRING, /* one step of x86's repeated string instruction */
    COST_SYSTEM, /* control registers, barriers, maintenance of caches and TLBs, entry into the kernel */
    COST_PORT,   /* x86's in and out */
    COST_CLASSES,
};

/* How a block's last instruction goes on. */
enum cost_end { END_NONE, END_COND, END_JUMP, END_INDIRECT, END_CALL, END_CALL_INDIRECT, END_RETURN };

/* Register numbers: general ones from 0, vectors from REG_VECTOR, condition flags. */
enum { REG_VECTOR = 32, REG_FLAGS = 64, REG_NONE = 65, N_REGISTERS };

struct cost_insn {
    uint8_t class; /* enum cost_class */
    uint8_t end;   /* enum cost_end */
    uint8_t address[2];
    uint8_t source[3];
    uint8_t target[3];
    uint16_t list; /* general registers beside these that are loaded together (ARM's ldm) */
    uint16_t place, offset; /* in its block: which one, and how many bytes behind the start */
};

static inline struct cost_insn cost_insn_none(void)
{
    return (struct cost_insn){.address = {REG_NONE, REG_NONE},
                              .source = {REG_NONE, REG_NONE, REG_NONE},
                              .target = {REG_NONE, REG_NONE, REG_NONE}};
}

/* `n`: the instruction's whole length. What is not recognised is an ALU operation without registers. */
struct cost_insn cost_x86(const uint8_t *bytes, size_t n);
struct cost_insn cost_arm64(const uint8_t *bytes, size_t n);
struct cost_insn cost_a32(const uint8_t *bytes, size_t n);
struct cost_insn cost_t32(const uint8_t *bytes, size_t n);
struct cost_insn cost_riscv(const uint8_t *bytes, size_t n);

#endif
