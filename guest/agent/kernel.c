// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "report.h"

#define SYSLOG_READ_ALL 3
#define SYSLOG_SIZE_BUFFER 10
/* CONSOLE_EXT_LOG_MAX of the kernel: the longest record that /dev/kmsg hands out. */
#define RECORD_MAX 8192

/* <linux/kern_levels.h>: KERN_WARNING and what is graver. */
#define LEVEL_WARNING 4

/* "proc troubles": the level, and the first line of the message. */
static void trouble(unsigned int level, const char *text, size_t size)
{
	char line[RECORD_MAX + 8];
	int head = snprintf(line, sizeof(line), "%u ", level);

	memcpy(line + head, text, size);
	report_line("proc troubles", line, (size_t)head + size, ESCAPE_LINE);
}

static void log_lines(unsigned long long us, const char *text, size_t size)
{
	char line[RECORD_MAX + 64];

	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;
		int head = snprintf(line, sizeof(line), "[%5llu.%06llu] ", us / 1000000, us % 1000000);

		memcpy(line + head, text, length);
		report_line("log", line, (size_t)head + length, ESCAPE_LINE);
		length += end ? 1 : 0;
		text += length;
		size -= length;
	}
}

/* "priority,number,microseconds,flags[,...];text\n KEY=value\n..." (Documentation/ABI/testing/dev-kmsg). */
static void log_record(char *record)
{
	unsigned long long us;
	unsigned int priority;
	char *text = strchr(record, ';');
	char *end;

	if (!text || sscanf(record, "%u,%*u,%llu", &priority, &us) != 2)
		return;
	text++;
	end = strchrnul(text, '\n');
	if ((priority & 7) <= LEVEL_WARNING)
		trouble(priority & 7, text, strcspn(text, "\n\\"));
	if (end == text)
		log_lines(us, "\n", 1);
	else
		log_lines(us, text, unescape_kmsg(text, (size_t)(end - text)));
}

/* Without /dev/kmsg: the text as syslog(2) gives it, "<6>[    0.000000] ..." with the stamp only if the kernel adds it. */
static void log_by_syslog(void)
{
	int size = klogctl(SYSLOG_SIZE_BUFFER, NULL, 0);
	char *text = size > 0 ? malloc((size_t)size) : NULL;
	char *line = text, *stop;

	if (!text)
		return;
	size = klogctl(SYSLOG_READ_ALL, text, size);
	stop = text + (size > 0 ? size : 0);
	while (line < stop) {
		char *end = memchr(line, '\n', (size_t)(stop - line));
		char *level;

		end = end ? end : stop;
		level = *line == '<' ? memchr(line, '>', (size_t)(end - line)) : NULL;
		if (level)
			line = level + 1;
		report_line("log", line, (size_t)(end - line), ESCAPE_LINE);
		line = end + 1;
	}
	free(text);
}

void kernel_report_log(const char *kmsg)
{
	static char record[RECORD_MAX + 1];
	int fd = open(kmsg, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		log_by_syslog();
		return;
	}
	for (;;) {
		ssize_t n = read(fd, record, RECORD_MAX);

		/* EPIPE: what we were to read next has been overwritten; the next read goes on behind it. */
		if (n < 0 && (errno == EINTR || errno == EPIPE))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		log_record(record);
	}
	close(fd);
}

static void proc_file(const char *proc, const char *file, const char *name, int first_block)
{
	char path[256], head[64];
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", proc, file);
	snprintf(head, sizeof(head), "proc %s", name);
	stream = fopen(path, "re");
	if (!stream)
		return;
	while ((n = getline(&line, &room, stream)) > 0) {
		if (line[n - 1] == '\n')
			n--;
		if (first_block && n == 0)
			break;
		report_line(head, line, (size_t)n, ESCAPE_LINE);
	}
	free(line);
	fclose(stream);
}

/* How many processes were made since the start (fs/proc/stat.c). The file's other lines are long. */
static void processes(const char *proc)
{
	char path[256];
	char *line = NULL;
	size_t room = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/stat", proc);
	stream = fopen(path, "re");
	if (!stream)
		return;
	while (getline(&line, &room, stream) > 0) {
		if (strncmp(line, "processes ", 10) == 0)
			report_line("proc stat", line, strcspn(line, "\n"), ESCAPE_LINE);
	}
	free(line);
	fclose(stream);
}

void kernel_report_proc(const char *proc)
{
	static const char *const names[] = { "cmdline", "iomem", "interrupts", "meminfo", "modules" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		proc_file(proc, names[i], names[i], 0);
	processes(proc);
	/* The mounts that init sees, not ours. One processor stands for all. */
	proc_file(proc, "1/mounts", "mounts", 0);
	proc_file(proc, "cpuinfo", "cpuinfo", 1);
}
