// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's instructions that take the place of some of QEMU's: jumps to anywhere, and calls. For x86-64 (Intel SDM vol. 2)
 * and AArch64 (Arm ARM, C6.2). On other hosts nothing can be redirected, and nothing is.
 */
#ifndef HOST_CODE_H
#define HOST_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __x86_64__
#define HOST_JUMP_BYTES 13
#define HOST_CALL_BYTES 5
#define HOST_ALIGN 1
#define HOST_REACH 0x70000000ul /* of a call, and room to spare */
#elif defined __aarch64__ && !defined __AARCH64EB__
#define HOST_JUMP_BYTES 20
#define HOST_CALL_BYTES 4
#define HOST_ALIGN 4
#define HOST_REACH 0x7000000ul
#else
#define HOST_JUMP_BYTES 1
#define HOST_CALL_BYTES 1
#define HOST_ALIGN 1
#define HOST_REACH 0ul
#endif

enum host_transfer { HOST_NEITHER, HOST_CALL, HOST_JUMP };

/* Why this host is none of them, or NULL. */
const char *host_unknown(void);

/* A jump to a function that may be anywhere; may begin a function. It changes one register that callees may change. */
void host_jump(uint8_t code[HOST_JUMP_BYTES], const void *to);

/* A call at `at`, which is at most HOST_REACH away from `to`. */
void host_call(uint8_t code[HOST_CALL_BYTES], const uint8_t *at, const void *to);

/* Whether the instruction at `at` (HOST_CALL_BYTES can be read) calls or jumps to `to` directly. */
enum host_transfer host_transfer(const uint8_t *at, const void *to);

/* Writes over code that no other thread executes. False: the host does not let a program change its own code. */
bool host_write(uint8_t *at, const uint8_t *code, size_t n);

#endif
