// SPDX-License-Identifier: MIT
/* What a run shall do, from the command line. */
#ifndef BOOTLAB_TIMERS_OPTIONS_H
#define BOOTLAB_TIMERS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define POPULATIONS_MAX 64
#define THREADS_MAX 64

enum receiver {
	RECEIVE_SIGWAIT,   /* sigtimedwait() on a blocked real-time signal */
	RECEIVE_HANDLER,   /* a signal handler, as in 2003 */
	RECEIVE_SIGNALFD,  /* signalfd and poll */
	RECEIVE_THREAD_ID, /* SIGEV_THREAD_ID to several threads */
	RECEIVE_THREAD,    /* SIGEV_THREAD: glibc calls a function */
	RECEIVE_TIMERFD,   /* timerfd and epoll */
};

enum mode {
	MODE_STRESS, /* periodic timers for a time, accounted for */
	MODE_BURST,  /* all timers due at one instant */
	MODE_CURVES, /* cost of create, arm, lookup and delete by population */
	MODE_CHURN,  /* timers created, armed again, stopped and deleted while others expire */
	MODE_LIMIT,  /* how many timers the system grants */
};

struct plant {
	unsigned drop_every; /* 0: none */
	unsigned copy_every;
	unsigned delay_every;
	int64_t delay_ns;
};

struct options {
	enum mode mode;
	enum receiver receiver;
	clockid_t clock;
	bool absolute;
	bool classic;
	bool supervised; /* a watchdog process ends the run when it hangs */
	unsigned populations[POPULATIONS_MAX];
	unsigned population_count;
	unsigned threads;
	double seconds;
	double scale;
	double grace_s;
	uint64_t seed;
	int64_t min_ns;
	int64_t range_ns;
	int64_t late_ns; /* deliveries later than this are counted as late */
	struct plant plant;
};

/* Read the command line; on a mistake say which on standard error and return -1. `--help` prints and exits. */
int options_read(struct options *options, int argc, char **argv);
const char *receiver_name(enum receiver receiver);
const char *mode_name(enum mode mode);
const char *clock_name(clockid_t clock);
/* A clock that counts the time that the process computes, and so stands still while it waits. */
bool clock_is_cpu_time(clockid_t clock);

#endif
