// SPDX-License-Identifier: MIT
/* The ways in which deliveries are taken. Each runs until the stop and then until its queue is empty or time is up. */
#ifndef BOOTLAB_TIMERS_RECEIVE_H
#define BOOTLAB_TIMERS_RECEIVE_H

#include <signal.h>

#include "run.h"

/* Wait by poll() on a signalfd, take by sigtimedwait(): so the moment of taking is known to a microsecond. */
void receive_sigwait(struct inbox *inbox, int signo);
void receive_signalfd(struct inbox *inbox, int signo);
void receive_timerfd(struct inbox *inbox);
/* Install the handler, with the signal still blocked; then let it run until the end. */
int handler_install(struct run *run, int signo);
void receive_handler(struct run *run, int signo);
/* The function of SIGEV_THREAD; callbacks before thread_open() wait. */
void thread_prepare(struct run *run);
void thread_open(void);
void thread_call(union sigval value);
void receive_thread(struct run *run);

#endif
