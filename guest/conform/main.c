// SPDX-License-Identifier: MIT
/*
 * timerconform: 90 assertions about the POSIX timer functions, each judged in a process of its own.
 *
 * One line of JSON a check on standard output; the first line tells the system, the last one the sums.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define COUNT 90
#define PATIENCE_S 30

/* What a check leaves behind, in memory that its process shares with us. */
struct outcome {
	enum verdict verdict;
	char evidence[400];
};

static struct outcome *outcome;
static bool clock_may_be_set;

static const char *const verdicts[] = { "pass", "fail", "deviation", "unsupported", "unresolved", "untested" };
static const char *const statuses[] = { "shall", "may", "undefined", "implementation-defined", "linux" };

static const char usage[] = "usage: timerconform [OPTION]... [NUMBER]...\n"
			    "Checks the assertions with these numbers, or all 90; one line of JSON each.\n"
			    "  --set-clock   also those that set CLOCK_REALTIME (only on a machine to throw away)\n"
			    "  --plant N     put a fake layer in, with a bug against assertion N\n"
			    "  --plants      check each assertion with a bug against it: each must fail\n";

static void add(const char *format, va_list arguments)
{
	size_t used = strlen(outcome->evidence);

	if (used && used + 2 < sizeof(outcome->evidence)) {
		strcpy(outcome->evidence + used, "; ");
		used += 2;
	}
	vsnprintf(outcome->evidence + used, sizeof(outcome->evidence) - used, format, arguments);
}

void end(enum verdict verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(format, arguments);
	va_end(arguments);
	outcome->verdict = verdict;
	_exit(0);
}

void note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(format, arguments);
	va_end(arguments);
}

bool may_set_clock(void)
{
	return clock_may_be_set;
}

const char *error_name(int error)
{
	const char *name = error ? strerrorname_np(error) : "success";

	return name ? name : "unknown error";
}

static const struct check *find(int number)
{
	static const struct check *const groups[] = { create_checks, settime_checks, gettime_checks, overrun_checks,
						      clock_checks,  sleep_checks,   timerfd_checks };

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct check *check = groups[i]; check->number; check++)
			if (check->number == number)
				return check;
	return NULL;
}

static void in_child(const struct check *check, int plant)
{
	char text[16];
	sigset_t set;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	for (int signo = SIGRTMIN; signo <= SIGRTMIN + 3; signo++)
		sigaddset(&set, signo);
	sigprocmask(SIG_SETMASK, &set, NULL);
	snprintf(text, sizeof(text), "%d", plant);
	setenv("CONFORM_PLANT", text, 1);
	if (plant)
		api_plant(plant);
	check->run();
	outcome->verdict = PASS;
	_exit(0);
}

static void judge(const struct check *check, int plant)
{
	struct timespec patience = { .tv_sec = PATIENCE_S };
	sigset_t set, old;
	int status = 0;
	pid_t child;

	*outcome = (struct outcome){ .verdict = UNTESTED };
	if (check->sets_clock && !may_set_clock()) {
		strcpy(outcome->evidence, "it sets the clock of the machine: --set-clock");
		return;
	}
	outcome->verdict = UNRESOLVED;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &old);
	child = fork();
	if (child == 0)
		in_child(check, plant);
	if (child < 0) {
		snprintf(outcome->evidence, sizeof(outcome->evidence), "no process: %s", error_name(errno));
		return;
	}
	setpgid(child, child);
	if (sigtimedwait(&set, NULL, &patience) < 0) {
		outcome->verdict = FAIL;
		snprintf(outcome->evidence, sizeof(outcome->evidence), "did not end within %d s", PATIENCE_S);
	}
	kill(-child, SIGKILL);
	waitpid(child, &status, 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (outcome->verdict != FAIL && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
		outcome->verdict = FAIL;
		snprintf(outcome->evidence, sizeof(outcome->evidence), "ended by signal %d", WTERMSIG(status));
	}
}

static void text(const char *name, const char *value, const char *after)
{
	printf("\"%s\":\"", name);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c < 0x20 || c == '"' || c == '\\' || c > 0x7e)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	printf("\"%s", after);
}

static void report(const struct check *check, int plant)
{
	printf("{\"kind\":\"check\",\"number\":%d,", check->number);
	text("function", check->function, ",");
	text("status", statuses[check->status], ",");
	text("section", check->section, ",");
	text("opts", check->opts, ",");
	text("assertion", check->text, ",");
	printf("\"plant\":%d,", plant);
	text("verdict", verdicts[outcome->verdict], ",");
	text("evidence", outcome->evidence, "}\n");
	fflush(stdout);
}

/* The new program of assertion 11: is the timer of the old one still there? */
static int after_exec(int id, int plant)
{
	struct itimerspec value;
	siginfo_t info;

	if (plant)
		api_plant(plant);
	if (api.timer_gettime(id, &value) == 0)
		return 1;
	return take(&info, 80) >= 0 ? 2 : 0;
}

static void head(void)
{
	struct utsname system;

	uname(&system);
	printf("{\"format\":\"bootlab-timerconform\",\"version\":1,");
	text("kernel", system.release, ",");
	text("machine", system.machine, ",");
	printf("\"set_clock\":%s,\"time_bits\":%d}\n", clock_may_be_set ? "true" : "false", (int)sizeof(time_t) * 8);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "set-clock", 0, NULL, 's' }, { "plant", 1, NULL, 'p' },
						 { "plants", 0, NULL, 'P' },    { "help", 0, NULL, 'h' },
						 { NULL, 0, NULL, 0 } };
	int sums[UNTESTED + 1] = { 0 }, plant = 0, option;
	bool wanted[COUNT + 1] = { false }, some = false, plants = false;

	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcome == MAP_FAILED) {
		perror("timerconform");
		return 1;
	}
	if (argc == 4 && strcmp(argv[1], "--after-exec") == 0)
		return after_exec(atoi(argv[2]), atoi(argv[3]));
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		clock_may_be_set |= option == 's';
		plants |= option == 'P';
		if (option == 'p')
			plant = atoi(optarg);
		if (option == 'h' || option == '?' || plant < 0 || plant > COUNT) {
			fputs(usage, option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : 2;
		}
	}
	for (; optind < argc; optind++) {
		int number = atoi(argv[optind]);

		if (number < 1 || number > COUNT) {
			fprintf(stderr, "timerconform: %s is no number from 1 to %d\n", argv[optind], COUNT);
			return 2;
		}
		wanted[number] = some = true;
	}
	head();
	for (int number = 1; number <= COUNT; number++) {
		const struct check *check = find(number);

		if (!check || (some && !wanted[number]))
			continue;
		judge(check, plants ? number : plant);
		sums[outcome->verdict]++;
		report(check, plants ? number : plant);
	}
	printf("{\"kind\":\"end\"");
	for (int i = 0; i <= UNTESTED; i++)
		printf(",\"%s\":%d", verdicts[i], sums[i]);
	printf("}\n");
	return 0;
}
