// SPDX-License-Identifier: MIT
#include "escape.h"

static const char digits[] = "0123456789abcdef";

size_t escape(char *out, const char *text, size_t size, enum escape_for purpose)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];
		int plain = c > ' ' && c < 0x7f && c != '%';

		if (plain || (c == ' ' && purpose == ESCAPE_LINE)) {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[c >> 4];
		out[n++] = digits[c & 15];
	}
	return n;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

size_t unescape_kmsg(char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\\' && i + 3 < size && text[i + 1] == 'x') {
			int high = hex(text[i + 2]), low = hex(text[i + 3]);

			if (high >= 0 && low >= 0) {
				text[n++] = (char)(high << 4 | low);
				i += 3;
				continue;
			}
		}
		text[n++] = text[i];
	}
	return n;
}
