// SPDX-License-Identifier: MIT
/*
 * bootlab's diagnostic agent. It is started in the place of init:
 *
 *   rdinit=/bootlab-agent BOOTLAB_INIT=/init BOOTLAB_WAIT_MS=2000
 *
 * With BOOTLAB_CHECK=FILE it runs the command of that file instead and reports what it prints (check.h), with
 * BOOTLAB_TRACE=BYTES it reports so much of what the kernel's tracer has recorded (trace.h). With BOOTLAB_ACCESSES it
 * watches who touches which file, by every method that the kernel has (watch.h, files.h), also while the check's command
 * runs, and reports that. With BOOTLAB_OFF it switches the machine off behind its report (state.h).
 *
 * It forks. The first process becomes the system's own init, with init's arguments; the child waits, then reports on
 * the serial port which files were read, what the kernel logged and what /proc says (report.h). The child works in a
 * mount namespace of its own, so that nothing it needs is seen by the system and nothing the system mounts hides a file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "kernel.h"
#include "maps.h"
#include "report.h"
#include "seen.h"
#include "state.h"
#include "trace.h"
#include "watch.h"

#define WAIT_MS_DEFAULT 2000UL
#define SYSLOG_CONSOLE_OFF 6
#define SYSLOG_CONSOLE_ON 7

struct places {
	char port[64];
	char kmsg[64];
	char proc[64];
	char tracing[64];
};

/*
 * The serial port that the kernel prints on, from /proc/consoles (fs/proc/consoles.c: name, flags, major:minor). The
 * screens, major 4 below 64, are passed over; ttyS0 where the file says nothing.
 */
static dev_t console_port(const char *proc)
{
	char path[80], line[256];
	dev_t found = makedev(4, 64);
	FILE *list;

	snprintf(path, sizeof(path), "%s/consoles", proc);
	list = fopen(path, "re");
	while (list && fgets(line, sizeof(line), list)) {
		const char *device = strrchr(line, ' ');
		unsigned int high, low;

		if (!device || sscanf(device, "%u:%u", &high, &low) != 2 || (high == 4 && low < 64))
			continue;
		found = makedev(high, low);
		break;
	}
	if (list)
		fclose(list);
	return found;
}

/* In our own namespace: a tmpfs with the nodes we need and /proc in it. Otherwise what the system has. */
static void make_places(struct places *at)
{
	const char *base = files_empty_folder();

	snprintf(at->port, sizeof(at->port), "/dev/ttyS0");
	snprintf(at->kmsg, sizeof(at->kmsg), "/dev/kmsg");
	snprintf(at->proc, sizeof(at->proc), "/proc");
	snprintf(at->tracing, sizeof(at->tracing), "/sys/kernel/tracing");
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return;
	if (!base || strlen(base) > 40) {
		base = "/.bootlab-agent";
		if (mkdir(base, 0700) < 0 && errno != EEXIST)
			return;
	}
	if (mount("tmpfs", base, "tmpfs", 0, "mode=700") < 0 && mount("ramfs", base, "ramfs", 0, NULL) < 0)
		return;
	snprintf(at->port, sizeof(at->port), "%s/port", base);
	snprintf(at->kmsg, sizeof(at->kmsg), "%s/kmsg", base);
	snprintf(at->proc, sizeof(at->proc), "%s/proc", base);
	mknod(at->kmsg, S_IFCHR | 0600, makedev(1, 11));
	mkdir(at->proc, 0700);
	mount("proc", at->proc, "proc", 0, NULL);
	mknod(at->port, S_IFCHR | 0600, console_port(at->proc));
	if (getenv("BOOTLAB_TRACE") || getenv("BOOTLAB_ACCESSES")) {
		snprintf(at->tracing, sizeof(at->tracing), "%s/tracing", base);
		mkdir(at->tracing, 0700);
		mount("tracefs", at->tracing, "tracefs", 0, NULL);
	}
}

static unsigned long wait_ms(void)
{
	const char *text = getenv("BOOTLAB_WAIT_MS");
	char *end;
	unsigned long ms;

	if (!text || !*text)
		return WAIT_MS_DEFAULT;
	ms = strtoul(text, &end, 10);
	return *end || ms > 3600000UL ? WAIT_MS_DEFAULT : ms;
}

