// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "maps.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

/* A system with a thousand processes is not what is being looked at: the report must stay short. */
#define LINES_MAX 20000

static unsigned long lines;

static void one(const char *proc, const char *pid)
{
	char path[128], head[64];
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%.16s/maps", proc, pid);
	snprintf(head, sizeof(head), "proc maps %.16s", pid);
	stream = fopen(path, "re");
	while (stream && lines < LINES_MAX && (n = getline(&line, &room, stream)) > 0) {
		/* Anonymous memory, [stack] and [vdso] name no file. */
		if (!memchr(line, '/', (size_t)n))
			continue;
		if (line[n - 1] == '\n')
			n--;
		report_line(head, line, (size_t)n, ESCAPE_LINE);
		lines++;
	}
	free(line);
	if (stream)
		fclose(stream);
}

void maps_report(const char *proc)
{
	DIR *folder = opendir(proc);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)*entry->d_name) && atol(entry->d_name) != getpid())
			one(proc, entry->d_name);
	if (folder)
		closedir(folder);
}
