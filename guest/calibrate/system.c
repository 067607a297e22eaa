// SPDX-License-Identifier: MIT
/* What the kernel takes: system calls, a page at its first use, processes. Picoseconds each. */
#include "measure.h"

#include <fcntl.h>

#define SIGCHLD 17
#define PAGE_BYTES 4096u
#define FAULT_PAGES 256u

static const char *path_of_self;

static void getpid_(unsigned long n, void *with)
{
	(void)with;
	for (; n; n--)
		call_kernel(SYS_getppid, 0, 0, 0, 0, 0);
}

static void opens(unsigned long n, void *with)
{
	for (; n; n--)
		call_kernel(SYS_close, call_kernel(SYS_openat, AT_FDCWD, (long)with, O_RDONLY, 0, 0), 0, 0, 0, 0);
}

static void faults(unsigned long n, void *with)
{
	(void)with;
	for (; n; n--) {
		volatile char *at = memory((size_t)FAULT_PAGES * PAGE_BYTES, false);

		call_kernel(SYS_madvise, (long)at, FAULT_PAGES * PAGE_BYTES, 15, 0, 0);
		for (unsigned i = 0; at && i < FAULT_PAGES; i++)
			at[i * PAGE_BYTES] = 1;
		give_back((void *)at, FAULT_PAGES * PAGE_BYTES);
	}
}

static void waits(long child)
{
	if (child > 0)
		call_kernel(SYS_wait4, child, 0, 0, 0, 0);
}

static void forks(unsigned long n, void *with)
{
	(void)with;
	for (; n; n--) {
		long child = call_kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (!child)
			call_kernel(SYS_exit_group, 0, 0, 0, 0, 0);
		waits(child);
	}
}

static void executes(unsigned long n, void *with)
{
	(void)with;
	for (; n; n--) {
		long child = call_kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (!child) {
			const char *const words[] = {path_of_self, "--nothing", NULL};

			call_kernel(SYS_execve, (long)path_of_self, (long)words, (long)(words + 2), 0, 0);
			call_kernel(SYS_exit_group, 1, 0, 0, 0, 0);
		}
		waits(child);
	}
}

struct pipes {
	int there[2], back[2];
};

static void ping_pong(unsigned long n, void *with)
{
	struct pipes *p = with;
	char c = 'x';

	for (; n; n--) {
		call_kernel(SYS_write, p->there[1], (long)&c, 1, 0, 0);
		call_kernel(SYS_read, p->back[0], (long)&c, 1, 0, 0);
	}
}

static void pipes(void)
{
	struct pipes p;
	char c = 'x';

	if (call_kernel(SYS_pipe2, (long)p.there, 0, 0, 0, 0) || call_kernel(SYS_pipe2, (long)p.back, 0, 0, 0, 0)) {
		unknown("pipe", "there is no pipe");
		return;
	}
	long child = call_kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child) {
		call_kernel(SYS_close, p.there[1], 0, 0, 0, 0);
		while (call_kernel(SYS_read, p.there[0], (long)&c, 1, 0, 0) == 1)
			call_kernel(SYS_write, p.back[1], (long)&c, 1, 0, 0);
		call_kernel(SYS_exit_group, 0, 0, 0, 0, 0);
	}
	if (child > 0)
		report("pipe", NULL, 0, OF_WALL, ping_pong, &p, 1);
	call_kernel(SYS_close, p.there[1], 0, 0, 0, 0);
	waits(child);
}

void measure_system(const char *self)
{
	char seen[4];
	long tried;

	report("getppid", NULL, 0, OF_PROCESSOR, getpid_, NULL, 1);
	report("open", NULL, 0, OF_PROCESSOR, opens, (void *)"/", 1);
	report("fault", NULL, 0, OF_PROCESSOR, faults, NULL, FAULT_PAGES);
	report("fork", NULL, 0, OF_WALL, forks, NULL, 1);
	path_of_self = *first_words("/proc/self/comm", seen, sizeof seen) ? "/proc/self/exe" : self;
	tried = call_kernel(SYS_faccessat, AT_FDCWD, (long)path_of_self, 1, 0, 0);
	if (tried)
		unknown("exec", "the program does not find itself");
	else
		report("exec", NULL, 0, OF_WALL, executes, NULL, 1);
	pipes();
}
