// SPDX-License-Identifier: MIT
/* Runs on the host: the escapes of the agent's report. */
#include <stdio.h>
#include <string.h>

#include "../agent/escape.h"

static int failed;

static void expect(const char *what, const char *got, size_t size, const char *want)
{
	if (size == strlen(want) && !memcmp(got, want, size))
		return;
	printf("%s: got \"%.*s\", want \"%s\"\n", what, (int)size, got, want);
	failed = 1;
}

static void escapes(const char *text, size_t size, enum escape_for purpose, const char *want)
{
	char out[256];

	expect("escape", out, escape(out, text, size, purpose), want);
}

static void unescapes(const char *text, const char *want)
{
	char work[256];
	size_t size = strlen(text);

	memcpy(work, text, size);
	expect("unescape_kmsg", work, unescape_kmsg(work, size), want);
}

int main(void)
{
	escapes("/bin/sh", 7, ESCAPE_FIELD, "/bin/sh");
	escapes("a b%c", 5, ESCAPE_FIELD, "a%20b%25c");
	escapes("a b%c", 5, ESCAPE_LINE, "a b%25c");
	escapes("\n\r\t\x1b\x7f\xff", 6, ESCAPE_LINE, "%0a%0d%09%1b%7f%ff");
	escapes("a\0b", 3, ESCAPE_FIELD, "a%00b");
	escapes("", 0, ESCAPE_FIELD, "");
	unescapes("a\\x0ab", "a\nb");
	unescapes("\\x5cx41", "\\x41");
	unescapes("\\x4", "\\x4");
	unescapes("\\xzz\\", "\\xzz\\");
	unescapes("tail\\x41", "tailA");
	return failed;
}
