// SPDX-License-Identifier: MIT
/* Which machine it is, as its kernel and its processor say. */
#include "measure.h"

#define WORDS 120

static void tell(const char *name, const char *path)
{
	char words[WORDS];

	if (!*first_words(path, words, sizeof words))
		return;
	line("says");
	text(name, words);
	end_line();
}

#if defined(__x86_64__)
static void cpuid(unsigned leaf, unsigned sub, unsigned *r)
{
	__asm__ volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf), "c"(sub));
}

static void tell_processor(void)
{
	union {
		unsigned r[12];
		char name[49];
	} brand = {{0}}, host = {{0}};
	unsigned r[4];

	cpuid(0x80000000u, 0, r);
	if (r[0] >= 0x80000004u) {
		for (unsigned i = 0; i < 3; i++)
			cpuid(0x80000002u + i, 0, brand.r + i * 4);
		line("says");
		text("processor", brand.name);
		end_line();
	}
	cpuid(1, 0, r);
	if (!HAS(r[2], 31))
		return;
	cpuid(0x40000000u, 0, r);
	host.r[0] = r[1], host.r[1] = r[2], host.r[2] = r[3];
	line("says");
	text("hypervisor", *host.name ? host.name : "without a name");
	end_line();
}
#else
static void tell_processor(void)
{
	tell("midr", "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
}
#endif

static void tell_caches(void)
{
	static char path[] = "/sys/devices/system/cpu/cpu0/cache/index0/";
	static const char *const facts[] = {"level", "type", "size", "ways_of_associativity", "coherency_line_size"};
	char whole[100], words[WORDS];

	for (char i = '0'; i < '6'; i++) {
		bool begun = false;

		path[sizeof path - 3] = i;
		for (unsigned k = 0; k < sizeof facts / sizeof *facts; k++) {
			size_t n = sizeof path - 1, m = length(facts[k]);

			memcpy(whole, path, n);
			memcpy(whole + n, facts[k], m + 1);
			if (!*first_words(whole, words, sizeof words))
				continue;
			if (!begun)
				line("cache");
			begun = true;
			text(facts[k], words);
		}
		if (begun)
			end_line();
	}
}

/* A line of /proc/cpuinfo that begins so. */
static void tell_cpuinfo(const char *key, const char *as)
{
	static char all[4096];
	size_t n = length(key);

	first_words("/proc/cpuinfo", all, 2);
	long file = call_kernel(SYS_openat, -100, (long)"/proc/cpuinfo", 0, 0, 0);
	long got = call_kernel(SYS_read, file, (long)all, sizeof all - 1, 0, 0);
	call_kernel(SYS_close, file, 0, 0, 0, 0);
	all[got > 0 ? got : 0] = 0;
	for (char *at = all; *at; at++) {
		size_t i = 0;
		while (i < n && at[i] == key[i])
			i++;
		if (i == n && (at == all || at[-1] == '\n')) {
			char *from = at + n, *end;

			while (*from == ' ' || *from == '\t' || *from == ':')
				from++;
			for (end = from; *end && *end != '\n'; end++)
				;
			*end = 0;
			line("says");
			text(as, from);
			end_line();
			return;
		}
	}
}

void tell_machine(void)
{
	struct {
		char s[6][65];
	} names = {{{0}}};

	call_kernel(SYS_uname, (long)&names, 0, 0, 0, 0);
	line("machine");
	text("kernel", names.s[2]);
	text("machine", names.s[4]);
	number("pointer", sizeof(void *));
	number("large_page", 0);
	end_line();
	tell_processor();
	tell_cpuinfo("CPU implementer", "implementer");
	tell_cpuinfo("CPU part", "part");
	tell_cpuinfo("uarch", "uarch");
	tell_cpuinfo("Hardware", "hardware");
	tell("model", "/proc/device-tree/model");
	tell("compatible", "/proc/device-tree/compatible");
	tell("hypervisor_node", "/proc/device-tree/hypervisor/compatible");
	tell("vendor", "/sys/class/dmi/id/sys_vendor");
	tell("product", "/sys/class/dmi/id/product_name");
	tell("xen", "/sys/hypervisor/type");
	tell("least_khz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq");
	tell("most_khz", "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
	tell("now_khz", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
	tell("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	tell_caches();
}
