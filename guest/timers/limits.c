// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "limits.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int64_t limit_of(rlim_t value)
{
	return value == RLIM_INFINITY ? -1 : (int64_t)value;
}

static int64_t pending_used(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	long long used = -1;
	char line[256];

	if (!status)
		return -1;
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "SigQ: %lld/", &used) == 1)
			break;
	fclose(status);
	return used;
}

void limits_read(struct limits *limits, int clock)
{
	struct rlimit pending = { 0, 0 }, files = { 0, 0 };
	struct timespec resolution = { 0, 0 };

	getrlimit(RLIMIT_SIGPENDING, &pending);
	getrlimit(RLIMIT_NOFILE, &files);
	clock_getres(clock, &resolution);
	limits->pending_soft = limit_of(pending.rlim_cur);
	limits->pending_hard = limit_of(pending.rlim_max);
	limits->pending_used = pending_used();
	limits->files_soft = limit_of(files.rlim_cur);
	limits->timer_max = sysconf(_SC_TIMER_MAX);
	limits->resolution_ns = (int64_t)resolution.tv_sec * 1000000000 + resolution.tv_nsec;
}

void limits_raise(void)
{
	static const int which[] = { RLIMIT_SIGPENDING, RLIMIT_NOFILE };
	struct rlimit limit;

	for (unsigned i = 0; i < 2; i++) {
		if (getrlimit(which[i], &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
			limit.rlim_cur = limit.rlim_max;
			setrlimit(which[i], &limit);
		}
	}
}
