// SPDX-License-Identifier: MIT
/* Accounts, histogram and draw against schedules whose faults are planted and therefore known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../timers/account.h"
#include "../timers/draw.h"
#include "../timers/histogram.h"
#include "../timers/run.h"

static unsigned checks;

#define EQUAL(is, wanted)                                                                                             \
	do {                                                                                                          \
		long long is_ = (long long)(is), wanted_ = (long long)(wanted);                                       \
		checks++;                                                                                             \
		if (is_ != wanted_) {                                                                                 \
			fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #is, is_, wanted_);      \
			exit(1);                                                                                      \
		}                                                                                                     \
	} while (0)

static void test_nothing_is_missing(void)
{
	struct account a;

	account_open(&a, 1000, 1000, 100, 100);
	EQUAL(account_most(&a, 1099), 0);
	EQUAL(account_most(&a, 1100), 1);
	for (int k = 1; k <= 10; k++)
		EQUAL(account_deliver(&a, 1000 + 100 * k + 7, 1000 + 100 * k + 7, 0), 7);
	EQUAL(account_deliver(&a, 1000 + 1100 + 350, 1000 + 1100 + 350, 3), 350);
	account_close(&a, 2460, 2470, true);
	EQUAL(a.lost + a.duplicated + a.early + a.in_flight, 0);
	EQUAL(account_in_run(&a, 2460), 14);
}

static void test_arming_takes_time(void)
{
	struct account a;

	/* Armed somewhere in 0..50: a delivery at 110 is fine, and its lateness counts from the latest moment. */
	account_open(&a, 0, 50, 100, 100);
	EQUAL(account_deliver(&a, 110, 110, 0), 0);
	EQUAL(account_deliver(&a, 260, 260, 0), 10);
	account_close(&a, 290, 290, true);
	EQUAL(a.lost + a.duplicated + a.early, 0);
}

static void test_an_early_one_is_told_from_a_second_copy(void)
{
	struct account a;

	account_open(&a, 0, 0, 100, 100);
	EQUAL(account_deliver(&a, 90, 90, 0), -10);
	account_deliver(&a, 205, 205, 0);
	account_deliver(&a, 305, 305, 0);
	account_close(&a, 350, 350, true);
	EQUAL(a.early, 1);
	EQUAL(a.duplicated, 0);

	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 105, 105, 0);
	account_deliver(&a, 106, 106, 0);
	account_deliver(&a, 205, 205, 0);
	account_deliver(&a, 305, 305, 0);
	account_close(&a, 350, 350, true);
	EQUAL(a.early, 0);
	EQUAL(a.duplicated, 1);

	/* The last one of the run. */
	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 105, 105, 0);
	account_deliver(&a, 106, 106, 0);
	account_close(&a, 150, 150, true);
	EQUAL(a.early, 0);
	EQUAL(a.duplicated, 1);

	/* One that expires after the last look at the queue is no excuse for it. */
	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 105, 105, 0);
	account_deliver(&a, 106, 106, 0);
	EQUAL(account_short(&a, 190), 0);
	EQUAL(account_short(&a, 200), 1);
	account_close(&a, 190, 195, true);
	EQUAL(a.early, 0);
	EQUAL(a.duplicated, 1);
}

static void test_a_lost_one_is_told_from_one_on_its_way(void)
{
	struct account a;

	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 101, 101, 0);
	/* Taken just before the third is due and stamped after it, which then comes at once. */
	account_deliver(&a, 299, 301, 0);
	account_deliver(&a, 301, 302, 0);
	account_close(&a, 350, 350, true);
	EQUAL(a.lost, 0);

	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 101, 101, 0);
	account_deliver(&a, 301, 301, 0);
	account_deliver(&a, 401, 401, 0);
	account_deliver(&a, 501, 501, 0);
	account_close(&a, 550, 550, true);
	EQUAL(a.lost, 1);
	EQUAL(account_in_run(&a, 550), 4);
}

/* A machine that stops the receiver between taking and stamping, again and again, loses nothing by that. */
static void test_a_slow_receiver_is_no_loss(void)
{
	struct account a;

	account_open(&a, 0, 0, 100, 100);
	for (int64_t k = 1; k <= 50; k++)
		account_deliver(&a, k * 100 + 1, k * 100 + 950, 0);
	account_close(&a, 5050, 5950, true);
	EQUAL(a.lost + a.duplicated + a.early, 0);
}

