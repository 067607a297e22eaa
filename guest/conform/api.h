// SPDX-License-Identifier: MIT
/*
 * The functions under test, called through a table, so that a fake layer with one planted bug can stand in their place.
 *
 * The timer functions are the kernel's own, with its integer IDs: glibc takes an ID with the top bit set for a pointer
 * (timer_routines.h), so that a bad ID would end the checker.
 */
#ifndef BOOTLAB_CONFORM_API_H
#define BOOTLAB_CONFORM_API_H

#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>

struct posix_timers_api {
	int (*timer_create)(clockid_t clock, struct sigevent *event, int *id);
	int (*timer_settime)(int id, int flags, const struct itimerspec *value, struct itimerspec *old);
	int (*timer_gettime)(int id, struct itimerspec *value);
	int (*timer_getoverrun)(int id);
	int (*timer_delete)(int id);
	/* libc's timer with SIGEV_THREAD, created and armed; returns 0 or an errno */
	int (*thread_timer)(struct sigevent *event, const struct itimerspec *value, timer_t *id);
	int (*sigtimedwait)(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);
	int (*clock_getres)(clockid_t clock, struct timespec *resolution);
	int (*clock_gettime)(clockid_t clock, struct timespec *now);
	int (*clock_settime)(clockid_t clock, const struct timespec *value);
	int (*clock_getcpuclockid)(pid_t pid, clockid_t *clock);
	int (*clock_nanosleep)(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
	int (*nanosleep)(const struct timespec *time, struct timespec *left);
	int (*timerfd_create)(int clock, int flags);
	int (*timerfd_settime)(int fd, int flags, const struct itimerspec *value, struct itimerspec *old);
	ssize_t (*timerfd_read)(int fd, void *count, size_t bytes);
	int (*poll)(struct pollfd *fds, nfds_t count, int ms);
	const char *timers_file; /* /proc/self/timers */
};

/* What every check calls: the system's functions, or the fake layer's. */
extern struct posix_timers_api api;

/* Put the fake layer in: the functions behave, but for the bug against assertion `number`. */
void api_plant(int number);

#endif
