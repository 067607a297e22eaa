// SPDX-License-Identifier: MIT
/* The first program of a Linux: sleeps SLEEPS times for a second, and prints the time between them, folded into one word. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifndef SLEEPS
#define SLEEPS 300
#endif

int main(void)
{
    uint64_t word = 0;
    for (int i = 0; i < SLEEPS; i++) {
        struct timespec pause = {1, 0}, now;
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        word = word * 31 + (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    printf("sleeps: done %016llx\n", (unsigned long long)word);
    fflush(stdout);
    for (;;)
        pause();
}
