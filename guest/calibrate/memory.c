// SPDX-License-Identifier: MIT
/* Latencies by a chase of pointers, misses of TLBs, how many lines are under way, and rates. */
#include "measure.h"

#define LINE_BYTES 64u
#define PAGE_BYTES 4096u
#define LINES_PER_PAGE (PAGE_BYTES / LINE_BYTES)
#define MOST_CHAINS 32
#define FROM_PAGES (64u << 10)
#define ADVICE_HUGE 14
#define ADVICE_NO_HUGE 15

struct field {
	char *at;
	size_t bytes;
	void **heads[MOST_CHAINS];
	unsigned chains;
};

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	return (uint32_t)((drawn(&seed) >> 32) * n >> 32);
}

static void shuffled(uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n - 1; i; i--) {
		uint32_t other = below(i + 1), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
}

/* The lines of a page in any order, page after page: few misses of the TLB, but a prefetcher may know the page. */
static bool link_pages(struct field *f)
{
	uint32_t n = (uint32_t)(f->bytes / PAGE_BYTES), lines[LINES_PER_PAGE];
	uint32_t *pages = memory(n * sizeof *pages, false);
	char *first = NULL, *before = NULL;

	if (!pages)
		return false;
	shuffled(pages, n);
	for (uint32_t i = 0; i < n; i++) {
		shuffled(lines, LINES_PER_PAGE);
		for (uint32_t k = 0; k < LINES_PER_PAGE; k++) {
			char *at = f->at + (size_t)pages[i] * PAGE_BYTES + lines[k] * LINE_BYTES;

			if (before)
				*(void **)(void *)before = at;
			else
				first = at;
			before = at;
		}
	}
	*(void **)(void *)before = first;
	f->heads[0] = (void **)(void *)first;
	give_back(pages, n * sizeof *pages);
	return true;
}

/* `n` lines, so many bytes apart and a line each further, in any order. */
static bool link_apart(struct field *f, uint32_t n, size_t apart, bool in_order)
{
	uint32_t *order = memory(n * sizeof *order, false);

	if (!order)
		return false;
	shuffled(order, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = i + 1 == n ? 0 : i + 1, from = in_order ? i : order[i], to = in_order ? next : order[next];
		size_t shift = apart > LINE_BYTES ? LINE_BYTES : 0;

		*(void **)(void *)(f->at + from * apart + from % LINES_PER_PAGE * shift) =
			f->at + to * apart + to % LINES_PER_PAGE * shift;
	}
	f->heads[0] = (void **)(void *)(f->at + order[0] * apart + order[0] % LINES_PER_PAGE * (apart > LINE_BYTES ? LINE_BYTES : 0));
	if (in_order)
		f->heads[0] = (void **)(void *)f->at;
	give_back(order, n * sizeof *order);
	return true;
}

/* All lines of the field in any order. */
static bool link_any(struct field *f)
{
	return link_apart(f, (uint32_t)(f->bytes / LINE_BYTES), LINE_BYTES, false);
}

static void chase(unsigned long n, void *with)
{
	struct field *f = with;
	void **at = f->heads[0];

	for (; n; n--)
		at = *at;
	f->heads[0] = at;
}

static void chase_many(unsigned long n, void *with)
{
	struct field *f = with;

	for (; n; n--)
		for (unsigned i = 0; i < f->chains; i++)
			f->heads[i] = *f->heads[i];
}

/* In registers: a processor that executes in order waits for none before it starts the next. */
#define CHASE(name, each)                                                                                              \
	static void name(unsigned long n, void *with)                                                                  \
	{                                                                                                              \
		struct field *f = with;                                                                                \
		each(AT) for (; n; n--)                                                                                \
		{                                                                                                      \
			each(GO)                                                                                       \
		}                                                                                                      \
		each(KEEP)                                                                                             \
	}
#define AT(i) void **p##i = f->heads[i];
#define GO(i) p##i = *p##i;
#define KEEP(i) f->heads[i] = p##i;
#define TWO(does) does(0) does(1)
#define FOUR(does) TWO(does) does(2) does(3)
#define SIX(does) FOUR(does) does(4) does(5)
#define EIGHT(does) SIX(does) does(6) does(7)

CHASE(chase_two, TWO)
CHASE(chase_four, FOUR)
CHASE(chase_six, SIX)
CHASE(chase_eight, EIGHT)

static void spread(struct field *f, unsigned chains)
{
	size_t steps = (size_t)divided(f->bytes / LINE_BYTES, chains);
	void **at = f->heads[0];

	f->chains = chains;
	for (unsigned i = 0; i < chains; i++) {
		f->heads[i] = at;
		for (size_t k = 0; k < steps; k++)
			at = *at;
	}
}

static void latencies(struct field *f)
{
	for (size_t bytes = PAGE_BYTES; bytes <= settings.most_bytes; bytes *= 2)
		for (unsigned part = 2; part <= 3; part++) {
			f->bytes = bytes / 2 * part;
			if (f->bytes > settings.most_bytes || !link_any(f))
				break;
			report("chase", "bytes", f->bytes, OF_PROCESSOR, chase, f, 1);
			if (f->bytes < FROM_PAGES || part == 3 || !link_pages(f))
				continue;
			report("chase_pages", "bytes", f->bytes, OF_PROCESSOR, chase, f, 1);
		}
}

