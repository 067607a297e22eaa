// SPDX-License-Identifier: MIT
/* The kernel, without a C library: calls, memory, and lines that survive a noisy console. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef STARTS_HERE
#define STARTED_ELSEWHERE
#endif
#include "../late/start.h"

#if defined(__arm__)
#define MMAP SYS_mmap2
#else
#define MMAP SYS_mmap
#endif

enum clock { OF_WALL = 1, OF_PROCESSOR = 2 }; /* CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID */

/* Nanoseconds. */
uint64_t now(enum clock clock);

/* Anonymous memory, or NULL. `runs`: code may be executed in it. */
void *memory(size_t bytes, bool runs);
void give_back(void *at, size_t bytes);

/* No C library, and for 32-bit ARM no division either. */
uint64_t divided(uint64_t by_what, uint64_t by);
uint64_t drawn(uint64_t *seed); /* xorshift64 */
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
size_t length(const char *text);
bool alike(const char *a, const char *b);

/* Read a small file as text, one line, ends replaced. Empty where there is none. */
const char *first_words(const char *path, char *into, size_t size);

/* A line: begin, words, end. Each has a number and a CRC-32; the whole is kept to be written twice. */
void line(const char *name);
void text(const char *key, const char *value);
void number(const char *key, uint64_t value);
void end_line(void);
void unknown(const char *name, const char *why);
void write_all(bool twice);

#define HAS(word, bit) ((word) >> (bit) & 1)
extern unsigned long hardware; /* AT_HWCAP */

#endif
