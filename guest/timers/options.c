// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	clockid_t id;
} clocks[] = {
	{ "realtime", CLOCK_REALTIME }, { "monotonic", CLOCK_MONOTONIC },
	{ "boottime", CLOCK_BOOTTIME }, { "tai", CLOCK_TAI },
	{ "process", CLOCK_PROCESS_CPUTIME_ID }, { "thread", CLOCK_THREAD_CPUTIME_ID },
};

static const char *const receivers[] = {
	[RECEIVE_SIGWAIT] = "sigwait",       [RECEIVE_HANDLER] = "handler", [RECEIVE_SIGNALFD] = "signalfd",
	[RECEIVE_THREAD_ID] = "thread-id",   [RECEIVE_THREAD] = "thread",   [RECEIVE_TIMERFD] = "timerfd",
};

static const char *const modes[] = {
	[MODE_STRESS] = "stress", [MODE_BURST] = "burst", [MODE_CURVES] = "curves",
	[MODE_CHURN] = "churn",   [MODE_LIMIT] = "limit",
};

static const char usage[] =
	"usage: timerstress [MODE] [OPTION]...\n"
	"MODE: stress (default), burst, curves, churn, limit. One line of JSON a population on standard output.\n"
	"  --timers N[,N]...     populations (default 1000)\n"
	"  --seconds S           length of a run (default 60)\n"
	"  --scale K             classic intervals and the run divided by K (default 1)\n"
	"  --interval MIN:RANGE  random intervals of MIN to MIN+RANGE seconds in place of the classic ones\n"
	"  --clock NAME          realtime, monotonic (default), boottime, tai, process, thread\n"
	"  --receiver NAME       sigwait (default), handler, signalfd, thread-id, thread, timerfd\n"
	"  --threads N           receiving threads of thread-id (default 2)\n"
	"  --absolute            arm with TIMER_ABSTIME\n"
	"  --seed N              seed of the intervals (default 1)\n"
	"  --late S              deliveries later than this are counted (default 0.001)\n"
	"  --grace S             how long to drain after the stop (default 1)\n"
	"  --plant KIND=N[:S]    plant a fault in every Nth delivery: drop=N, copy=N, delay=N:S\n"
	"  --no-watchdog         no process that ends the run when it hangs\n";

const char *receiver_name(enum receiver receiver)
{
	return receivers[receiver];
}

const char *mode_name(enum mode mode)
{
	return modes[mode];
}

const char *clock_name(clockid_t clock)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (clocks[i].id == clock)
			return clocks[i].name;
	return "unknown";
}

bool clock_is_cpu_time(clockid_t clock)
{
	return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

static int wrong(const char *option, const char *value, const char *wanted)
{
	fprintf(stderr, "timerstress: %s: %s is not %s\n", option, value, wanted);
	return -1;
}

static int find(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

static int number(const char *option, const char *text, double least, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value) || *value < least || *value > most) {
		char wanted[80];

		snprintf(wanted, sizeof(wanted), "a number from %g to %g", least, most);
		return wrong(option, text, wanted);
	}
	return 0;
}

static int read_populations(struct options *options, char *text)
{
	options->population_count = 0;
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		double value;

		if (options->population_count == POPULATIONS_MAX)
			return wrong("--timers", word, "one of the first 64 populations");
		if (number("--timers", word, 0, 10e6, &value))
			return -1;
		options->populations[options->population_count++] = (unsigned)value;
	}
	return options->population_count ? 0 : wrong("--timers", "nothing", "a number");
}

static int read_interval(struct options *options, char *text)
{
	char *colon = strchr(text, ':');
	double min, range = 0;

	if (colon)
		*colon++ = '\0';
	if (number("--interval", text, 1e-9, 1e6, &min) || (colon && number("--interval", colon, 0, 1e6, &range)))
		return -1;
	options->classic = false;
	options->min_ns = (int64_t)(min * 1e9);
	options->range_ns = (int64_t)(range * 1e9);
	return 0;
}

