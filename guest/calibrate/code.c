// SPDX-License-Identifier: MIT
/*
 * What code that is written here and then executed tells: how many instructions a processor has in flight, how many
 * stores it keeps, how many pages of code its TLB knows, and whether it translates code before it runs (an emulator).
 */
#include "measure.h"

#define PAGE_BYTES 4096u
#define CODE_BYTES (2u << 20)
#define FRESH_INSTRUCTIONS 480u
#define FRESH_TRIES 8
#define MOST_FILLERS 640

/* Words of the instruction set. Of each: [p] is a pointer's place, a and b are registers, c is neither. */
#if defined(__x86_64__)
static const uint8_t load_a[] = {0x48, 0x8b, 0x07}, follow_a[] = {0x48, 0x8b, 0x00}, load_b[] = {0x48, 0x8b, 0x4f, 0x08},
		     follow_b[] = {0x48, 0x8b, 0x09}, store_a[] = {0x48, 0x89, 0x07}, store_b[] = {0x48, 0x89, 0x4f, 0x08},
		     ret[] = {0xc3}, compute[] = {0x8d, 0x56, 0x01}, keep_c[] = {0x89, 0x77, 0x10}, use_a[] = {0x8d, 0x50, 0x01};
#else
#if defined(__aarch64__)
enum { LOAD_A = 0xf9400001, FOLLOW_A = 0xf9400021, LOAD_B = 0xf9400402, FOLLOW_B = 0xf9400042, STORE_A = 0xf9000001,
       STORE_B = 0xf9000402, RET = 0xd65f03c0, COMPUTE = 0x91000483, KEEP_C = 0xf9000804, USE_A = 0x91000423 };
#elif defined(__arm__)
enum { LOAD_A = 0xe5901000, FOLLOW_A = 0xe5911000, LOAD_B = 0xe5902004, FOLLOW_B = 0xe5922000, STORE_A = 0xe5801000,
       STORE_B = 0xe5802004, RET = 0xe12fff1e, COMPUTE = 0xe2803001, KEEP_C = 0xe5803008, USE_A = 0xe2813001 };
#else
enum { LOAD_A = 0x00053583, FOLLOW_A = 0x0005b583, LOAD_B = 0x00853603, FOLLOW_B = 0x00063603, STORE_A = 0x00b53023,
       STORE_B = 0x00c53423, RET = 0x00008067, COMPUTE = 0x00150693, KEEP_C = 0x00a53823, USE_A = 0x00158693 };
#endif
#define WORD(name, value) static const uint32_t name[] = {(uint32_t)(value)}
WORD(load_a, LOAD_A);
WORD(follow_a, FOLLOW_A);
WORD(load_b, LOAD_B);
WORD(follow_b, FOLLOW_B);
WORD(store_a, STORE_A);
WORD(store_b, STORE_B);
WORD(ret, RET);
WORD(compute, COMPUTE);
WORD(keep_c, KEEP_C);
WORD(use_a, USE_A);
#endif

struct piece {
	const void *bytes;
	size_t n;
};
#define PIECE(name) ((struct piece){name, sizeof name})

typedef void code(void **two, unsigned long c);

static char *area, *next;

static void put(struct piece p)
{
	for (size_t i = 0; i < p.n; i++)
		*next++ = ((const char *)p.bytes)[i];
}

static void put_times(struct piece p, unsigned n)
{
	while (n--)
		put(p);
}

/* Of x86 nothing is asked: it sees what was written. */
static void sync(char *from, char *to)
{
#if defined(__aarch64__)
	for (char *at = from; at < to; at += 16)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish");
	for (char *at = from; at < to; at += 16)
		__asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish\nisb");
#elif defined(__arm__)
	call_kernel(0xf0002, (long)from, (long)to, 0, 0, 0); /* __ARM_NR_cacheflush */
#elif defined(__riscv)
	call_kernel(259, (long)from, (long)to, 0, 0, 0); /* riscv_flush_icache */
	__asm__ volatile("fence.i");
#else
	(void)from;
	(void)to;
#endif
}

struct two {
	code *run;
	void *places[4];
};

static void runs_code(unsigned long n, void *with)
{
	struct two *t = with;

	for (; n; n--)
		t->run(t->places, 1);
}

/* Two misses with fillers between and behind: they overlap as long as the processor sees both. */
static void pair(struct two *t, const char *name, unsigned fillers, struct piece filler, bool used)
{
	char *from = next = area;

	put(PIECE(load_a));
	put(PIECE(follow_a));
	if (used)
		put(PIECE(use_a));
	put_times(filler, fillers);
	put(PIECE(load_b));
	put(PIECE(follow_b));
	put_times(filler, fillers);
	put(PIECE(store_a));
	put(PIECE(store_b));
	put(PIECE(ret));
	sync(from, next);
	t->run = (code *)(void *)from;
	report(name, "fillers", fillers, OF_PROCESSOR, runs_code, t, 1);
}

