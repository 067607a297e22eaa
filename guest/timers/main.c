// SPDX-License-Identifier: MIT
/*
 * timerstress: thousands of POSIX timers, every expiration accounted for.
 *
 * After the program of the same name by Randy Dunlap (OSDL, 2003), which George Anzinger's performance test of the
 * high-resolution timers patch was the base of: the same draw of intervals, written anew.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "costs.h"
#include "result.h"
#include "watchdog.h"

static int refuse(const char *what, int error)
{
	fprintf(stderr, "timerstress: cannot %s: %s\n", what, strerror(error));
	if (error == EAGAIN)
		fputs("timerstress: each timer takes a slot of RLIMIT_SIGPENDING (ulimit -i), shared by all of the user's"
		      " processes\n", stderr);
	else if (error == EMFILE)
		fputs("timerstress: each timerfd takes a file descriptor (ulimit -n)\n", stderr);
	else if (error == EPERM)
		fputs("timerstress: this clock needs a privilege (capabilities(7): CAP_WAKE_ALARM)\n", stderr);
	else if (error == ENOSYS)
		fputs("timerstress: this kernel is built without it (CONFIG_SIGNALFD, CONFIG_TIMERFD, CONFIG_EPOLL);"
		      " sigwait needs none of them\n", stderr);
	else if (error == ETIME)
		fputs("timerstress: the machine is too slow to arm that many before they are due\n", stderr);
	return 1;
}

static int stress(const struct options *options)
{
	static struct run run, control;
	const char *what;
	int failed;

	/* What the program itself costs: the same length without a timer. */
	failed = run_stress(&control, options, 0, &what);
	for (unsigned i = 0; i < options->population_count && !failed; i++) {
		failed = run_stress(&run, options, options->populations[i], &what);
		if (failed)
			break;
		result_stress(&run, &control);
		run_free(&run);
	}
	run_free(&control);
	return failed ? refuse(what, failed) : 0;
}

static int costs(const struct options *options)
{
	int failed = 0;

	if (options->mode == MODE_LIMIT)
		failed = costs_limit(options);
	for (unsigned i = 0; options->mode != MODE_LIMIT && i < options->population_count && !failed; i++) {
		unsigned timers = options->populations[i];

		failed = options->mode == MODE_CURVES ? costs_curve(options, timers) :
			 options->mode == MODE_BURST  ? costs_burst(options, timers) :
							costs_churn(options, timers);
	}
	return failed ? refuse("create the timers", failed) : 0;
}

int main(int argc, char **argv)
{
	struct options options;
	struct limits limits;

	if (options_read(&options, argc, argv))
		return 2;
	limits_raise();
	limits_read(&limits, options.clock);
	if (options.supervised) {
		double run = options.seconds / (options.classic ? options.scale : 1) + options.grace_s;

		watchdog_start((run * 2 + 30) * (options.population_count + 1));
	}
	/* Paging would be measured as lateness; without the privilege it may. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	result_head(&options, &limits);
	return options.mode == MODE_STRESS ? stress(&options) : costs(&options);
}
