// SPDX-License-Identifier: MIT
/*
 * A first program that waits for the clock: it works for as long as the kernel's parameter `work=` says (thousands of
 * turns of a loop), says that it waits, sleeps until the second turns and says that it is there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    const char *work = getenv("work"); /* the kernel hands what it does not know over to init */
    volatile unsigned long turns = work ? strtoul(work, NULL, 10) * 1000 : 0;
    while (turns)
        turns--;
    puts("\nsecond: waiting"); /* firmware leaves its last line open */
    fflush(stdout);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const struct timespec turn = {.tv_sec = now.tv_sec + 1};
    while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &turn, NULL) == EINTR)
        ;
    puts("second: turned");
    fflush(stdout);
    for (;;)
        pause();
}