/* A chase through memory that no cache has, for each of the two. */
static bool chases(struct two *t, size_t bytes, char **at)
{
	uint32_t n = (uint32_t)(bytes / 256), place = 0;
	uint64_t seed = 362436069362436069u;
	char *m = *at = memory(bytes, false);

	if (!m)
		return false;
	/* A step by an odd number modulo a power of two visits all; what is added to it is drawn. */
	uint32_t step = ((uint32_t)drawn(&seed) | 1) & (n - 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = (place * 5 + step) & (n - 1); /* a linear congruence of full period: 5 = 1 modulo 4 */

		*(void **)(void *)(m + (size_t)place * 256) = m + (size_t)to * 256;
		place = to;
	}
	t->places[0] = m;
	t->places[1] = m;
	for (uint32_t i = 0; i < n / 2; i++)
		t->places[1] = *(void **)t->places[1];
	return true;
}

static void windows(void)
{
	static const unsigned many[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640};
	static const unsigned stores[] = {0, 2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112};
	size_t bytes = 1u << 20;
	struct two t = {0};
	char *field;

	while (bytes * 2 <= settings.most_bytes)
		bytes *= 2;
	if (!chases(&t, bytes, &field)) {
		unknown("window", "there is no memory");
		return;
	}
	pair(&t, "used", 0, PIECE(compute), true);
	for (unsigned i = 0; i < sizeof many / sizeof *many; i++)
		pair(&t, "window", many[i], PIECE(compute), false);
	for (unsigned i = 0; i < sizeof stores / sizeof *stores; i++)
		pair(&t, "stores", stores[i], PIECE(keep_c), false);
	give_back(field, bytes);
}

static void put_jump(char *from, char *to)
{
	long way = to - from;

	next = from;
#if defined(__x86_64__)
	int32_t rel = (int32_t)way - 5;

	*next++ = (char)0xe9;
	put((struct piece){&rel, sizeof rel});
#else
#if defined(__aarch64__)
	uint32_t insn = 0x14000000u | ((uint32_t)(way >> 2) & 0x3ffffff);
#elif defined(__arm__)
	uint32_t insn = 0xea000000u | ((uint32_t)((way - 8) >> 2) & 0xffffff);
#else
	uint32_t w = (uint32_t)way;
	uint32_t insn = 0x6fu | (w >> 20 & 1) << 31 | (w >> 1 & 0x3ff) << 21 | (w >> 11 & 1) << 20 | (w >> 12 & 0xff) << 12;
#endif
	put((struct piece){&insn, sizeof insn});
#endif
}

/* The i-th of `n` places: in order, or all of them in an order that no run of lines foretells; n is a power of two. */
static char *jump_place(unsigned i, unsigned n, size_t apart, bool any)
{
	return any ? area + (i * 2654435761u & (n - 1)) * apart : area + i * apart + (apart > 64 ? i % 64 * 64 : 0);
}

/* A jump in each of so many lines: in as many pages, or close together. */
static void jumps(const char *name, unsigned n, size_t apart, bool any, struct two *t)
{
	char *place = area;

	for (unsigned i = 0; i < n; i++) {
		char *to = jump_place(i + 1, n, apart, any);

		if (i + 1 == n) {
			next = place;
			put(PIECE(ret));
		} else {
			put_jump(place, to);
		}
		sync(place, place + 8);
		place = to;
	}
	t->run = (code *)(void *)area;
	report(name, "jumps", n, OF_PROCESSOR, runs_code, t, n);
}

/* An emulator translates what it sees for the first time; a processor only fetches it. Picoseconds an instruction. */
static void freshness(void)
{
	uint64_t first = UINT64_MAX, again = UINT64_MAX;
	void *places[4] = {0};

	next = area;
	for (unsigned i = 0; i < FRESH_TRIES; i++) {
		char *from = next;

		put_times(PIECE(compute), FRESH_INSTRUCTIONS);
		put(PIECE(ret));
		next += 64 - ((size_t)next & 63);
		sync(from, next);
		for (int turn = 0; turn < 3; turn++) {
			uint64_t at = now(OF_WALL), ns;

			((code *)(void *)from)(places, 1);
			ns = now(OF_WALL) - at;
			if (!turn && ns < first)
				first = ns;
			if (turn && ns < again)
				again = ns;
		}
	}
	line("fresh_code");
	number("first", divided(first * 1000, FRESH_INSTRUCTIONS));
	number("again", divided(again * 1000, FRESH_INSTRUCTIONS));
	end_line();
}

void measure_code(void)
{
	static const unsigned many[] = {8, 16, 24, 32, 48, 64, 96, 128, 192};
	struct two t = {0};

	area = memory(CODE_BYTES, true);
	if (!area) {
		unknown("window", "the kernel refuses memory that is written and executed");
		unknown("fresh_code", "the kernel refuses memory that is written and executed");
		return;
	}
	call_kernel(SYS_madvise, (long)area, CODE_BYTES, 15, 0, 0);
	freshness();
	windows();
	for (unsigned i = 0; i < sizeof many / sizeof *many; i++) {
		jumps("code_packed", many[i], 64, false, &t);
		jumps("code_pages", many[i], PAGE_BYTES, false, &t);
	}
	/* Within the first cache for code, and beyond it: does the processor fetch ahead of its jumps? */
	for (unsigned lines = 64; lines <= 4096; lines *= 2) {
		jumps("code_in_order", lines, 64, false, &t);
		jumps("code_anywhere", lines, 64, true, &t);
	}
	give_back(area, CODE_BYTES);
}
