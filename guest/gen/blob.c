// SPDX-License-Identifier: MIT
/*
 * Writes data that look like a binary nobody can squeeze much, the same on every machine: blob SEED BYTES > FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	uint32_t state, size;

	if (argc != 3) {
		fprintf(stderr, "usage: blob SEED BYTES > FILE\n");
		return 2;
	}
	state = (uint32_t)strtoul(argv[1], NULL, 0) | 1u;
	size = (uint32_t)strtoul(argv[2], NULL, 0);
	for (uint32_t i = 0; i < size; i++) {
		/* xorshift32; two bytes of three carry five bits only, so that there is something to squeeze. */
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		if (putchar((int)(i % 3 ? (state >> 8) & 0x1f : (state >> 8) & 0xff)) == EOF)
			return 1;
	}
	return fflush(stdout) ? 1 : 0;
}