static int open_port(const char *path)
{
	struct termios tio;
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return STDOUT_FILENO;
	if (tcgetattr(fd, &tio) == 0) {
		cfsetspeed(&tio, B115200);
		tcsetattr(fd, TCSANOW, &tio);
	}
	return fd;
}

static void report_accesses(const struct places *at)
{
	watch_rest();
	files_seen();
	seen_phase(PHASE_CHECK);
	if (getenv("BOOTLAB_CHECK"))
		check_report(getenv("BOOTLAB_CHECK"), at->proc, watch_rest);
	watch_rest();
	files_seen();
	seen_report();
	kernel_report_proc(at->proc);
}

static void report(const struct places *at, unsigned long ms)
{
	struct timespec left = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000L };
	int port;

	if (getenv("BOOTLAB_ACCESSES"))
		watch_for(ms);
	else
		while (nanosleep(&left, &left) < 0 && errno == EINTR)
			;
	if (getenv("BOOTLAB_TRACE"))
		trace_stop(at->tracing);
	port = open_port(at->port);
	/* The kernel does not wait for a writer's line to end, so it is kept off the console while we write. */
	klogctl(SYSLOG_CONSOLE_OFF, NULL, 0);
	report_begin(port);
	if (getenv("BOOTLAB_ACCESSES")) {
		report_accesses(at);
	} else if (getenv("BOOTLAB_CHECK")) {
		check_report(getenv("BOOTLAB_CHECK"), at->proc, NULL);
	} else if (getenv("BOOTLAB_TRACE")) {
		trace_report(at->tracing, strtoul(getenv("BOOTLAB_TRACE"), NULL, 10));
	} else {
		files_report();
		kernel_report_proc(at->proc);
		maps_report(at->proc);
		state_report(at->proc);
		kernel_report_log(at->kmsg);
	}
	report_end();
	tcdrain(port);
	klogctl(SYSLOG_CONSOLE_ON, NULL, 0);
	if (getenv("BOOTLAB_OFF"))
		state_power_off();
}

/* The child: mark, tell the parent that it may go on, wait, report. */
static void child(const char *self, int ready)
{
	struct places at;
	unsigned long ms = wait_ms();

	setsid();
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	files_mark(self, getenv("BOOTLAB_ACCESSES") != NULL);
	make_places(&at);
	if (getenv("BOOTLAB_ACCESSES"))
		watch_start(at.proc, at.tracing);
	else
		report_waits(STDOUT_FILENO);
	close(ready);
	report(&at, ms);
	_exit(EXIT_SUCCESS);
}

static void become_init(char **argv)
{
	static const char *const usual[] = { "/init", "/sbin/init", "/etc/init", "/bin/init", "/bin/sh" };
	char *given = getenv("BOOTLAB_INIT");
	char *init = given && *given ? strdup(given) : NULL;

	unsetenv("BOOTLAB_INIT");
	unsetenv("BOOTLAB_WAIT_MS");
	unsetenv("BOOTLAB_CHECK");
	unsetenv("BOOTLAB_TRACE");
	unsetenv("BOOTLAB_OFF");
	unsetenv("BOOTLAB_ACCESSES");
	if (init) {
		argv[0] = init;
		execv(init, argv);
		fprintf(stderr, "bootlab-agent: cannot start %s: %s\n", init, strerror(errno));
		return;
	}
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		argv[0] = strdup(usual[i]);
		if (argv[0])
			execv(argv[0], argv);
	}
	fprintf(stderr, "bootlab-agent: no init found; set BOOTLAB_INIT on the kernel command line\n");
}

int main(int argc, char **argv)
{
	int ready[2];
	char byte;

	if (argc < 1 || pipe2(ready, O_CLOEXEC) < 0)
		return EXIT_FAILURE;
	switch (fork()) {
	case 0:
		close(ready[0]);
		child(argv[0], ready[1]);
		break;
	case -1:
		perror("bootlab-agent: fork");
		break;
	default:
		break;
	}
	close(ready[1]);
	/* The end of the pipe: every file is marked, init may read. */
	while (read(ready[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(ready[0]);
	become_init(argv);
	return EXIT_FAILURE;
}
