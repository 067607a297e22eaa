// SPDX-License-Identifier: MIT
/*
 * What image programs would take from this machine, made the same everywhere: the clock, times and inode numbers of
 * files, random numbers and UUIDs, and the order in which a folder is read. Preloaded before mkfs.xfs and mkfs.btrfs,
 * which have no options for it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

typedef unsigned char uuid_bytes[16];

time_t time(time_t *out);
int gettimeofday(struct timeval *restrict out, void *restrict zone);
int clock_gettime(clockid_t clock, struct timespec *out);
void uuid_generate(uuid_bytes out);
void uuid_generate_random(uuid_bytes out);

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

time_t time(time_t *out)
{
	if (out)
		*out = 0;
	return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	(void)zone;
	memset(out, 0, sizeof(*out));
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
	int (*real)(clockid_t, struct timespec *) = next("clock_gettime");

	if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
		return real(clock, out);
	memset(out, 0, sizeof(*out));
	return 0;
}

void uuid_generate(uuid_bytes out)
{
	/* As the other images' UUIDs, numbered in the order they are asked for. */
	static const uuid_bytes first = { 0xb0, 0x07, 0x1a, 0xb0, 0, 0, 0x40, 0, 0x80 };
	static unsigned char count;

	memcpy(out, first, sizeof(first));
	out[15] = ++count;
}

void uuid_generate_random(uuid_bytes out)
{
	uuid_generate(out);
}

/* mkfs.xfs since 6.10 numbers the generations of its inodes with it. */
ssize_t getrandom(void *out, size_t length, unsigned int flags)
{
	static unsigned long state = 1;
	unsigned char *bytes = out;

	(void)flags;
	for (size_t i = 0; i < length; i++) {
		/* Knuth's MMIX generator: any would do that is the same everywhere. */
		state = state * 6364136223846793005UL + 1442695040888963407UL;
		bytes[i] = (unsigned char)(state >> 56);
	}
	return (ssize_t)length;
}

/* mkfs.btrfs takes the inode numbers of the folder that it packs: files are numbered as they are met. */
struct seen {
	dev_t device;
	ino64_t inode, number;
};

static ino64_t number_of(dev_t device, ino64_t inode)
{
	static struct seen *table;
	static size_t slots, count;
	size_t at;

	if (2 * count >= slots) {
		struct seen *old = table;
		size_t more = slots ? 2 * slots : 1024;

		table = calloc(more, sizeof(*table));
		if (!table)
			abort();
		for (size_t i = 0; i < slots; i++) {
			if (!old[i].number)
				continue;
			for (at = old[i].inode % more; table[at].number; at = (at + 1) % more)
				;
			table[at] = old[i];
		}
		free(old);
		slots = more;
	}
	for (at = inode % slots; table[at].number; at = (at + 1) % slots)
		if (table[at].inode == inode && table[at].device == device)
			return table[at].number;
	table[at] = (struct seen){ .device = device, .inode = inode, .number = ++count };
	return table[at].number;
}

/* A program built for large files asks by the second name, which means another structure only on 32 bits. */
#define BY_PATH(name, type, inode)                                                           \
	int name(const char *restrict path, struct type *restrict out)                       \
	{                                                                                    \
		int (*real)(const char *, struct type *) = next(#name);                      \
		int failed = real(path, out);                                                \
                                                                                             \
		if (failed)                                                                  \
			return failed;                                                       \
		memset(&out->st_atim, 0, sizeof(out->st_atim));                              \
		memset(&out->st_mtim, 0, sizeof(out->st_mtim));                              \
		memset(&out->st_ctim, 0, sizeof(out->st_ctim));                              \
		out->st_ino = (ino_t)(inode);                                                \
		return 0;                                                                    \
	}

/* Devices are asked about by stat, and how many there are is this machine's: the tree's files, by lstat, are numbered. */
BY_PATH(stat, stat, out->st_ino)
BY_PATH(stat64, stat64, out->st_ino)
BY_PATH(lstat, stat, number_of(out->st_dev, out->st_ino))
BY_PATH(lstat64, stat64, number_of(out->st_dev, out->st_ino))

#define SCAN(name, entry)                                                                    \
	static int name##_by_name(const struct entry **left, const struct entry **right)     \
	{                                                                                    \
		return strcmp((*left)->d_name, (*right)->d_name);                            \
	}                                                                                    \
	int name(const char *restrict folder, struct entry ***restrict found,                \
		 int (*wanted)(const struct entry *),                                        \
		 int (*order)(const struct entry **, const struct entry **))                 \
	{                                                                                    \
		int (*real)(const char *, struct entry ***, int (*)(const struct entry *),   \
			    int (*)(const struct entry **, const struct entry **)) = next(#name); \
                                                                                             \
		(void)order;                                                                 \
		return real(folder, found, wanted, name##_by_name);                          \
	}

SCAN(scandir, dirent)
SCAN(scandir64, dirent64)

/*
 * mkfs.btrfs since 6.11 walks by nftw. The C library's asks the kernel itself, in the order of the folder: past the
 * names above, and past fakeroot's owners and devices. Only what is asked for without FTW_CHDIR is done here.
 */
#define WALK(name, type, ask, list, entry)                                                   \
	typedef int name##_told(const char *, const struct type *, int, struct FTW *);       \
	static int name##_below(const char *path, name##_told *told, int flags, int level)   \
	{                                                                                    \
		const char *base = strrchr(path, '/');                                       \
		struct FTW where = { .base = base ? (int)(base + 1 - path) : 0, .level = level }; \
		struct entry **found = NULL;                                                 \
		struct type facts;                                                           \
		int count, kind, answer;                                                     \
                                                                                             \
		memset(&facts, 0, sizeof(facts));                                            \
		if (ask(path, &facts))                                                       \
			return told(path, &facts, FTW_NS, &where);                           \
		if (!S_ISDIR(facts.st_mode)) {                                               \
			kind = S_ISLNK(facts.st_mode) ? FTW_SL : FTW_F;                      \
			return told(path, &facts, kind, &where);                             \
		}                                                                            \
		count = list(path, &found, NULL, NULL);                                      \
		if (count < 0)                                                               \
			return told(path, &facts, FTW_DNR, &where);                          \
		answer = flags & FTW_DEPTH ? 0 : told(path, &facts, FTW_D, &where);          \
		for (int i = 0; i < count; i++) {                                            \
			const char *inner = found[i]->d_name;                                \
			char *longer;                                                        \
                                                                                             \
			if (!answer && strcmp(inner, ".") && strcmp(inner, "..")) {          \
				if (asprintf(&longer, "%s/%s", path, inner) < 0)             \
					abort();                                             \
				answer = name##_below(longer, told, flags, level + 1);       \
				free(longer);                                                \
			}                                                                    \
			free(found[i]);                                                      \
		}                                                                            \
		free(found);                                                                 \
		if (!answer && flags & FTW_DEPTH)                                            \
			answer = told(path, &facts, FTW_DP, &where);                         \
		return answer;                                                               \
	}                                                                                    \
	int name(const char *path, name##_told *told, int descriptors, int flags)            \
	{                                                                                    \
		int (*real)(const char *, name##_told *, int, int) = next(#name);            \
                                                                                             \
		if (!(flags & FTW_PHYS) || flags & ~(FTW_PHYS | FTW_DEPTH | FTW_MOUNT))      \
			return real(path, told, descriptors, flags);                         \
		return name##_below(path, told, flags, 0);                                   \
	}

WALK(nftw, stat, lstat, scandir, dirent)
WALK(nftw64, stat64, lstat64, scandir64, dirent64)
