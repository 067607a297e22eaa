// SPDX-License-Identifier: MIT
/* The line that the program speaks on: how long so many characters take until they are sent. */
#include "measure.h"

/* asm-generic/ioctls.h, termbits.h */
#define GET_MODES 0x5401
#define DRAIN 0x5409
#define RATE_BITS 0010017
#define PSEUDO_FIRST 136u
#define PSEUDO_LAST 143u

static const char filler[] = "bootlab-calibrate sends characters, to see how long the line takes for them ......\n";

static const struct {
	unsigned code, baud;
} rates[] = {{13, 9600}, {14, 19200}, {15, 38400}, {0010001, 57600}, {0010002, 115200}, {0010003, 230400},
	     {0010004, 460800}, {0010005, 500000}, {0010007, 921600}, {0010010, 1000000}, {0010012, 1500000},
	     {0010013, 2000000}, {0010015, 3000000}, {0010017, 4000000}};

/* From an empty line to an empty line. The kernel's buffer holds all of it, so that drain is what waits. */
static uint64_t sent(unsigned lines)
{
	uint64_t from;

	call_kernel(SYS_ioctl, 1, DRAIN, 1, 0, 0);
	from = now(OF_WALL);
	for (unsigned i = 0; i < lines; i++)
		call_kernel(SYS_write, 1, (long)filler, sizeof filler - 1, 0, 0);
	call_kernel(SYS_ioctl, 1, DRAIN, 1, 0, 0);
	return now(OF_WALL) - from;
}

static void times(unsigned lines, unsigned extra)
{
	unsigned characters = lines * ((unsigned)sizeof filler - 1 + extra);
	uint64_t least = UINT64_MAX, most = 0;

	for (int i = 0; i < 4; i++) {
		uint64_t ns = sent(lines);

		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	line("line");
	number("characters", characters);
	number("least", least * 1000);
	number("most", most * 1000);
	end_line();
}

void measure_line(void)
{
	struct {
		uint32_t in, out, control, local;
		uint8_t rest[64];
	} modes = {0};
	static uint64_t about[32]; /* struct statx: more than it has */
	unsigned major = 0, extra;

	if (call_kernel(SYS_ioctl, 1, GET_MODES, (long)&modes, 0, 0)) {
		unknown("line", "the output is no terminal");
		return;
	}
	/* struct statx: stx_rdev_major is its 32-bit word 32. */
	if (!call_kernel(SYS_statx, 1, (long)"", 0x1000, 0x7ff, (long)about))
		major = ((uint32_t *)about)[32];
	if (major >= PSEUDO_FIRST && major <= PSEUDO_LAST) {
		unknown("line", "the output is a pseudo-terminal, not a serial line");
		return;
	}
	line("tty");
	number("major", major);
	for (unsigned i = 0; i < sizeof rates / sizeof *rates; i++)
		if ((modes.control & RATE_BITS) == rates[i].code)
			number("baud", rates[i].baud);
	end_line();
	/* OPOST and ONLCR: each end of a line is sent as two characters. */
	extra = (modes.out & 5) == 5;
	times(2, extra);
	times(settings.quick ? 6 : 20, extra);
}
