// SPDX-License-Identifier: MIT
/* A file or a block device: requests of several sizes, in order and at random places, past the page cache if it can be. */
#include "measure.h"

#include <fcntl.h>

#define END 2 /* SEEK_END */
#define LARGEST (1u << 20)
#define DONT_NEED 4 /* POSIX_FADV_DONTNEED */

/* O_DIRECT of fcntl.h, which has it with _GNU_SOURCE only. */
#if defined(__arm__) || defined(__aarch64__)
#define PAST_CACHE 0200000
#else
#define PAST_CACHE 040000
#endif

static uint64_t size_of(long file)
{
#if defined(__arm__)
	uint64_t size = 0;

	call_kernel(SYS__llseek, file, 0, 0, (long)&size, END);
	return size;
#else
	long size = call_kernel(SYS_lseek, file, 0, END, 0, 0);

	return size < 0 ? 0 : (uint64_t)size;
#endif
}

static long read_at(long file, void *to, size_t bytes, uint64_t at)
{
#if defined(__arm__)
	/* A 64-bit argument stands in an even register. */
	return call_kernel_six(SYS_pread64, file, (long)to, (long)bytes, 0, (long)(uint32_t)at, (long)(at >> 32));
#else
	return call_kernel(SYS_pread64, file, (long)to, (long)bytes, (long)at, 0);
#endif
}

static void forget(long file)
{
#if defined(__arm__)
	call_kernel_six(SYS_arm_fadvise64_64, file, DONT_NEED, 0, 0, 0, 0);
#else
	call_kernel(SYS_fadvise64, file, 0, 0, DONT_NEED, 0);
#endif
}

/* Reads until a time is over, and tells the least, the median and the most of single requests. */
static void requests(long file, char *buffer, uint64_t size, size_t bytes, bool random)
{
	static uint64_t took[512];
	uint64_t until = now(OF_WALL) + (settings.quick ? 60000000u : 700000000u), places = divided(size, bytes);
	uint64_t seed = 2463534242u + bytes, at = 0, from, total = 0;
	unsigned n = 0;

	for (; n < sizeof took / sizeof *took && (n < 3 || now(OF_WALL) < until); n++) {
		uint64_t place = random ? drawn(&seed) : at++;
		long got;
		unsigned i = n;

		place -= divided(place, places) * places;
		from = now(OF_WALL);
		got = read_at(file, buffer, bytes, place * bytes);
		uint64_t ns = now(OF_WALL) - from;
		if (got != (long)bytes) {
			unknown("medium", "it cannot be read");
			return;
		}
		total += ns;
		for (; i && took[i - 1] > ns; i--)
			took[i] = took[i - 1];
		took[i] = ns;
	}
	line("medium");
	number("bytes", bytes);
	number("random", random);
	number("requests", n);
	number("least", took[n / 20] * 1000);
	number("median", took[n / 2] * 1000);
	number("mean", divided(total * 1000, n));
	number("most", took[n - 1 - n / 20] * 1000);
	end_line();
}

void measure_medium(const char *path)
{
	char *buffer = memory(LARGEST, false);
	bool direct = true;
	uint64_t size;
	long file;

	if (!path) {
		unknown("medium", "none was named: --medium PATH");
		return;
	}
	file = call_kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | PAST_CACHE, 0, 0);
	if (file < 0) {
		direct = false;
		file = call_kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0, 0);
	}
	size = file < 0 ? 0 : size_of(file);
	if (file < 0 || !buffer || size < 16 * LARGEST) {
		unknown("medium", file < 0 ? "it cannot be opened" : "it has less than 16 MiB");
		return;
	}
	if (!direct)
		forget(file);
	line("medium_file");
	text("path", path);
	number("size", size);
	number("past_cache", direct);
	end_line();
	requests(file, buffer, size, LARGEST, false);
	requests(file, buffer, size, LARGEST, true);
	requests(file, buffer, size, 64u << 10, true);
	requests(file, buffer, size, 4096, true);
	requests(file, buffer, size, 4096, false);
	call_kernel(SYS_close, file, 0, 0, 0, 0);
	give_back(buffer, LARGEST);
}
