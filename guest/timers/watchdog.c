// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watchdog.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_TIMED_OUT 124

void watchdog_start(double seconds)
{
	sigset_t set, old;
	struct timespec patience = { .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };
	pid_t parent = getpid(), child;
	int status = 0, signo;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	child = fork();
	if (child < 0) {
		perror("timerstress: no watchdog process");
		sigprocmask(SIG_SETMASK, &old, NULL);
		return;
	}
	if (child == 0) {
		/* Killed hard, the parent takes no signal: the kernel tells the child. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		setpgid(0, 0);
		sigprocmask(SIG_SETMASK, &old, NULL);
		return;
	}
	setpgid(child, child);
	signo = sigtimedwait(&set, NULL, &patience);
	if (signo != SIGCHLD)
		kill(-child, SIGKILL);
	waitpid(child, &status, 0);
	if (signo < 0) {
		fprintf(stderr, "timerstress: the run did not end within %.0f s and was killed\n", seconds);
		exit(STATUS_TIMED_OUT);
	}
	if (signo != SIGCHLD)
		exit(128 + signo);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
