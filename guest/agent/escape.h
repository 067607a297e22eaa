// SPDX-License-Identifier: MIT
/* Percent-escapes of the agent's report: what a console, a line reader or a field separator could spoil. */
#ifndef BOOTLAB_ESCAPE_H
#define BOOTLAB_ESCAPE_H

#include <stddef.h>

enum escape_for {
	ESCAPE_FIELD, /* space is escaped: the text may be followed by others */
	ESCAPE_LINE,  /* space stays: the text ends its line */
};

/* Bytes that escaping may need at most for `size` bytes. */
#define ESCAPED_MAX(size) (3 * (size))

/* Write the escaped text (no NUL at its end) and return its size. `out` has room for ESCAPED_MAX(size) bytes. */
size_t escape(char *out, const char *text, size_t size, enum escape_for purpose);

/* Undo the kernel's own \xNN of /dev/kmsg in place and return the new size. */
size_t unescape_kmsg(char *text, size_t size);

#endif
