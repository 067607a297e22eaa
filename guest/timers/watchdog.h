// SPDX-License-Identifier: MIT
/* A parent process that ends the run when it hangs, and is ended with it. */
#ifndef BOOTLAB_TIMERS_WATCHDOG_H
#define BOOTLAB_TIMERS_WATCHDOG_H

/*
 * Fork: the child returns and works, with a process group of its own; the parent never returns. It hands on the child's
 * exit status, kills the child at the deadline (status 124, as timeout(1)), and dies together with it on signals.
 */
void watchdog_start(double seconds);

#endif
