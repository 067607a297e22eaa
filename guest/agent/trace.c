// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

#define CPUS_MAX 4096

void trace_stop(const char *tracing)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/tracing_on", tracing);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "0", 1) < 0)
		perror("bootlab-agent: tracing_on");
	close(fd);
}

static void stat_line(const char *text)
{
	report_line("proc tracestat", text, strlen(text), ESCAPE_LINE);
}

/* per_cpu/cpuN/stats: "entries: 12", "overrun: 0", "dropped events: 0" and more. */
static int cpu_stats(const char *tracing, unsigned cpu)
{
	char path[256], line[160], shown[200];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", tracing, cpu);
	stream = fopen(path, "re");
	if (!stream)
		return 0;
	while (fgets(line, sizeof(line), stream)) {
		line[strcspn(line, "\n")] = '\0';
		snprintf(shown, sizeof(shown), "cpu%u %s", cpu, line);
		stat_line(shown);
	}
	fclose(stream);
	return 1;
}

void trace_report(const char *tracing, unsigned long max_bytes)
{
	char path[256], shown[64], *line = NULL;
	unsigned long bytes = 0, left_out = 0;
	size_t room = 0;
	ssize_t n;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/trace", tracing);
	stream = fopen(path, "re");
	if (!stream) {
		stat_line("no trace");
		return;
	}
	for (unsigned cpu = 0; cpu < CPUS_MAX && cpu_stats(tracing, cpu); cpu++)
		;
	while ((n = getline(&line, &room, stream)) > 0) {
		if (line[n - 1] == '\n')
			n--;
		if (left_out || bytes + (unsigned long)n > max_bytes) {
			left_out++;
			/* Formatting what is not sent takes as long as sending it. */
			if (left_out == 1000)
				break;
			continue;
		}
		bytes += (unsigned long)n;
		report_line("trace", line, (size_t)n, ESCAPE_LINE);
	}
	snprintf(shown, sizeof(shown), "left out: %lu", left_out);
	stat_line(shown);
	free(line);
	fclose(stream);
}
