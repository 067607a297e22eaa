// SPDX-License-Identifier: MIT
/*
 * The only program of a Linux: how long do one, two, four equal jobs take that are started at once, and how long a sleep
 * of 100 ms? One line each, in microseconds of the monotonic clock; the last line says how many processors there are.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORK 4000000

static long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void job(void)
{
    __attribute__((unused)) volatile unsigned work = 0; // it is only to take time
    for (unsigned i = 0; i < WORK; i++)
        work += i;
}

int main(void)
{
    int console = open("/dev/console", O_RDWR);
    if (console >= 0 && console != 1)
        dup2(console, 1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int n = 1; n <= 4; n *= 2) {
        long start = now_us();
        for (int i = 0; i < n; i++)
            if (fork() == 0) {
                job();
                _exit(0);
            }
        while (wait(NULL) > 0)
            ;
        printf("jobs: %d take %ld us\n", n, now_us() - start);
    }
    long start = now_us();
    usleep(100000);
    printf("jobs: a sleep of 100000 us takes %ld us\n", now_us() - start);
    printf("jobs: done on %ld processors\n", sysconf(_SC_NPROCESSORS_ONLN));
    for (;;)
        pause();
}
