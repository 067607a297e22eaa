// SPDX-License-Identifier: MIT
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 4096

static int port;
static unsigned long lines;
static char buffer[65536];
static size_t used;

static void flush(void)
{
	size_t done = 0;

	while (done < used) {
		ssize_t n = write(port, buffer + done, used - done);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	used = 0;
}

static void put(const char *text, size_t size)
{
	memcpy(buffer + used, text, size);
	used += size;
}

void report_begin(int fd)
{
	/* The console may stand in the middle of somebody's line. */
	static const char start[] = "\n@BL1 begin\n";

	port = fd;
	lines = 0;
	put(start, sizeof(start) - 1);
	/* At once: when it comes out is when the agent woke up. */
	flush();
}

void report_waits(int fd)
{
	static const char line[] = "\n@BL1 waits\n";

	port = fd;
	put(line, sizeof(line) - 1);
	flush();
}

void report_line(const char *head, const char *text, size_t size, enum escape_for purpose)
{
	size_t head_size = strlen(head);

	if (size > TEXT_MAX)
		size = TEXT_MAX;
	/* Whole lines only, so that no other writer gets into the middle of one. */
	if (used + head_size + ESCAPED_MAX(size) + 8 > sizeof(buffer))
		flush();
	put("@BL1 ", 5);
	put(head, head_size);
	put(" ", 1);
	used += escape(buffer + used, text, size, purpose);
	put("\n", 1);
	lines++;
}

void report_end(void)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "@BL1 end %lu\n", lines);

	if (used + (size_t)n > sizeof(buffer))
		flush();
	put(line, (size_t)n);
	flush();
}
