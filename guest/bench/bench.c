// SPDX-License-Identifier: MIT
/*
 * What a kernel costs at run time, after lmbench's definitions (McVoy and Staelin, USENIX 1996), run as the first
 * process so that nothing else runs beside it:
 *
 *   stat     one stat() of an existing file with a path of one component      (lat_syscall stat)
 *   fork     fork(), the child calls _exit(), the parent waits                (lat_proc fork)
 *   pipe     one byte to another process through a pipe and back              (lat_pipe)
 *   context  a token goes round a ring of 16 processes through pipes; each sums up an array of 64 KiB when it has it.
 *            Printed is the time of one hop less that of the same work (pipe write, read and sum) in one process
 *            (lat_ctx -s 64 16)
 *
 * Prints "@BENCH name nanoseconds rounds" for each and "@BENCH end". Times are CLOCK_MONOTONIC.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RING = 16, WORK_BYTES = 64 * 1024, STATS = 2000, FORKS = 50, TRIPS = 500, LAPS = 30 };

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fail(const char *what)
{
	printf("@BENCH failed %s: %s\n", what, strerror(errno));
	fflush(stdout);
	for (;;)
		pause();
}

static void result(const char *name, int64_t ns, int rounds)
{
	printf("@BENCH %s %lld %d\n", name, (long long)(ns / rounds), rounds);
	fflush(stdout);
}

static void make_pipe(int ends[2])
{
	if (pipe(ends))
		fail("pipe");
}

static pid_t make_process(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static void pass(int to)
{
	char token = 't';

	if (write(to, &token, 1) != 1)
		fail("write");
}

/* Returns 0 at the end of the pipe. */
static int take(int from)
{
	char token;
	ssize_t got = read(from, &token, 1);

	if (got < 0)
		fail("read");
	return got == 1;
}

static void bench_stat(void)
{
	struct stat found;
	int64_t start;
	int i;

	if (stat("/init", &found))
		fail("stat /init");
	start = now_ns();
	for (i = 0; i < STATS; i++)
		stat("/init", &found);
	result("stat", now_ns() - start, STATS);
}

static void bench_fork(void)
{
	int64_t start = 0;
	int i;

	/* The first one fills what the rest find. */
	for (i = -1; i < FORKS; i++) {
		pid_t pid;

		if (i == 0)
			start = now_ns();
		pid = make_process();
		if (pid == 0)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			fail("waitpid");
	}
	result("fork", now_ns() - start, FORKS);
}

static void bench_pipe(void)
{
	int there[2], back[2], i;
	int64_t start = 0;
	pid_t pid;

	make_pipe(there);
	make_pipe(back);
	pid = make_process();
	if (pid == 0) {
		close(there[1]);
		while (take(there[0]))
			pass(back[1]);
		_exit(0);
	}
	for (i = -1; i < TRIPS; i++) {
		if (i == 0)
			start = now_ns();
		pass(there[1]);
		take(back[0]);
	}
	result("pipe", now_ns() - start, TRIPS);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	waitpid(pid, NULL, 0);
}

static volatile unsigned int sink;

static void work(const unsigned int *array)
{
	unsigned int sum = 0, i;

	for (i = 0; i < WORK_BYTES / sizeof(*array); i++)
		sum += array[i];
	sink = sum;
}

static unsigned int *new_array(void)
{
	unsigned int *array = malloc(WORK_BYTES);

	if (!array)
		fail("malloc");
	memset(array, 1, WORK_BYTES);
	return array;
}

static int by_size(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* The median lap: what the kernel does now and then on its own falls into few of them. */
static int64_t median(int64_t laps[LAPS])
{
	qsort(laps, LAPS, sizeof(laps[0]), by_size);
	return laps[LAPS / 2];
}

/* A lap of one process alone: as many hops and sums as the ring makes in one. */
static int64_t overhead_ns(void)
{
	unsigned int *array = new_array();
	int64_t laps[LAPS];
	int ends[2], i, n;

	make_pipe(ends);
	for (i = -1; i < LAPS; i++) {
		int64_t start = now_ns();

		for (n = 0; n < RING; n++) {
			pass(ends[1]);
			take(ends[0]);
			work(array);
		}
		/* The first one fills what the rest find. */
		if (i >= 0)
			laps[i] = now_ns() - start;
	}
	close(ends[0]);
	close(ends[1]);
	free(array);
	return median(laps);
}

static void bench_context(void)
{
	int64_t laps[LAPS], alone = overhead_ns();
	int pipes[RING][2], i, n;
	unsigned int *array;

	for (n = 0; n < RING; n++)
		make_pipe(pipes[n]);
	for (n = 1; n < RING; n++) {
		if (make_process() == 0) {
			/* Only the writer before may hold an end that keeps this reader from its end of file. */
			for (i = 0; i < RING; i++)
				if (i != n)
					close(pipes[i][1]);
			array = new_array();
			while (take(pipes[n - 1][0])) {
				work(array);
				pass(pipes[n][1]);
			}
			_exit(0);
		}
	}
	array = new_array();
	for (i = -1; i < LAPS; i++) {
		int64_t start = now_ns();

		pass(pipes[0][1]);
		take(pipes[RING - 1][0]);
		work(array);
		if (i >= 0)
			laps[i] = now_ns() - start;
	}
	result("context", median(laps) - alone, RING);
	for (n = 0; n < RING; n++)
		close(pipes[n][1]);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	/* As the first process of an initramfs it has no standard files yet where there is no /dev/console. */
	if (fcntl(1, F_GETFD) < 0) {
		open("/dev/console", O_RDWR);
		dup(0);
		dup(0);
	}
	bench_stat();
	bench_fork();
	bench_pipe();
	bench_context();
	printf("@BENCH end\n");
	fflush(stdout);
	for (;;)
		pause();
}
