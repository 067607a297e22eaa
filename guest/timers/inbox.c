// SPDX-License-Identifier: MIT
#include "run.h"

static void book(struct inbox *inbox, struct timer *timer, uint64_t overrun, int64_t safe_ns, int64_t now_ns)
{
	int64_t late_ns = account_deliver(&timer->account, safe_ns, now_ns, overrun);

	histogram_add(&inbox->lateness, late_ns > 0 ? (uint64_t)late_ns : 0);
	inbox->late += late_ns > inbox->run->options->late_ns;
}

bool inbox_waits(const struct inbox *inbox)
{
	const struct run *run = inbox->run;
	int64_t time_ns = inbox->until_ns > run->stop_ns ? inbox->until_ns : run->stop_ns;

	/* Timers are dealt to the receivers in turn: population.c. */
	for (unsigned i = (unsigned)(inbox - run->inboxes); i < run->population.count; i += run->inbox_count)
		if (account_short(&run->population.timers[i].account, time_ns))
			return true;
	return false;
}

static bool turn(uint64_t number, unsigned every)
{
	return every && number % every == every - 1;
}

void inbox_take(struct inbox *inbox, unsigned index, uint64_t overrun, int64_t safe_ns, int64_t now_ns)
{
	const struct plant *plant = &inbox->run->options->plant;
	struct timer *timer;

	inbox->events++;
	if (index >= inbox->run->population.count)
		return;
	timer = &inbox->run->population.timers[index];
	/*
	 * A copy and then a loss on one timer look like an early delivery, so a fault waits until the account has found
	 * the one before. One delivery in between does not always tell: with a receiver that was stopped between taking
	 * and stamping it, more may be due by then. After the stop nothing is missed.
	 */
	if (timer->account.lost + timer->account.duplicated < timer->planted || now_ns >= inbox->run->stop_ns) {
		book(inbox, timer, overrun, safe_ns, now_ns);
		return;
	}
	inbox->sequence++;
	if (turn(inbox->sequence, plant->drop_every)) {
		inbox->drops += overrun + 1;
		timer->planted += overrun + 1;
	} else if (turn(inbox->sequence + 1, plant->copy_every)) {
		inbox->copies++;
		timer->planted++;
		book(inbox, timer, overrun, safe_ns, now_ns);
		book(inbox, timer, 0, safe_ns, now_ns);
	} else if (turn(inbox->sequence + 2, plant->delay_every)) {
		inbox->delays++;
		book(inbox, timer, overrun, safe_ns, now_ns + plant->delay_ns);
	} else {
		book(inbox, timer, overrun, safe_ns, now_ns);
	}
}
