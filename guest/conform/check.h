// SPDX-License-Identifier: MIT
/* A check: one assertion about the timer functions, judged in a process of its own. */
#ifndef BOOTLAB_CONFORM_CHECK_H
#define BOOTLAB_CONFORM_CHECK_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "api.h"

enum verdict {
	PASS,
	FAIL,
	DEVIATION,   /* differs from the standard in a way that is known and documented */
	UNSUPPORTED, /* the system does not have it, and need not */
	UNRESOLVED,  /* the check could not be carried out */
	UNTESTED,    /* not asked for: it would set the clock */
};

enum status {
	SHALL,
	MAY,
	UNDEFINED, /* undefined or unspecified: judged against the documented behaviour of Linux */
	IMPLEMENTATION,
	LINUX,
};

struct check {
	int number;
	enum status status;
	bool sets_clock;
	const char *function;
	const char *section; /* of the function's page in POSIX.1-2017 XSH, or a Linux manual page */
	const char *opts;    /* assertion of the Open POSIX Test Suite, "" when it has none */
	const char *text;
	void (*run)(void);
};

extern const struct check create_checks[], settime_checks[], gettime_checks[], overrun_checks[], clock_checks[],
	sleep_checks[], timerfd_checks[];

/* End the check. A check that returns has passed. */
void end(enum verdict verdict, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
/* Evidence of a check that goes on. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool may_set_clock(void);

#define EXPECT(condition, ...)                        \
	do {                                          \
		if (!(condition))                     \
			end(FAIL, __VA_ARGS__);       \
	} while (0)

/* A call that returns -1 and sets errno. */
#define EXPECT_ERRNO(call, wanted)                                                                                  \
	do {                                                                                                        \
		errno = 0;                                                                                          \
		long got_ = (long)(call);                                                                           \
		int errno_ = errno;                                                                                 \
		EXPECT(got_ == -1 && errno_ == (wanted), "%s gave %ld, %s; wanted -1, %s", #call, got_,             \
		       error_name(errno_), error_name(wanted));                                                     \
	} while (0)

/* A call that returns its error number. */
#define EXPECT_NUMBER(call, wanted)                                                                                 \
	do {                                                                                                        \
		int got_ = (call);                                                                                  \
		EXPECT(got_ == (wanted), "%s gave %d, wanted %s", #call, got_, error_name(wanted));                 \
	} while (0)

const char *error_name(int error);

#define MS 1000000LL
#define S 1000000000LL
#define SIG SIGRTMIN
#define VALUE 4711
#define NO_CLOCK ((clockid_t)99)

int64_t ns_of(struct timespec time);
struct timespec time_of(int64_t ns);
int64_t now(clockid_t clock);
/* A timer that sends SIG with VALUE; its error ends the check. */
int make(clockid_t clock);
int make_with(clockid_t clock, int notify, int signo, int value);
/* Arm; an error ends the check. Nanoseconds. */
void arm(int id, int flags, int64_t value_ns, int64_t interval_ns);
/* Time left and interval of a timer. */
int64_t left(int id, int64_t *interval_ns);
/* Take one of the blocked signals within some milliseconds; -1 when none came. */
int take(siginfo_t *info, int ms);
/* Sleep at least so long, by the system's own call: not what is under test. */
void doze(int ms);
/* Compute for so long of the thread's own time. */
void burn(int ms);
/* The ID of a timer that was deleted. */
int deleted_timer(void);
/* Slots of the user's signal queue in use, by any process (SigQ of /proc/self/status); -1: not known. */
long queue_used(void);
/*
 * Timers that this process holds (/proc/self/timers, CONFIG_CHECKPOINT_RESTORE); without that file the slots of the
 * user's signal queue; -1: not known.
 */
long slots_used(void);

/* A schedule that starts at a time, and what was delivered of it. */
struct ledger {
	int64_t first_ns, interval_ns, counted;
};
/* Book a delivery taken between `safe` and `now`; a count that cannot be ends the check. */
void book(struct ledger *ledger, int64_t safe_ns, int64_t now_ns, int overrun);

#endif