/* Where the moment of taking is not known, the totals at the end still are. */
static void test_a_receiver_that_cannot_tell_when_it_took(void)
{
	struct account a;
	int64_t last = 0;

	account_open(&a, 0, 0, 100, 100);
	for (int64_t k = 1; k <= 50; k++) {
		if (k % 10 == 3)
			continue;
		account_deliver(&a, last, k * 100 + 1, 0);
		last = k * 100 + 1;
	}
	account_close(&a, 5050, 5050, true);
	EQUAL(a.lost, 5);
	EQUAL(a.duplicated + a.early, 0);
}

static void test_a_loss_and_a_copy_do_not_hide_each_other(void)
{
	struct account a;

	account_open(&a, 0, 0, 100, 100);
	for (int64_t k = 1; k <= 50; k++) {
		if (k == 10)
			continue;
		account_deliver(&a, k * 100 + 1, k * 100 + 2, 0);
		if (k == 20)
			account_deliver(&a, k * 100 + 3, k * 100 + 4, 0);
	}
	account_close(&a, 5050, 5050, true);
	EQUAL(a.lost, 1);
	EQUAL(a.duplicated, 1);
	EQUAL(a.early, 0);
}

static void test_what_is_missing_at_the_stop(void)
{
	struct account a;

	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 101, 101, 0);
	account_close(&a, 250, 260, true);
	EQUAL(a.lost, 1);
	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 101, 101, 0);
	account_close(&a, 250, 260, false);
	EQUAL(a.in_flight, 1);
	EQUAL(a.lost, 0);
	/* One that is due after the stop may be taken or not. */
	account_open(&a, 0, 0, 100, 100);
	account_deliver(&a, 101, 101, 0);
	account_deliver(&a, 201, 201, 0);
	account_close(&a, 150, 250, true);
	EQUAL(a.duplicated + a.lost, 0);
	EQUAL(account_in_run(&a, 150), 1);
}

static void test_a_one_shot(void)
{
	struct account a;

	account_open(&a, 0, 0, 100, 0);
	account_close(&a, 99, 99, true);
	EQUAL(a.lost, 0);
	account_open(&a, 0, 0, 100, 0);
	account_close(&a, 500, 500, true);
	EQUAL(a.lost, 1);
	account_open(&a, 0, 0, 100, 0);
	account_deliver(&a, 120, 120, 0);
	account_deliver(&a, 130, 130, 0);
	account_close(&a, 500, 500, true);
	EQUAL(a.duplicated, 1);
}

/* Ten thousand random schedules with losses and copies: exactly these are found. */
static void test_planted_faults_are_found_exactly(void)
{
	struct draw draw;

	draw_uniform(&draw, 1, 0, 1);
	for (int run = 0; run < 10000; run++) {
		int64_t interval = 50 + (int64_t)(draw_number(&draw) % 1000), end = 60 * interval + interval / 2;
		uint64_t dropped = 0, copied = 0;
		bool whole = true;
		struct account a;

		account_open(&a, 0, 0, interval, interval);
		for (int64_t k = 1; k <= 60; k++) {
			uint64_t overrun = draw_number(&draw) % 8 ? 0 : draw_number(&draw) % 4;
			int64_t now;
			/*
			 * A copy and then a loss is the same as an early delivery: nobody could tell. So a delivery
			 * between two faults is left whole, and the last few are: they are tried above.
			 */
			bool fault = whole && k < 50 && draw_number(&draw) % 4 == 0;

			whole = !fault;

			if (k + (int64_t)overrun > 60)
				overrun = 0;
			k += (int64_t)overrun;
			now = k * interval + (int64_t)(draw_number(&draw) % (uint64_t)(interval / 2));
			if (fault && draw_number(&draw) % 2) {
				dropped += overrun + 1;
				continue;
			}
			account_deliver(&a, now, now, overrun);
			if (fault) {
				account_deliver(&a, now, now, 0);
				copied++;
			}
		}
		account_close(&a, end, end, true);
		EQUAL(a.lost, dropped);
		EQUAL(a.duplicated, copied);
		EQUAL(a.early, 0);
		EQUAL(account_in_run(&a, end) + dropped, 60);
	}
}