static void at_once(struct field *f)
{
	static const struct {
		unsigned chains;
		work *does;
	} ways[] = {{1, chase}, {2, chase_two}, {4, chase_four}, {6, chase_six}, {8, chase_eight}, {10, chase_many},
		    {12, chase_many}, {14, chase_many}, {16, chase_many}, {24, chase_many}, {32, chase_many}};

	f->bytes = settings.most_bytes;
	if (!link_any(f))
		return;
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		spread(f, ways[i].chains);
		report("at_once", "chains", ways[i].chains, OF_PROCESSOR, ways[i].does, f, ways[i].chains);
	}
}

/* Runs of lines that a prefetcher may follow: one, and several at once. */
static void runs(struct field *f)
{
	static const unsigned many[] = {1, 2, 4, 8, 16};

	f->bytes = settings.most_bytes;
	if (!link_apart(f, (uint32_t)(f->bytes / LINE_BYTES), LINE_BYTES, true))
		return;
	for (unsigned i = 0; i < sizeof many / sizeof *many; i++) {
		f->heads[0] = (void **)(void *)f->at;
		spread(f, many[i]);
		report("runs", "many", many[i], OF_PROCESSOR, many[i] == 1 ? chase : chase_many, f, many[i]);
	}
}

void measure_tlb(void)
{
	size_t most = settings.quick ? 1024 : 8192;
	struct field f = {0};

	while (most * (PAGE_BYTES + LINE_BYTES) > settings.most_bytes)
		most /= 2;
	f.bytes = most * (PAGE_BYTES + LINE_BYTES);
	f.at = memory(f.bytes, false);
	if (!f.at) {
		unknown("pages", "there is no memory");
		return;
	}
	call_kernel(SYS_madvise, (long)f.at, (long)f.bytes, ADVICE_NO_HUGE, 0, 0);
	for (uint32_t n = 8; n <= most; n *= 2)
		for (unsigned part = 2; part <= 3; part++) {
			uint32_t pages = n / 2 * part;

			if (pages > most || !link_apart(&f, pages, LINE_BYTES, false))
				break;
			report("packed", "lines", pages, OF_PROCESSOR, chase, &f, 1);
			link_apart(&f, pages, PAGE_BYTES, false);
			report("pages", "lines", pages, OF_PROCESSOR, chase, &f, 1);
		}
	give_back(f.at, f.bytes);
}

static void reads(unsigned long n, void *with)
{
	struct field *f = with;
	unsigned long sum = 0;

	for (; n; n--)
		for (const unsigned long *p = (void *)f->at, *end = (void *)(f->at + f->bytes); p < end; p += 8) {
			sum += p[0] ^ p[1] ^ p[2] ^ p[3] ^ p[4] ^ p[5] ^ p[6] ^ p[7];
			__asm__ volatile("" : "+r"(sum));
		}
}

static void writes(unsigned long n, void *with)
{
	struct field *f = with;

	for (; n; n--)
		for (volatile unsigned long *p = (void *)f->at, *end = (void *)(f->at + f->bytes); p < end; p += 4)
			p[0] = p[1] = p[2] = p[3] = n;
}

static void copies(unsigned long n, void *with)
{
	struct field *f = with;

	for (; n; n--) {
		const volatile unsigned long *from = (void *)f->at;
		volatile unsigned long *to = (void *)(f->at + f->bytes / 2), *end = (void *)(f->at + f->bytes);

		for (; to < end; to += 4, from += 4) {
			unsigned long a = from[0], b = from[1], c = from[2], d = from[3];

			to[0] = a, to[1] = b, to[2] = c, to[3] = d;
		}
	}
}

#if defined(__x86_64__)
static void fills(unsigned long n, void *with)
{
	struct field *f = with;

	for (; n; n--) {
		char *to = f->at;
		size_t left = f->bytes;

		__asm__ volatile("rep stosb" : "+D"(to), "+c"(left) : "a"(0) : "memory");
	}
}

static void moves(unsigned long n, void *with)
{
	struct field *f = with;

	for (; n; n--) {
		char *from = f->at, *to = f->at + f->bytes / 2;
		size_t left = f->bytes / 2;

		__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(left) : : "memory");
	}
}
#endif

/* Picoseconds for a KiB, of what is read, written or copied. */
static void rates(struct field *f)
{
	size_t sizes[] = {8u << 10, 64u << 10, settings.most_bytes};

	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint64_t kib = sizes[i] >> 10;

		f->bytes = sizes[i];
		report("read", "bytes", sizes[i], OF_PROCESSOR, reads, f, kib);
		report("write", "bytes", sizes[i], OF_PROCESSOR, writes, f, kib);
		report("copy", "bytes", sizes[i], OF_PROCESSOR, copies, f, kib / 2);
#if defined(__x86_64__)
		report("fill", "bytes", sizes[i], OF_PROCESSOR, fills, f, kib);
		report("move", "bytes", sizes[i], OF_PROCESSOR, moves, f, kib / 2);
#endif
	}
}

void measure_memory(void)
{
	struct field f = {.bytes = settings.most_bytes};

	f.at = memory(f.bytes, false);
	if (!f.at) {
		unknown("chase", "there is no memory");
		return;
	}
	/* Where there are large pages, the caches are measured without the TLB. */
	bool huge = call_kernel(SYS_madvise, (long)f.at, (long)f.bytes, ADVICE_HUGE, 0, 0) == 0;
	line("large_pages");
	number("asked", huge);
	end_line();
	latencies(&f);
	at_once(&f);
	runs(&f);
	rates(&f);
	give_back(f.at, f.bytes);
}
