// SPDX-License-Identifier: MIT
/*
 * How a read is seen. The root file system of an initramfs is mounted with strict access times, and everything that
 * reads (read, mmap, exec) goes through file_accessed(). Comparing atime with mtime alone is not enough: the kernel
 * sets both to the archive's time only with CONFIG_INITRAMFS_PRESERVE_MTIME, and without it a file that is read in the
 * tick in which it was unpacked looks like one that was not. So before init starts, every file that was not read yet
 * gets the access time MARK, which no clock will ever show; a file is read when it has another one.
 *
 * Nothing here opens a regular file.
 */
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "seen.h"

#define MARK_S 1
#define MARK_NS 1
#define DEPTH_MAX 64

struct file {
	struct file *next;
	unsigned long long bytes;
	int early;
	int seen;
	char kind;
	char path[];
};

static struct file *first;
static struct file **last = &first;
static char *empty_folder;
static dev_t root;
static int folders_too;
static int refused;

static int later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

static int marked(const struct stat *st)
{
	return st->st_atim.tv_sec == MARK_S && st->st_atim.tv_nsec == MARK_NS;
}

static void remember(int folder, const char *name, const char *path, const struct stat *st, char kind)
{
	static const struct timespec times[2] = {
		{ .tv_sec = MARK_S, .tv_nsec = MARK_NS },
		{ .tv_nsec = UTIME_OMIT },
	};
	size_t size = strlen(path) + 1;
	struct file *file = malloc(sizeof(*file) + size);

	if (!file)
		return;
	memcpy(file->path, path, size);
	file->next = NULL;
	file->seen = 0;
	file->kind = kind;
	file->bytes = (unsigned long long)st->st_size;
	/* Another name of the same file may have been marked before. */
	file->early = later(st->st_atim, st->st_mtim) && !marked(st);
	/* What cannot be marked counts as read: leaving out a file that is needed is the worse mistake. */
	if (!file->early && utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) < 0) {
		file->early = 1;
		refused = errno;
	}
	*last = file;
	last = &file->next;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void walk(int folder, const char *prefix, const char *self, int depth)
{
	struct dirent **names;
	int count = scandirat(folder, ".", &names, NULL, by_name);

	if (count == 2 && *prefix && !empty_folder)
		empty_folder = strdup(prefix);
	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;
		struct stat st;
		char *path = NULL;

		if (strcmp(name, ".") && strcmp(name, "..") && asprintf(&path, "%s/%s", prefix, name) > 0 &&
		    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == root) {
			if (S_ISREG(st.st_mode) && strcmp(path, self))
				remember(folder, name, path, &st, 'r');
			else if (S_ISLNK(st.st_mode))
				remember(folder, name, path, &st, 'l');
			if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
				int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOATIME | O_NOFOLLOW);

				if (fd >= 0) {
					walk(fd, path, self, depth + 1);
					close(fd);
				}
				/* After the walk, which lists it itself. */
				if (folders_too)
					remember(folder, name, path, &st, 'd');
			}
		}
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

void files_mark(const char *self, int folders)
{
	struct stat st;
	int fd;

	folders_too = folders;
	/* A medium's root is mounted with relative access times, which stay as they are where a clock begins in 1970. */
	if (folders)
		mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_STRICTATIME, NULL);
	fd = open("/", O_RDONLY | O_DIRECTORY | O_NOATIME);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0) {
		root = st.st_dev;
		walk(fd, "", self, 0);
	}
	close(fd);
}

/* A file that is gone was used by somebody. */
static int was_read(const struct file *file)
{
	struct stat st;

	return file->early || lstat(file->path, &st) < 0 || !marked(&st);
}

void files_seen(void)
{
	char text[160];

	if (refused) {
		snprintf(text, sizeof(text), "access times cannot be set: %s", strerror(refused));
		seen_method("atime", 0, text);
		return;
	}
	seen_method("atime", 1, "read, mapped, executed, listed, link followed; not: looked at (stat), opened and not read");
	for (struct file *file = first; file; file = file->next) {
		if (file->seen || !was_read(file))
			continue;
		file->seen = 1;
		seen_add("atime", file->kind, "", file->path, strlen(file->path));
	}
}

const char *files_empty_folder(void)
{
	return empty_folder;
}

void files_report(void)
{
	for (const struct file *file = first; file; file = file->next) {
		char head[64];

		if (file->kind == 'l') {
			if (was_read(file))
				report_line("link", file->path, strlen(file->path), ESCAPE_FIELD);
			continue;
		}
		snprintf(head, sizeof(head), "file %c %llu", was_read(file) ? 'R' : '-', file->bytes);
		report_line(head, file->path, strlen(file->path), ESCAPE_FIELD);
	}
}
