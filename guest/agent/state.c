// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <time.h>
#include <unistd.h>

#include "report.h"

/* include/net/tcp_states.h: TCP_LISTEN */
#define LISTENS 0x0a
#define PORTS_MAX 1000

static void date(void)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%lld", (long long)time(NULL));

	report_line("proc date", text, (size_t)n, ESCAPE_LINE);
}

static FILE *of_init(const char *proc, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/1/net/%s", proc, file);
	return fopen(path, "re");
}

/* "eth0  0202000A  ..." below a head (net/ipv4/fib_trie.c: fib_route_seq_show). */
static void routes(const char *proc)
{
	FILE *table = of_init(proc, "route");
	char line[256], name[32], text[64];
	unsigned int destination;

	while (table && fgets(line, sizeof(line), table)) {
		/* The head's second word is no number. */
		if (sscanf(line, "%31s %x", name, &destination) != 2 || strcmp(name, "Iface") == 0)
			continue;
		snprintf(text, sizeof(text), "%s %s", name, destination ? "network" : "default");
		report_line("proc route", text, strlen(text), ESCAPE_LINE);
	}
	if (table)
		fclose(table);
}

/* "  0: 00000000:0050 00000000:0000 0A ..." (net/ipv4/tcp_ipv4.c: get_tcp4_sock; tcp6 has longer addresses). */
static void ports(const char *proc, const char *file)
{
	FILE *table = of_init(proc, file);
	char line[512], text[32];
	unsigned int port, state;
	int told = 0;

	while (table && told < PORTS_MAX && fgets(line, sizeof(line), table)) {
		if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &port, &state) != 2 || state != LISTENS)
			continue;
		snprintf(text, sizeof(text), "%u", port);
		report_line("proc listening", text, strlen(text), ESCAPE_LINE);
		told++;
	}
	if (table)
		fclose(table);
}

void state_report(const char *proc)
{
	date();
	routes(proc);
	ports(proc, "tcp");
	ports(proc, "tcp6");
}

void state_power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
}
