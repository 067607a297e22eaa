// SPDX-License-Identifier: MIT
/* The panel: opens its five libraries one after the other and is usable when all of them have answered. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

unsigned codec_open(unsigned), draw_open(unsigned), event_open(unsigned), settings_open(unsigned), text_open(unsigned);

int main(void)
{
	unsigned sum = 1;

	sum = codec_open(sum);
	sum = draw_open(sum);
	sum = event_open(sum);
	sum = settings_open(sum);
	sum = text_open(sum);
	printf("panel: ready checksum=%08x level=%.3f\n", sum, sqrt(sum % 1000));
	fflush(stdout);
	for (;;)
		pause();
}
