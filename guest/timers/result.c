// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static const double shares[] = { 0.5, 0.9, 0.99, 0.999, 0.9999 };
static const char *const share_names[] = { "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns" };

static void text(const char *name, const char *value)
{
	printf("\"%s\":\"", name);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c < 0x20 || c == '"' || c == '\\' || c > 0x7e)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	printf("\",");
}

static void number(const char *name, int64_t value)
{
	printf("\"%s\":%" PRId64 ",", name, value);
}

static void count(const char *name, uint64_t value)
{
	printf("\"%s\":%" PRIu64 ",", name, value);
}

void result_head(const struct options *options, const struct limits *limits)
{
	struct utsname system;

	uname(&system);
	printf("{\"format\":\"bootlab-timerstress\",\"version\":1,");
	text("kernel", system.release);
	text("machine", system.machine);
	text("mode", mode_name(options->mode));
	text("clock", clock_name(options->clock));
	text("receiver", receiver_name(options->receiver));
	printf("\"absolute\":%s,\"classic\":%s,", options->absolute ? "true" : "false", options->classic ? "true" : "false");
	number("threads", options->receiver == RECEIVE_THREAD_ID ? options->threads : 1);
	printf("\"seconds\":%.9g,\"scale\":%.9g,", options->seconds, options->scale);
	count("seed", options->seed);
	number("min_ns", options->min_ns);
	number("range_ns", options->range_ns);
	number("late_ns", options->late_ns);
	number("pending_soft", limits->pending_soft);
	number("pending_hard", limits->pending_hard);
	number("pending_used", limits->pending_used);
	number("files_soft", limits->files_soft);
	number("timer_max", limits->timer_max);
	printf("\"resolution_ns\":%" PRId64 "}\n", limits->resolution_ns);
	fflush(stdout);
}

static void histogram(const struct histogram *found)
{
	const char *comma = "";

	printf("\"lateness\":{");
	count("count", found->total);
	count("sum_ns", found->sum_ns);
	for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		count(share_names[i], histogram_percentile(found, shares[i]));
	count("max_ns", found->max_ns);
	printf("\"buckets\":[");
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!found->count[i])
			continue;
		printf("%s[%" PRIu64 ",%" PRIu64 "]", comma, histogram_edge(i), found->count[i]);
		comma = ",";
	}
	printf("]}");
}

void result_stress(const struct run *run, const struct run *control)
{
	printf("{\"kind\":\"stress\",");
	number("timers", run->population.wanted);
	number("created", run->timers_created);
	text("refused", run->population.refused ? strerrorname_np(run->population.refused) : "");
	number("elapsed_ns", run->length_ns);
	number("wall_ns", run->wall_ns);
	number("create_ns", run->population.create_ns);
	number("arm_ns", run->population.arm_ns);
	count("events", run->events);
	count("deliveries", run->deliveries);
	count("overruns", run->overruns);
	count("expirations", run->in_run);
	count("due_least", run->due_least);
	count("due_most", run->due_most);
	count("lost", run->lost);
	count("duplicated", run->duplicated);
	count("early", run->early);
	count("late", run->late);
	count("in_flight", run->in_flight);
	count("planted_dropped", run->planted.dropped);
	count("planted_copied", run->planted.copied);
	count("planted_delayed", run->planted.delayed);
	number("user_ns", run->user_ns);
	number("system_ns", run->system_ns);
	number("switches", run->switches);
	number("control_user_ns", control->user_ns);
	number("control_system_ns", control->system_ns);
	number("control_wall_ns", control->wall_ns);
	histogram(&run->lateness);
	printf("}\n");
	fflush(stdout);
}

void result_numbers(const char *kind, unsigned timers, ...)
{
	va_list rest;
	const char *name;

	printf("{\"kind\":\"%s\",\"timers\":%u", kind, timers);
	va_start(rest, timers);
	while ((name = va_arg(rest, const char *)))
		printf(",\"%s\":%" PRId64, name, va_arg(rest, int64_t));
	va_end(rest);
	printf("}\n");
	fflush(stdout);
}