/* A receiver that is stopped between taking and stamping, again and again, finds what was planted all the same. */
static void test_a_planted_fault_waits_until_the_one_before_is_found(void)
{
	struct draw draw;

	draw_uniform(&draw, 2, 0, 1);
	for (int run_number = 0; run_number < 2000; run_number++) {
		static struct inbox inbox;
		struct options options = { .plant = { .drop_every = 2, .copy_every = 3 } };
		struct timer timer = { .fd = -1, .interval_ns = 100 };
		struct run run = { .options = &options, .stop_ns = 6000, .inboxes = &inbox, .inbox_count = 1 };

		memset(&inbox, 0, sizeof(inbox));
		inbox.run = &run;
		run.population.timers = &timer;
		run.population.count = 1;
		account_open(&timer.account, 0, 0, 100, 100);
		for (int64_t k = 1; k <= 61; k++) {
			int64_t taken = k * 100 + 1;

			inbox.until_ns = taken + (draw_number(&draw) % 2 && k < 61 ? 99 : 1);
			inbox_take(&inbox, 0, 0, taken, inbox.until_ns);
		}
		account_close(&timer.account, run.stop_ns, inbox.until_ns, true);
		EQUAL(inbox.drops >= 3 && inbox.copies >= 3, 1);
		EQUAL(timer.account.lost, inbox.drops);
		EQUAL(timer.account.duplicated, inbox.copies);
		EQUAL(timer.account.early, 0);
	}
}

/* One that was dropped just before the stop, and the next one came while the receiver was on its way to take it. */
static void test_the_drain_goes_on_until_a_late_loss_is_known(void)
{
	static struct inbox inbox;
	struct options options = { .plant = { .drop_every = 2 } };
	struct timer timer = { .fd = -1, .interval_ns = 100 };
	struct run run = { .options = &options, .stop_ns = 250, .inboxes = &inbox, .inbox_count = 1 };

	inbox.run = &run;
	run.population.timers = &timer;
	run.population.count = 1;
	account_open(&timer.account, 0, 0, 100, 100);
	inbox.sequence = 1;
	inbox_take(&inbox, 0, 0, 101, 102);
	EQUAL(inbox.drops, 0);
	inbox_take(&inbox, 0, 0, 201, 202);
	EQUAL(inbox.drops, 1);
	inbox.until_ns = 260;
	EQUAL(inbox_waits(&inbox), 1);
	inbox_take(&inbox, 0, 0, 299, 303);
	inbox.until_ns = 310;
	EQUAL(inbox_waits(&inbox), 1);
	inbox_take(&inbox, 0, 0, 401, 403);
	EQUAL(timer.account.lost, 1);
	inbox.until_ns = 410;
	EQUAL(inbox_waits(&inbox), 0);
}

static void test_histogram(void)
{
	static struct histogram h;

	EQUAL(histogram_percentile(&h, 0.5), 0);
	for (unsigned i = 0; i < 64; i++)
		EQUAL(histogram_edge(i), i);
	EQUAL(histogram_edge(64), 64);
	EQUAL(histogram_edge(65), 66);
	EQUAL(histogram_edge(96), 128);
	for (uint64_t ns = 1; ns <= 1000; ns++)
		histogram_add(&h, ns * 1000);
	EQUAL(h.total, 1000);
	EQUAL(h.max_ns, 1000000);
	EQUAL(histogram_percentile(&h, 1.0), 1000000);
	for (double share = 0.05; share < 1; share += 0.05) {
		double exact = share * 1000000, found = (double)histogram_percentile(&h, share);

		EQUAL(found >= exact * 0.999 && found <= exact * 1.035, 1);
	}
	histogram_add(&h, UINT64_MAX);
	EQUAL(histogram_percentile(&h, 1.0), (long long)UINT64_MAX);
}

static void test_draw(void)
{
	struct draw a, b;
	int64_t least = INT64_MAX, most = 0;

	draw_classic(&a, 42, 1);
	draw_classic(&b, 42, 1);
	for (unsigned i = 0; i < 20000; i++) {
		int64_t ns = draw_interval(&a, i);

		EQUAL(ns, draw_interval(&b, i));
		if (i % 2 == 0) {
			least = ns < least ? ns : least;
			most = ns > most ? ns : most;
		}
		EQUAL(i % 2 ? ns >= 5000000000LL && ns < 35000000000LL : ns >= 10000000000LL && ns < 70000000000LL, 1);
	}
	EQUAL(least < 10100000000LL && most > 69900000000LL, 1);
}

int main(void)
{
	test_nothing_is_missing();
	test_arming_takes_time();
	test_an_early_one_is_told_from_a_second_copy();
	test_a_lost_one_is_told_from_one_on_its_way();
	test_a_slow_receiver_is_no_loss();
	test_a_receiver_that_cannot_tell_when_it_took();
	test_a_loss_and_a_copy_do_not_hide_each_other();
	test_what_is_missing_at_the_stop();
	test_a_one_shot();
	test_planted_faults_are_found_exactly();
	test_a_planted_fault_waits_until_the_one_before_is_found();
	test_the_drain_goes_on_until_a_late_loss_is_known();
	test_histogram();
	test_draw();
	printf("%u checks passed\n", checks);
	return 0;
}
