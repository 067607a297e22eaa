// SPDX-License-Identifier: MIT
/*
 * bootlab-calibrate: what this board's processor, memory, kernel, medium and console take. About ten seconds.
 *
 *   bootlab-calibrate [--quick] [--medium PATH] [--once]
 *
 * It prints lines that `bootlab board calibrate --from FILE` reads: each with a CRC, and all of them twice (`--once`:
 * once), so that a console that other programs write to loses none. As the first program of a system (init) it mounts
 * what it needs, and switches the board off at the end. Its words may also stand behind `--` on the kernel's command line.
 */
#define STARTS_HERE
#include "measure.h"

#define MIB (1u << 20)
#define MOST_BYTES (64u * MIB)
#define HARDWARE 16 /* AT_HWCAP */
#define POWER_OFF 0x4321fedc

void start(long *stack);

static void as_init(void)
{
	static const char *const places[][2] = {{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}};

	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		call_kernel(SYS_mkdirat, -100, (long)places[i][1], 0755, 0, 0);
		call_kernel(SYS_mount, (long)places[i][0], (long)places[i][1], (long)places[i][0], 0, 0);
	}
}

static void fit_memory(void)
{
	static unsigned long about[64]; /* struct sysinfo: uptime, three loads, all memory, free memory, ... */

	if (call_kernel(SYS_sysinfo, (long)about, 0, 0, 0, 0) || !about[5])
		return;
	/* mem_unit is 1 wherever the numbers are large enough; a quarter of what is free. */
	while (settings.most_bytes > MIB && settings.most_bytes > about[5] / 4)
		settings.most_bytes /= 2;
}

static void finish(bool init)
{
	if (init) {
		call_kernel(SYS_sync, 0, 0, 0, 0, 0);
		call_kernel(SYS_reboot, (long)0xfee1dead, 672274793, POWER_OFF, 0, 0);
		for (;;)
			call_kernel(SYS_ppoll, 0, 0, 0, 0, 0);
	}
	call_kernel(SYS_exit_group, 0, 0, 0, 0, 0);
}

void start(long *stack)
{
	long count = stack[0];
	char **words = (char **)(stack + 1);
	const char *medium = NULL;
	bool twice = true, init = call_kernel(SYS_getpid, 0, 0, 0, 0, 0) == 1;
	long *aux = stack + 1 + count + 1;
	uint64_t began = now(OF_WALL);

	while (*aux++)
		;
	for (; aux[0]; aux += 2)
		if (aux[0] == HARDWARE)
			hardware = (unsigned long)aux[1];
	settings.most_bytes = MOST_BYTES;
	for (long i = 1; i < count; i++)
		if (alike(words[i], "--nothing")) {
			finish(false);
		} else if (alike(words[i], "--quick")) {
			settings.quick = true;
			settings.repeats = 3;
			settings.batch_ns = 100000;
			settings.most_bytes = 8 * MIB;
		} else if (alike(words[i], "--once")) {
			twice = false;
		} else if (alike(words[i], "--medium") && i + 1 < count) {
			medium = words[++i];
		}
	if (init)
		as_init();
	fit_memory();
	line("begin");
	number("version", 1);
	number("quick", settings.quick);
	number("most_bytes", settings.most_bytes);
	end_line();
	tell_machine();
	measure_chains();
	measure_branches();
	measure_memory();
	measure_tlb();
	measure_code();
	measure_system(words[0]);
	measure_medium(medium);
	measure_line();
	line("took");
	number("ns", now(OF_WALL) - began);
	end_line();
	write_all(twice);
	finish(init);
}