static int read_plant(struct plant *plant, char *text)
{
	char *equals = strchr(text, '='), *colon;
	double every, seconds = 0;

	if (!equals)
		return wrong("--plant", text, "drop=N, copy=N or delay=N:S");
	*equals++ = '\0';
	colon = strchr(equals, ':');
	if (colon)
		*colon++ = '\0';
	if (number("--plant", equals, 1, 1e9, &every) || (colon && number("--plant", colon, 0, 1e3, &seconds)))
		return -1;
	if (strcmp(text, "drop") == 0)
		plant->drop_every = (unsigned)every;
	else if (strcmp(text, "copy") == 0)
		plant->copy_every = (unsigned)every;
	else if (strcmp(text, "delay") == 0 && colon) {
		plant->delay_every = (unsigned)every;
		plant->delay_ns = (int64_t)(seconds * 1e9);
	} else
		return wrong("--plant", text, "drop=N, copy=N or delay=N:S");
	return 0;
}

enum { TIMERS = 256, SECONDS, SCALE, INTERVAL, CLOCK, RECEIVER, THREADS, ABSOLUTE, SEED, LATE, GRACE, PLANT, ALONE, HELP };

static const struct option long_options[] = {
	{ "timers", 1, NULL, TIMERS },     { "seconds", 1, NULL, SECONDS },   { "scale", 1, NULL, SCALE },
	{ "interval", 1, NULL, INTERVAL }, { "clock", 1, NULL, CLOCK },       { "receiver", 1, NULL, RECEIVER },
	{ "threads", 1, NULL, THREADS },   { "absolute", 0, NULL, ABSOLUTE }, { "seed", 1, NULL, SEED },
	{ "late", 1, NULL, LATE },         { "grace", 1, NULL, GRACE },       { "plant", 1, NULL, PLANT },
	{ "no-watchdog", 0, NULL, ALONE }, { "help", 0, NULL, HELP },         { NULL, 0, NULL, 0 },
};

static int read_one(struct options *options, int option)
{
	double value;
	int found;

	switch (option) {
	case TIMERS:
		return read_populations(options, optarg);
	case SECONDS:
		return number("--seconds", optarg, 0.001, 1e6, &options->seconds);
	case SCALE:
		return number("--scale", optarg, 0.01, 1e6, &options->scale);
	case INTERVAL:
		return read_interval(options, optarg);
	case CLOCK:
		for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
			if (strcmp(clocks[i].name, optarg) == 0) {
				options->clock = clocks[i].id;
				return 0;
			}
		}
		return wrong("--clock", optarg, "realtime, monotonic, boottime, tai, process or thread");
	case RECEIVER:
		found = find(receivers, sizeof(receivers) / sizeof(receivers[0]), optarg);
		options->receiver = found < 0 ? RECEIVE_SIGWAIT : (enum receiver)found;
		return found < 0 ? wrong("--receiver", optarg, "sigwait, handler, signalfd, thread-id, thread or timerfd") : 0;
	case THREADS:
		found = number("--threads", optarg, 1, THREADS_MAX, &value);
		options->threads = found ? 1 : (unsigned)value;
		return found;
	case ABSOLUTE:
		options->absolute = true;
		return 0;
	case SEED:
		found = number("--seed", optarg, 0, 9007199254740992.0, &value);
		options->seed = found ? 0 : (uint64_t)value;
		return found;
	case LATE:
		found = number("--late", optarg, 0, 1e6, &value);
		options->late_ns = found ? 0 : (int64_t)(value * 1e9);
		return found;
	case GRACE:
		return number("--grace", optarg, 0, 1e4, &options->grace_s);
	case PLANT:
		return read_plant(&options->plant, optarg);
	case ALONE:
		options->supervised = false;
		return 0;
	case HELP:
		fputs(usage, stdout);
		exit(0);
	default:
		fputs("timerstress: see timerstress --help\n", stderr);
		return -1;
	}
}

int options_read(struct options *options, int argc, char **argv)
{
	int option, found;

	*options = (struct options){
		.clock = CLOCK_MONOTONIC, .classic = true, .supervised = true, .populations = { 1000 },
		.population_count = 1, .threads = 2, .seconds = 60, .scale = 1, .grace_s = 1, .seed = 1, .late_ns = 1000000,
	};
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (read_one(options, option))
			return -1;
	for (; optind < argc; optind++) {
		found = find(modes, sizeof(modes) / sizeof(modes[0]), argv[optind]);
		if (found < 0)
			return wrong("MODE", argv[optind], "stress, burst, curves, churn or limit");
		options->mode = (enum mode)found;
	}
	return 0;
}
