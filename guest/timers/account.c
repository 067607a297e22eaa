// SPDX-License-Identifier: MIT
#include "account.h"

#include <string.h>

void account_open(struct account *account, int64_t before_ns, int64_t after_ns, int64_t initial_ns, int64_t interval_ns)
{
	memset(account, 0, sizeof(*account));
	account->first_ns = before_ns + initial_ns;
	account->slack_ns = after_ns - before_ns;
	account->interval_ns = interval_ns;
}

static uint64_t due(int64_t since_first_ns, int64_t interval_ns)
{
	if (since_first_ns < 0)
		return 0;
	return interval_ns ? (uint64_t)(since_first_ns / interval_ns) + 1 : 1;
}

uint64_t account_most(const struct account *account, int64_t time_ns)
{
	return due(time_ns - account->first_ns, account->interval_ns);
}

uint64_t account_least(const struct account *account, int64_t time_ns)
{
	return due(time_ns - account->first_ns - account->slack_ns, account->interval_ns);
}

/* Where the account stands in the schedule: what was delivered, and what is known to be missing or too much. */
static int64_t position(const struct account *account)
{
	return (int64_t)(account->deliveries + account->overruns + account->lost) - (int64_t)account->duplicated;
}

int64_t account_deliver(struct account *account, int64_t safe_ns, int64_t now_ns, uint64_t overrun)
{
	int64_t at, most, least, index;

	account->deliveries++;
	account->overruns += overrun;
	at = position(account);
	most = (int64_t)account_most(account, now_ns);
	least = (int64_t)account_least(account, safe_ns);
	if (account->ahead) {
		/* An early delivery is made up for by time; a second copy never is. */
		int64_t stays = at - most < account->ahead ? at - most : account->ahead;

		if (stays > 0) {
			account->duplicated += (uint64_t)stays;
			account->ahead -= stays;
			at -= stays;
		}
		if (at <= least) {
			account->early += (uint64_t)account->ahead;
			account->ahead = 0;
		}
	}
	if (at < least) {
		account->lost += (uint64_t)(least - at);
		at = least;
	}
	if (at > most)
		account->ahead = at - most;
	index = at - (int64_t)overrun - 1;
	if (at > most && overrun == 0) {
		int64_t early_ns = now_ns - account->first_ns - index * account->interval_ns;

		return early_ns < 0 ? early_ns : 0;
	}
	now_ns -= account->first_ns + account->slack_ns + index * account->interval_ns;
	return now_ns > 0 ? now_ns : 0;
}

bool account_short(const struct account *account, int64_t time_ns)
{
	return position(account) - account->ahead < (int64_t)account_least(account, time_ns);
}

void account_close(struct account *account, int64_t stop_ns, int64_t until_ns, bool drained)
{
	int64_t at = position(account);
	int64_t most = (int64_t)account_most(account, until_ns);
	int64_t least = (int64_t)account_least(account, stop_ns);
	int64_t surplus = at > most ? at - most : 0;

	account->duplicated += (uint64_t)surplus;
	if (account->ahead > surplus)
		account->early += (uint64_t)(account->ahead - surplus);
	account->ahead = 0;
	if (at < least && drained)
		account->lost += (uint64_t)(least - at);
	else if (at < least)
		account->in_flight += (uint64_t)(least - at);
}

uint64_t account_in_run(const struct account *account, int64_t stop_ns)
{
	uint64_t most = account_most(account, stop_ns);
	uint64_t missing = account->lost + account->in_flight;
	uint64_t counted = account->deliveries + account->overruns - account->duplicated;

	return counted + missing > most ? (most > missing ? most - missing : 0) : counted;
}
