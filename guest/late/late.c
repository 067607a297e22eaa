// SPDX-License-Identifier: MIT
/*
 * bootlab's loader of late modules. It is started in the place of init:
 *
 *   rdinit=/.bootlab-modules/load BOOTLAB_MODULES_INIT=/init BOOTLAB_MODULES_MS=4000
 *
 * It forks. The first process becomes the system's own init, with init's arguments; the child sleeps, then loads the
 * modules that `list` beside it names, in that order, and says so on the console, one line a module. All are opened
 * before the wait: what the system mounts over the root, or deletes from it, does not matter.
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "start.h"

#define FOLDER "/.bootlab-modules"
#define INIT_VARIABLE "BOOTLAB_MODULES_INIT="
#define WAIT_VARIABLE "BOOTLAB_MODULES_MS="
#define MOST 64
#define LIST_MAX 4096

static char list[LIST_MAX + 1];
static const char *names[MOST];
static long files[MOST];

void start(long *stack);

static size_t length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

static void say(const char *text)
{
	call_kernel(SYS_write, 1, (long)text, (long)length(text), 0, 0);
}

/* An error number, below 1000. No division: for 32-bit ARM it is a function of a library. */
static void say_error(long number)
{
	char digits[4] = "000";

	for (; number >= 100; number -= 100)
		digits[0]++;
	for (; number >= 10; number -= 10)
		digits[1]++;
	digits[2] = (char)('0' + number);
	say(digits);
}

static const char *value_of(const char *entry, const char *variable)
{
	size_t n = length(variable);

	for (size_t i = 0; i < n; i++)
		if (entry[i] != variable[i])
			return NULL;
	return entry + n;
}

static size_t open_all(void)
{
	long folder = call_kernel(SYS_openat, AT_FDCWD, (long)FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0);
	long file = call_kernel(SYS_openat, folder, (long)"list", O_RDONLY | O_CLOEXEC, 0, 0);
	long bytes = call_kernel(SYS_read, file, (long)list, LIST_MAX, 0, 0);
	size_t count = 0;
	char *name = list;

	for (long i = 0; i < bytes && count < MOST; i++) {
		if (list[i] != '\n')
			continue;
		list[i] = 0;
		names[count] = name;
		files[count++] = call_kernel(SYS_openat, folder, (long)name, O_RDONLY | O_CLOEXEC, 0, 0);
		name = list + i + 1;
	}
	return count;
}

static void wait_for(long ms)
{
	/* The kernel's own types: 32-bit ARM has a call with a long time since 5.1, and may lack the older one. */
#ifdef SYS_clock_nanosleep_time64
	const long number = SYS_clock_nanosleep_time64;
	long long span[2] = { 0, 0 };
#else
	const long number = SYS_clock_nanosleep;
	long span[2] = { 0, 0 };
#endif

	for (; ms >= 1000; ms -= 1000)
		span[0]++;
	span[1] = ms * 1000000;
	call_kernel(number, CLOCK_MONOTONIC, 0, (long)span, 0, 0);
}

static void load(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		long failed = call_kernel(SYS_finit_module, files[i], (long)"", 0, 0, 0);

		say("bootlab: ");
		say(names[i]);
		if (failed) {
			say(" was not loaded: error ");
			say_error(-failed);
			say("\n");
		} else {
			say(" is loaded\n");
		}
	}
}

/* The kernel's stack at a program's start: argc, argv, NULL, envp, NULL. */
void start(long *stack)
{
	char **argv = (char **)(stack + 1), **envp = argv + stack[0] + 1, **kept = envp;
	const char *init = "/init";
	long ms = 0;
	size_t count = open_all();

	for (char **entry = envp; *entry; entry++) {
		const char *value;

		if ((value = value_of(*entry, INIT_VARIABLE))) {
			init = value;
		} else if ((value = value_of(*entry, WAIT_VARIABLE))) {
			while (*value >= '0' && *value <= '9')
				ms = ms * 10 + (*value++ - '0');
		} else {
			*kept++ = *entry;
		}
	}
	*kept = NULL;
	if (call_kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
		call_kernel(SYS_setsid, 0, 0, 0, 0, 0);
		wait_for(ms);
		load(count);
		call_kernel(SYS_exit, 0, 0, 0, 0, 0);
	}
	argv[0] = (char *)init;
	call_kernel(SYS_execve, (long)init, (long)argv, (long)envp, 0, 0);
	say("bootlab: cannot start ");
	say(init);
	say("\n");
	call_kernel(SYS_exit, 1, 0, 0, 0, 0);
}
