// SPDX-License-Identifier: MIT
/*
 * The /init of a system that is booted to try its timers: runs the commands of /etc/timers (a line each, words apart by
 * spaces), tells on the console how each ended, and powers off. The line `raise-limits` lifts the limits on timers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 128

/* The kernel's messages would land in the middle of our lines. */
static void silence_kernel(void)
{
	int fd = open("/proc/sys/kernel/printk", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1)
		puts("@timers note the kernel's messages stay on");
	close(fd);
}

static void tell_file(const char *name, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];

	if (file && fgets(line, sizeof(line), file))
		printf("@timers fact %s %s%s", name, line, strchr(line, '\n') ? "" : "\n");
	if (file)
		fclose(file);
}

/* A process may have as many timers as there is memory for: the machine is ours alone. */
static int raise_limits(void)
{
	static const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY }, files = { 1 << 20, 1 << 20 };

	return setrlimit(RLIMIT_SIGPENDING, &none) || setrlimit(RLIMIT_NOFILE, &files);
}

static int run(char *line)
{
	char *words[WORDS_MAX + 1];
	int count = 0, status = -1;
	pid_t child;

	for (char *word = strtok(line, " \n"); word && count < WORDS_MAX; word = strtok(NULL, " \n"))
		words[count++] = word;
	words[count] = NULL;
	if (!count)
		return 0;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		execv(words[0], words);
		perror(words[0]);
		_exit(127);
	}
	if (child < 0)
		return 126;
	/* Orphans come to us too. */
	for (pid_t done = 0; done != child;)
		done = wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void)
{
	char line[1024];
	FILE *file;
	int worst = 0;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	silence_kernel();
	file = fopen("/etc/timers", "re");
	while (file && fgets(line, sizeof(line), file)) {
		int status = strcmp(line, "raise-limits\n") == 0 ? raise_limits() : run(line);

		printf("@timers status %d\n", status);
		worst = status > worst ? status : worst;
	}
	/* As they are now: a kernel starts with another clock source than it ends up with (tsc-early). */
	tell_file("clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	tell_file("clocksources", "/sys/devices/system/clocksource/clocksource0/available_clocksource");
	tell_file("clockevent", "/sys/devices/system/clockevents/clockevent0/current_device");
	printf("@timers end %d\n", file ? worst : 127);
	fflush(stdout);
	fsync(STDOUT_FILENO);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
