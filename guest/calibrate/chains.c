// SPDX-License-Identifier: MIT
/* Classes of instructions: what a chain of dependent ones takes each, and what independent ones take. */
#include "measure.h"
#include "words.h"

#define PAGE 4096
#define TIMES(n, body) ".rept " #n "\n" body ".endr\n"
#define EIGHT(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define FOUR(op) op(0) op(1) op(2) op(3)
#define SIX(op) FOUR(op) op(4) op(5)
#define START_FLOAT(d) FLOAT_LOAD(d, 0)
#define LOAD_FLOATS SIX(START_FLOAT) FLOAT_LOAD(6, 8) FLOAT_LOAD(7, 16)

static uint64_t page[PAGE / 8] __attribute__((aligned(PAGE)));
static unsigned long odd = 5, first = 3;

/* `before` is executed once: what a chain carries on must not begin anew each turn. */
#define WORK(name, before, body, ...)                                                                                  \
	static void name(unsigned long n, void *with)                                                                  \
	{                                                                                                              \
		unsigned long a = first, b = 3, c = 3, d = 3, e = 3, f = 3, g = 3, h = 3;                              \
		__asm__ volatile(before : : "r"(odd), "r"(with) : "memory", "cc", ##__VA_ARGS__);                      \
		for (; n; n--)                                                                                         \
			__asm__ volatile(body                                                                          \
					 : "+&r"(a), "+&r"(b), "+&r"(c), "+&r"(d), "+&r"(e), "+&r"(f), "+&r"(g),       \
					   "+&r"(h)                                                                    \
					 : "r"(odd), "r"(with)                                                         \
					 : "memory", "cc", ##__VA_ARGS__);                                             \
	}

WORK(add_chain, "", TIMES(64, ADD(0)))
WORK(add_many, "", TIMES(8, EIGHT(ADD)))
WORK(nop_many, "", TIMES(64, "nop\n"))
WORK(mix_many, "", TIMES(8, ADD(0) LOAD(1, 0) ADD(2) STORE(3, 128) ADD(4) LOAD(5, 64) ADD(6) MOVE(7, 3)))
WORK(move_chain, "", TIMES(32, MOVE(1, 0) MOVE(0, 1)))
WORK(shift_chain, "", TIMES(64, SHIFT(0)))
WORK(mul_chain, "", TIMES(64, MULTIPLY(0)))
WORK(mul_many, "", TIMES(8, EIGHT(MULTIPLY)))
WORK(atomic_chain, "", TIMES(16, ATOMIC))
WORK(load_many, "", TIMES(8, LOAD(0, 0) LOAD(1, 64) LOAD(2, 128) LOAD(3, 192) LOAD(4, 256) LOAD(5, 320) LOAD(6, 384) LOAD(7, 448)))
WORK(unaligned_many, "", TIMES(8, LOAD(0, 61) LOAD(1, 125) LOAD(2, 189) LOAD(3, 253) LOAD(4, 61) LOAD(5, 125) LOAD(6, 189) LOAD(7, 253)))
WORK(store_many, "", TIMES(8, STORE(0, 0) STORE(1, 64) STORE(2, 128) STORE(3, 192) STORE(4, 256) STORE(5, 320) STORE(6, 384) STORE(7, 448)))
WORK(forward_chain, "", TIMES(32, STORE(0, 0) LOAD(0, 0)))
WORK(skip_many, "", BEFORE_SKIPS TIMES(64, SKIP) "9:\n")
WORK(jump_many, "", TIMES(8, ADD(0) ADD(1) ADD(2) ADD(3) ADD(4) ADD(5) ADD(6) JUMP))
WORK(float_add_chain, LOAD_FLOATS, TIMES(64, FLOAT_ADD(0)), FLOATS)
WORK(float_multiply_chain, LOAD_FLOATS, TIMES(32, FLOAT_MULTIPLY(0)), FLOATS)
WORK(float_add_many, LOAD_FLOATS, TIMES(10, SIX(FLOAT_ADD)), FLOATS)
WORK(float_divide_chain, LOAD_FLOATS, TIMES(8, FLOAT_DIVIDE(0)), FLOATS)
WORK(float_divide_many, LOAD_FLOATS, TIMES(4, FOUR(FLOAT_DIVIDE)), FLOATS)

#ifdef DIVIDE_CHANGES
WORK(div_chain, "", TIMES(16, DIVIDE(0)), DIVIDE_CHANGES)
WORK(div_many, "", TIMES(4, FOUR(DIVIDE)), DIVIDE_CHANGES)
#else
WORK(div_chain, "", TIMES(16, DIVIDE(0)))
WORK(div_many, "", TIMES(4, FOUR(DIVIDE)))
#endif
#ifdef VECTOR
WORK(vector_chain, LOAD_FLOATS, TIMES(64, VECTOR(0)), FLOATS)
WORK(vector_many, LOAD_FLOATS, TIMES(8, EIGHT(VECTOR)), FLOATS)
#endif
#ifdef AES
WORK(aes_chain, LOAD_FLOATS, TIMES(64, AES(0)), FLOATS)
WORK(aes_many, LOAD_FLOATS, TIMES(10, SIX(AES)), FLOATS)
WORK(crc_chain, "", TIMES(64, CRC(0)))
WORK(crc_many, "", TIMES(8, EIGHT(CRC)))
#endif

static void one(const char *name, work *does, uint64_t each)
{
	report(name, NULL, 0, OF_PROCESSOR, does, page, each);
}

/* What every processor of the architecture has not: bit, name. */
#if defined(__x86_64__)
static bool has(const char *what)
{
	unsigned a = 1, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return HAS(c, alike(what, "aes") ? 25 : alike(what, "crc") ? 20 : 0) || alike(what, "div");
}
#elif defined(__aarch64__)
static bool has(const char *what)
{
	return alike(what, "div") || HAS(hardware, alike(what, "aes") ? 3 : 7);
}
#elif defined(__arm__)
static bool has(const char *what)
{
	return HAS(hardware, alike(what, "div") ? 17 : 12);
}
#else
static bool has(const char *what)
{
	return alike(what, "div");
}
#endif

static void divisions(void)
{
	if (!has("div")) {
		unknown("div_chain", "the processor has no division");
		return;
	}
	/* The quotients go to and fro: N / 3, and 3. */
	odd = 100;
	first = 7;
	report("div_chain", "large", 0, OF_PROCESSOR, div_chain, page, 16);
	odd = ~0ul / 16 * 15;
	first = 3;
	report("div_chain", "large", 1, OF_PROCESSOR, div_chain, page, 16);
	odd = 100;
	report("div_many", NULL, 0, OF_PROCESSOR, div_many, page, 16);
	odd = 5;
}

static void vectors(void)
{
#if defined(VECTOR)
#if defined(__arm__)
	if (!has("neon")) {
		unknown("vector_chain", "the processor has no NEON");
		return;
	}
#endif
	one("vector_chain", vector_chain, 64);
	one("vector_many", vector_many, 64);
#else
	unknown("vector_chain", "no vectors are measured on this architecture");
#endif
#ifdef AES
	if (has("aes")) {
		one("aes_chain", aes_chain, 64);
		one("aes_many", aes_many, 60);
	} else {
		unknown("aes_chain", "the processor has no instruction for AES");
	}
	if (has("crc")) {
		one("crc_chain", crc_chain, 64);
		one("crc_many", crc_many, 64);
	}
#else
	unknown("aes_chain", "no instruction for AES is measured on this architecture");
#endif
}

void measure_chains(void)
{
	static const double constants[] = {1.0, 3.3, 1 / 3.3};

	memcpy(page, constants, sizeof constants);
	one("add_chain", add_chain, 64);
	one("add_many", add_many, 64);
	one("nop_many", nop_many, 64);
	one("mix_many", mix_many, 64);
	one("move_chain", move_chain, 64);
	one("shift_chain", shift_chain, 64);
	one("mul_chain", mul_chain, 64);
	one("mul_many", mul_many, 64);
	divisions();
	one("atomic_chain", atomic_chain, 16 * ATOMIC_INSTRUCTIONS);
	memcpy(page, constants, sizeof constants);
	one("load_many", load_many, 64);
	one("unaligned_many", unaligned_many, 64);
	one("store_many", store_many, 64);
	one("forward_chain", forward_chain, 32);
	memcpy(page, constants, sizeof constants);
	one("skip_many", skip_many, 64);
	one("jump_many", jump_many, 8);
	one("float_add_chain", float_add_chain, 64);
	one("float_multiply_chain", float_multiply_chain, 64);
	one("float_add_many", float_add_many, 60);
	one("float_divide_chain", float_divide_chain, 16);
	one("float_divide_many", float_divide_many, 32);
	vectors();
	/* Once more: a clock that changed meanwhile is seen. */
	one("add_chain", add_chain, 64);
}
