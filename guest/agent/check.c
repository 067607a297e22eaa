// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"

#define WORDS_MAX 64
#define COMMAND_MAX 8192
#define OUTPUT_MAX (256UL << 10)
#define LINE_MAX_BYTES 4096
#define SECONDS_MAX 60
#define STEP_MS 5

static char command[COMMAND_MAX];
static char *words[WORDS_MAX + 1];

static int read_command(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, command, sizeof(command) - 1);
	size_t n = 0;
	char *rest = command;

	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return -1;
	command[size] = '\0';
	while (rest && *rest && n < WORDS_MAX) {
		words[n] = strsep(&rest, "\n");
		n++;
	}
	return n ? 0 : -1;
}

/* The agent lives in a mount namespace of its own, made before init mounted anything; init's view is the real one. */
static void enter_init_view(const char *proc)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/1/ns/mnt", proc);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && setns(fd, CLONE_NEWNS) == 0 && chdir("/") == 0)
		close(fd);
}

static void run(int output, const char *proc)
{
	int null;

	enter_init_view(proc);
	null = open("/dev/null", O_RDONLY);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	alarm(SECONDS_MAX);
	execvp(words[0], words);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

static void pass_lines_on(int input, void (*meanwhile)(void))
{
	struct pollfd ready = { .fd = input, .events = POLLIN };
	static char line[LINE_MAX_BYTES];
	size_t used = 0, total = 0;
	char byte[4096];
	ssize_t n;

	for (;;) {
		while (meanwhile && poll(&ready, 1, STEP_MS) == 0)
			meanwhile();
		n = read(input, byte, sizeof(byte));
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		for (ssize_t i = 0; i < n && total < OUTPUT_MAX; i++, total++) {
			if (byte[i] == '\n' || used == sizeof(line)) {
				report_line("run", line, used, ESCAPE_LINE);
				used = 0;
			}
			if (byte[i] != '\n')
				line[used++] = byte[i];
		}
	}
	if (used)
		report_line("run", line, used, ESCAPE_LINE);
}

void check_report(const char *file, const char *proc, void (*meanwhile)(void))
{
	int ends[2], status = 0;
	char text[32];
	pid_t pid;

	if (read_command(file) < 0 || pipe2(ends, O_CLOEXEC) < 0) {
		report_line("exit", "126", 3, ESCAPE_LINE);
		return;
	}
	pid = fork();
	if (pid == 0)
		run(ends[1], proc);
	close(ends[1]);
	pass_lines_on(ends[0], meanwhile);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	snprintf(text, sizeof(text), "%d", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	report_line("exit", text, strlen(text), ESCAPE_LINE);
}
