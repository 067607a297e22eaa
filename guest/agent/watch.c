// SPDX-License-Identifier: MIT
/*
 * fanotify(7): one mark on the root's file system, whoever looks through whichever mount. It tells of regular files and
 * folders that are opened, executed, read; not of names that are only looked at (stat, readlink), nor of the links on
 * the way. What the kernel itself opens is told from its first read on.
 *
 * Tracer: probes at the end of getname() and its siblings (fs/namei.c), through which every path goes that a system call
 * or the kernel is given: names as they are written, of files that are not there too, before any link is followed. It
 * works in an instance of its own, so that the system's tracing is not touched.
 */
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "seen.h"

#define STEP_MS 100
#define BUFFER_KB "2048"
#define LINE_MAX_BYTES 16384

static const char proc_default[] = "/proc";
static const char *proc = proc_default;
static int notifications = -1;
static int names = -1;
static char instance[160];

static int put(const char *folder, const char *file, const char *text, int flags)
{
	char path[256];
	int fd, done;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return -1;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	close(fd);
	return done;
}

static void start_notifications(void)
{
	const uint64_t what = FAN_OPEN | FAN_OPEN_EXEC | FAN_ACCESS | FAN_ONDIR;
	char text[120];

	notifications = fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK | FAN_CLOEXEC | FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS,
				      O_RDONLY | O_LARGEFILE | O_NOATIME | O_CLOEXEC);
	if (notifications >= 0 && fanotify_mark(notifications, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, what, AT_FDCWD, "/") == 0) {
		seen_method("fanotify", 1, "opened, executed, read, listed; not: looked at (stat), links on the way");
		return;
	}
	snprintf(text, sizeof(text), "%s%s", strerror(errno), errno == ENOSYS ? " (CONFIG_FANOTIFY)" : "");
	seen_method("fanotify", 0, text);
	if (notifications >= 0)
		close(notifications);
	notifications = -1;
}

static const char *start_names(const char *tracing)
{
	/* One may be put into its callers by the compiler: then another of them sees what comes through. */
	static const char *const ends[] = { "getname_flags", "getname", "getname_uflags", "getname_kernel" };
	int taken = 0;
	char probe[96];
	char path[256], filter[48];

	if (access(tracing, F_OK) < 0)
		return "no tracefs (CONFIG_TRACING)";
	snprintf(path, sizeof(path), "%s/kprobe_events", tracing);
	if (access(path, F_OK) < 0)
		return "no kprobe_events (CONFIG_KPROBE_EVENTS)";
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(probe, sizeof(probe), "r:bootlab/name%zu %s name=+0(+0($retval)):string\n", i, ends[i]);
		taken += put(tracing, "kprobe_events", probe, O_APPEND) == 0;
	}
	if (!taken)
		return "the kernel takes no probe at getname()";
	snprintf(instance, sizeof(instance), "%s/instances/bootlab", tracing);
	if (mkdir(instance, 0700) < 0 && errno != EEXIST)
		return "no tracing instance can be made";
	snprintf(filter, sizeof(filter), "common_pid != %d", (int)getpid());
	put(instance, "buffer_size_kb", BUFFER_KB, 0);
	put(instance, "events/bootlab/filter", filter, 0);
	if (put(instance, "events/bootlab/enable", "1", 0) < 0)
		return "the probe cannot be switched on";
	snprintf(path, sizeof(path), "%s/trace_pipe", instance);
	names = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return names < 0 ? "trace_pipe cannot be opened" : NULL;
}

void watch_start(const char *proc_folder, const char *tracing)
{
	const char *why;

	proc = proc_folder;
	start_notifications();
	why = start_names(tracing);
	if (why)
		seen_method("tracing", 0, why);
	else
		seen_method("tracing", 1, "every name given to a system call, there or not; relative names without their folder");
}

static void name_of_process(int pid, char *who, size_t room)
{
	char path[96];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%d/comm", proc, pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, who, room - 1);
		close(fd);
	}
	who[n > 0 ? n : 0] = '\0';
	who[strcspn(who, "\n")] = '\0';
}

