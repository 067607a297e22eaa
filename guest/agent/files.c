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
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

#define MARK_S 1
#define MARK_NS 1
#define DEPTH_MAX 64

struct file {
	struct file *next;
	unsigned long long bytes;
	int early;
	int link;
	char path[];
};

static struct file *first;
static struct file **last = &first;
static char *empty_folder;
static dev_t root;

static int later(struct timespec a, struct timespec b)
{
	return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

static void remember(int folder, const char *name, const char *path, const struct stat *st)
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
	file->bytes = (unsigned long long)st->st_size;
	file->link = S_ISLNK(st->st_mode);
	file->early = later(st->st_atim, st->st_mtim);
	/* What cannot be marked counts as read: leaving out a file that is needed is the worse mistake. */
	if (!file->early && utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		file->early = 1;
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
			if ((S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) && strcmp(path, self)) {
				remember(folder, name, path, &st);
			} else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
				int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOATIME | O_NOFOLLOW);

				if (fd >= 0) {
					walk(fd, path, self, depth + 1);
					close(fd);
				}
			}
		}
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

void files_mark(const char *self)
{
	struct stat st;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_NOATIME);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0) {
		root = st.st_dev;
		walk(fd, "", self, 0);
	}
	close(fd);
}

const char *files_empty_folder(void)
{
	return empty_folder;
}

void files_report(void)
{
	for (const struct file *file = first; file; file = file->next) {
		struct stat st;
		char head[64];
		int read = file->early;

		/* A file that is gone was used by somebody. */
		if (lstat(file->path, &st) < 0 || st.st_atim.tv_sec != MARK_S || st.st_atim.tv_nsec != MARK_NS)
			read = 1;
		if (file->link) {
			if (read)
				report_line("link", file->path, strlen(file->path), ESCAPE_FIELD);
			continue;
		}
		snprintf(head, sizeof(head), "file %c %llu", read ? 'R' : '-', file->bytes);
		report_line(head, file->path, strlen(file->path), ESCAPE_FIELD);
	}
}
