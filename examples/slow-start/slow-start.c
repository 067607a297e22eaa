// SPDX-License-Identifier: MIT
/*
 * An application that starts as slowly as many do, with everything planted in known amounts:
 *
 *   a device that is polled for every 100 ms, and comes after 750 ms (a helper process makes it, as a driver would)
 *   40 probes for configuration files that are not there
 *   sleep(1) once, and three sleeps of 50 ms in a loop
 *   200 ms of waiting in poll() for something that never comes
 *   a helper command that is started and waited for
 *   2 MB read of which nothing is used
 *
 * Usage: slow-start [DEVICE [BIG-FILE]]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

/* The driver, as far as the application can see. */
static void device_comes(const char *device, long after_ms)
{
	if (fork() == 0) {
		sleep_ms(after_ms);
		close(open(device, O_WRONLY | O_CREAT, 0600));
		_exit(0);
	}
}

static void wait_for(const char *device)
{
	int fd;

	while ((fd = open(device, O_RDONLY)) < 0)
		sleep_ms(100);
	close(fd);
}

static void probe(void)
{
	char path[64];

	for (int n = 0; n < 40; n++) {
		snprintf(path, sizeof(path), "/etc/slow-start.d/%02d.conf", n);
		close(open(path, O_RDONLY));
	}
}

static void helper(const char *self)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		execl(self, self, "--helper", (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
}

int main(int argc, char **argv)
{
	const char *device = argc > 1 ? argv[1] : "/dev/video0";
	const char *big = argc > 2 ? argv[2] : "/usr/share/slow-start.bin";
	static char buffer[65536];
	int pipes[2], fd;
	ssize_t n;

	if (argc > 1 && device[0] == '-')
		return 0;
	device_comes(device, 750);
	wait_for(device);
	probe();
	sleep(1);
	for (int i = 0; i < 3; i++)
		sleep_ms(50);
	if (pipe(pipes) == 0) {
		struct pollfd waited = { .fd = pipes[0], .events = POLLIN };

		poll(&waited, 1, 200);
	}
	helper("/proc/self/exe");
	fd = open(big, O_RDONLY);
	while (fd >= 0 && (n = read(fd, buffer, sizeof(buffer))) > 0)
		;
	printf("slow-start: ready\n");
	fflush(stdout);
	if (getpid() == 1)
		for (;;)
			pause();
	return 0;
}