static void notification(const struct fanotify_event_metadata *event)
{
	static char path[4096];
	char link[96], who[32];
	ssize_t n;

	if (event->mask & FAN_Q_OVERFLOW) {
		seen_method("fanotify", 1, "incomplete: the kernel's queue ran over");
		return;
	}
	if (event->fd < 0)
		return;
	snprintf(link, sizeof(link), "%s/self/fd/%d", proc, event->fd);
	n = event->pid == getpid() ? 0 : readlink(link, path, sizeof(path));
	close(event->fd);
	if (n <= 0)
		return;
	name_of_process(event->pid, who, sizeof(who));
	if (event->mask & FAN_ONDIR) {
		seen_add("fanotify", 'd', who, path, (size_t)n);
		return;
	}
	if (event->mask & FAN_OPEN_EXEC)
		seen_add("fanotify", 'x', who, path, (size_t)n);
	else if (event->mask & FAN_ACCESS)
		seen_add("fanotify", 'r', who, path, (size_t)n);
	else
		seen_add("fanotify", 'o', who, path, (size_t)n);
}

static void take_notifications(void)
{
	static char buffer[16384] __attribute__((aligned(8)));
	ssize_t left;

	while ((left = read(notifications, buffer, sizeof(buffer))) > 0) {
		const struct fanotify_event_metadata *event = (const void *)buffer;

		for (; FAN_EVENT_OK(event, left); event = FAN_EVENT_NEXT(event, left))
			notification(event);
	}
}

/* What lies in file systems without a medium is no file of the root. */
static int elsewhere(const char *name)
{
	return !strncmp(name, "/proc/", 6) || !strncmp(name, "/sys/", 5) || !strncmp(name, "/dev/", 5);
}

/* `            init-1       [000] .....     1.234567: name: (do_sys_openat2+0x.. <- getname) name="/etc/fstab"` */
static void name_line(char *line, size_t size)
{
	static const char before[] = ") name=\"";
	char *text = memmem(line, size, before, sizeof(before) - 1);
	char *cpu = memmem(line, size, " [", 2);
	char *who = line, *end;

	if (!text || !cpu || cpu > text || size < 1 || line[size - 1] != '"')
		return;
	text += sizeof(before) - 1;
	while (cpu > line && cpu[-1] == ' ')
		cpu--;
	*cpu = '\0';
	end = strrchr(line, '-');
	if (end)
		*end = '\0';
	while (*who == ' ')
		who++;
	if (line + size - 1 > text && !elsewhere(text))
		seen_add("tracing", 'n', who, text, (size_t)(line + size - 1 - text));
}

static void take_names(void)
{
	static char buffer[65536], line[LINE_MAX_BYTES];
	static size_t used;
	ssize_t n;

	while ((n = read(names, buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buffer[i] != '\n') {
				if (used < sizeof(line) - 1)
					line[used++] = buffer[i];
				continue;
			}
			line[used] = '\0';
			name_line(line, used);
			used = 0;
		}
	}
}

static void take(void)
{
	if (notifications >= 0)
		take_notifications();
	if (names >= 0)
		take_names();
}

static unsigned long passed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)((now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000);
}

void watch_for(unsigned long ms)
{
	struct pollfd ready[2] = { { .fd = notifications, .events = POLLIN }, { .fd = names, .events = POLLIN } };
	struct timespec began;

	clock_gettime(CLOCK_MONOTONIC, &began);
	while (passed_ms(&began) < ms) {
		poll(ready, 2, STEP_MS);
		take();
	}
}

static unsigned long overrun(void)
{
	char path[256], line[128];
	unsigned long total = 0, one;

	for (unsigned cpu = 0;; cpu++) {
		FILE *stats;

		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", instance, cpu);
		stats = fopen(path, "re");
		if (!stats)
			return total;
		while (fgets(line, sizeof(line), stats))
			if (sscanf(line, "overrun: %lu", &one) == 1)
				total += one;
		fclose(stats);
	}
}

void watch_rest(void)
{
	take();
	if (names >= 0 && overrun() > 0)
		seen_method("tracing", 1, "incomplete: the kernel's buffer ran over");
}
