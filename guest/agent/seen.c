// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "seen.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define SLOTS 16384U
#define COUNT_MAX 400000U
#define METHODS_MAX 8
#define WHO_MAX 32

struct access {
	struct access *next_in_slot;
	struct access *next;
	size_t size;
	enum phase phase;
	char kind;
	char method[12];
	char who[WHO_MAX];
	char path[];
};

struct method {
	char name[12];
	int works;
	char text[160];
};

static struct access *slots[SLOTS];
static struct access *first;
static struct access **last = &first;
static unsigned count, left_out;
static enum phase now = PHASE_BOOT;
static struct method methods[METHODS_MAX];
static size_t method_count;

void seen_phase(enum phase phase)
{
	now = phase;
}

static uint32_t mix(uint32_t hash, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619U;
	return hash;
}

void seen_add(const char *method, char kind, const char *who, const char *path, size_t size)
{
	uint32_t hash = mix(mix(mix(2166136261U, method, strlen(method)), &kind, 1), path, size);
	struct access **slot;
	struct access *one;

	hash = mix(hash, who, strlen(who)) + (uint32_t)now;
	slot = &slots[hash % SLOTS];
	for (one = *slot; one; one = one->next_in_slot)
		if (one->phase == now && one->kind == kind && one->size == size && !memcmp(one->path, path, size) &&
		    !strcmp(one->method, method) && !strncmp(one->who, who, WHO_MAX - 1))
			return;
	one = count < COUNT_MAX ? malloc(sizeof(*one) + size) : NULL;
	if (!one) {
		left_out++;
		return;
	}
	count++;
	one->next_in_slot = *slot;
	one->next = NULL;
	one->size = size;
	one->phase = now;
	one->kind = kind;
	snprintf(one->method, sizeof(one->method), "%s", method);
	snprintf(one->who, sizeof(one->who), "%s", who);
	memcpy(one->path, path, size);
	*slot = one;
	*last = one;
	last = &one->next;
}

void seen_method(const char *method, int works, const char *text)
{
	struct method *one = NULL;

	/* What is said later replaces what was said before: a method that began well may have lost something. */
	for (size_t i = 0; i < method_count; i++)
		if (!strcmp(methods[i].name, method))
			one = &methods[i];
	if (!one) {
		if (method_count == METHODS_MAX)
			return;
		one = &methods[method_count++];
	}
	snprintf(one->name, sizeof(one->name), "%s", method);
	one->works = works;
	snprintf(one->text, sizeof(one->text), "%s", text);
}

void seen_report(void)
{
	static char head[64 + ESCAPED_MAX(WHO_MAX)];

	for (size_t i = 0; i < method_count; i++) {
		snprintf(head, sizeof(head), "method %.11s %s", methods[i].name, methods[i].works ? "yes" : "no");
		report_line(head, methods[i].text, strlen(methods[i].text), ESCAPE_LINE);
	}
	for (const struct access *one = first; one; one = one->next) {
		int n = snprintf(head, sizeof(head), "seen %s %c %c ", one->method, one->phase == PHASE_CHECK ? 'c' : 'b',
				 one->kind);
		size_t end = (size_t)n;

		end += *one->who ? escape(head + end, one->who, strlen(one->who), ESCAPE_FIELD) : 0;
		if (!*one->who)
			head[end++] = '?';
		head[end] = '\0';
		report_line(head, one->path, one->size, ESCAPE_FIELD);
	}
	if (left_out)
		report_line("proc seen", "left out", 8, ESCAPE_LINE);
}
