// SPDX-License-Identifier: MIT
#include "machine.h"

#include <fcntl.h>

#define PREFIX "bootlab-calibrate"
#define KEPT (256u << 10)
#define LINE 400u

/* mmap(2): what the headers have, without their C library's types. */
#define READ_WRITE 3
#define EXECUTE 4
#define PRIVATE_ANONYMOUS 0x22

unsigned long hardware;

static char kept[KEPT];
static size_t used, begun;
static uint32_t lines;
static uint32_t run;

uint64_t now(enum clock clock)
{
	struct {
		long s, ns;
	} at = {0, 0};

	call_kernel(SYS_clock_gettime, clock, (long)&at, 0, 0, 0);
	return (uint64_t)at.s * 1000000000u + (uint64_t)at.ns;
}

void *memory(size_t bytes, bool runs)
{
	long at = call_kernel_six(MMAP, 0, (long)bytes, READ_WRITE | (runs ? EXECUTE : 0), PRIVATE_ANONYMOUS, -1, 0);

	return (unsigned long)at > -4096ul ? NULL : (void *)at;
}

void give_back(void *at, size_t bytes)
{
	call_kernel(SYS_munmap, (long)at, (long)bytes, 0, 0, 0);
}

uint64_t divided(uint64_t value, uint64_t by)
{
	uint64_t found = 0, rest = 0;

	for (int bit = 63; by && bit >= 0; bit--) {
		rest = rest << 1 | (value >> bit & 1);
		if (rest >= by) {
			rest -= by;
			found |= 1ull << bit;
		}
	}
	return found;
}

uint64_t drawn(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

size_t length(const char *t)
{
	size_t n = 0;

	while (t[n])
		n++;
	return n;
}

bool alike(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* The compiler may call these for its own purposes. */
void *memset(void *to, int value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = (char)value;
	return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

const char *first_words(const char *path, char *into, size_t size)
{
	long file = call_kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0);
	long n = 0;

	into[0] = 0;
	if (file < 0)
		return into;
	n = call_kernel(SYS_read, file, (long)into, (long)size - 1, 0, 0);
	call_kernel(SYS_close, file, 0, 0, 0, 0);
	into[n > 0 ? n : 0] = 0;
	/* A device tree's texts end with a zero each: the first one says enough. */
	for (char *c = into; *c; c++)
		if (*c == '\n') {
			*c = 0;
			break;
		}
	return into;
}

static uint32_t crc32(const char *at, size_t n)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < n; i++) {
		crc ^= (uint8_t)at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static void put(char c)
{
	if (used < KEPT - 16 && used - begun < LINE)
		kept[used++] = c;
}

static void put_text(const char *t)
{
	while (*t)
		put(*t++);
}

static void put_number(uint64_t value)
{
	char digits[21];
	int n = 0;

	do {
		uint64_t tenth = divided(value, 10);
		digits[n++] = (char)('0' + (value - tenth * 10));
		value = tenth;
	} while (value);
	while (n)
		put(digits[--n]);
}

static void put_hex(uint32_t value, int digits)
{
	while (digits--)
		put("0123456789abcdef"[value >> digits * 4 & 15]);
}

void line(const char *name)
{
	if (!run)
		run = (uint32_t)(now(OF_WALL) >> 10) | 1;
	begun = used;
	put_text(PREFIX " ");
	put_hex(run, 8);
	put(' ');
	put_number(lines++);
	put(' ');
	put_text(name);
}

void text(const char *key, const char *value)
{
	put(' ');
	put_text(key);
	put('=');
	/* A value is a word: what could be taken for the end of one, or is no plain character, is a percent and its code. */
	for (; *value; value++)
		if (*value > ' ' && *value < 127 && *value != '%' && *value != '*') {
			put(*value);
		} else {
			put('%');
			put_hex((uint8_t)*value, 2);
		}
}

void number(const char *key, uint64_t value)
{
	put(' ');
	put_text(key);
	put('=');
	put_number(value);
}

void end_line(void)
{
	uint32_t crc = crc32(kept + begun, used - begun);

	/* put() keeps room for this. */
	kept[used++] = ' ';
	kept[used++] = '*';
	for (int digit = 8; digit--;)
		kept[used++] = "0123456789abcdef"[crc >> digit * 4 & 15];
	kept[used++] = '\n';
	begun = used;
}

void unknown(const char *name, const char *why)
{
	line(name);
	text("unknown", why);
	end_line();
}

static void write_kept(void)
{
	for (size_t at = 0; at < used;) {
		long n = call_kernel(SYS_write, 1, (long)(kept + at), (long)(used - at), 0, 0);
		if (n <= 0)
			return;
		at += (size_t)n;
	}
}

void write_all(bool twice)
{
	line("end");
	number("lines", lines);
	end_line();
	write_kept();
	if (twice)
		write_kept();
}
