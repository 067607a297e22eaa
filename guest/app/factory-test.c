// SPDX-License-Identifier: MIT
/*
 * A tool that products ship and boots never start: the factory's check of the scene data, page by page.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned char page[4096];
	unsigned long sum = 0, pages = 0;
	size_t n;
	FILE *file = fopen(argc > 1 ? argv[1] : "/usr/share/app/scene.bin", "rb");

	if (!file) {
		perror("factory-test");
		return EXIT_FAILURE;
	}
	while ((n = fread(page, 1, sizeof(page), file)) > 0) {
		for (size_t i = 0; i < n; i++)
			sum += page[i];
		pages++;
	}
	fclose(file);
	printf("factory-test: %lu pages, sum %lu\n", pages, sum);
	return EXIT_SUCCESS;
}
