// SPDX-License-Identifier: MIT
/*
 * The first program of an initramfs that has one task: to mount the root and start its init.
 *
 * `/root.list` beside it says what it needs, one word and one value a line:
 *
 *   fs ext4                          the root's file system
 *   module /modules/00-mmc_core.ko   modules, in the order in which they are loaded
 *
 * The root, its options and init come from the kernel's command line, as initramfs-tools and dracut read them: root=
 * (a device, UUID= or LABEL= of an ext file system), rootfstype=, rootflags=, rw, init=, rootdelay= (so many seconds
 * are waited for the device at most, else 30), and MODULE.PARAMETER=VALUE.
 * It says in the kernel's log what it has mounted. When it fails it ends, and the kernel panics with what it said last.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIST "/root.list"
#define PLACE "/root"
#define LINE_MAX_BYTES 8192
#define WORDS_MAX 512
#define WAIT_MS 30000

/* The superblock of ext2, ext3 and ext4 (Documentation/filesystems/ext4/super.rst). */
#define SUPER_AT 1024
#define SUPER_MAGIC_AT 0x38
#define SUPER_UUID_AT 0x68
#define SUPER_LABEL_AT 0x78
#define LABEL_BYTES 16
#define SUPER_BYTES 264
#define UUID_TEXT_BYTES 37

/* include/uapi/linux/module.h; the C library may be older. */
#define INIT_COMPRESSED_FILE 4

static char line[LINE_MAX_BYTES];
static char *words[WORDS_MAX];
static size_t word_count;

static void say(const char *format, ...)
{
	char text[512] = "<6>mount-root: ";
	size_t head = strlen(text);
	va_list rest;
	int log;

	va_start(rest, format);
	vsnprintf(text + head, sizeof(text) - head, format, rest);
	va_end(rest);
	log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (log < 0 || write(log, text, strlen(text)) < 0)
		fprintf(stderr, "%s\n", text + 3);
	if (log >= 0)
		close(log);
}

static int fail(const char *what, const char *which)
{
	int fault = errno;

	say("%s %s: %s", what, which, strerror(fault));
	/* Also where a quiet kernel shows it. */
	fprintf(stderr, "mount-root: %s %s: %s\n", what, which, strerror(fault));
	return EXIT_FAILURE;
}

/* Splits at blanks, but not between double quotes (lib/cmdline.c: next_arg()). */
static void read_command_line(void)
{
	int file = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t bytes = file < 0 ? -1 : read(file, line, sizeof(line) - 1);
	char *here = line;

	if (file >= 0)
		close(file);
	line[bytes < 0 ? 0 : bytes] = '\0';
	while (*here && word_count < WORDS_MAX) {
		int quoted = 0;

		while (isspace((unsigned char)*here))
			here++;
		if (!*here)
			break;
		words[word_count++] = here;
		for (; *here && (quoted || !isspace((unsigned char)*here)); here++)
			if (*here == '"')
				quoted = !quoted;
		if (*here)
			*here++ = '\0';
	}
}

/* The last one counts, as in the kernel. */
static const char *value_of(const char *key)
{
	size_t length = strlen(key);

	for (size_t i = word_count; i-- > 0;)
		if (strncmp(words[i], key, length) == 0 && words[i][length] == '=')
			return words[i] + length + 1;
	return NULL;
}

static int is_writable(void)
{
	for (size_t i = word_count; i-- > 0;) {
		if (strcmp(words[i], "rw") == 0)
			return 1;
		if (strcmp(words[i], "ro") == 0)
			return 0;
	}
	return 0;
}

static int same_name(const char *left, const char *right, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (left[i] != right[i] && !((left[i] == '-' || left[i] == '_') && (right[i] == '-' || right[i] == '_')))
			return 0;
	return 1;
}

/* MODULE.PARAMETER=VALUE of the command line, as modprobe takes them from there. */
static void parameters_of(const char *module, char *text, size_t size)
{
	size_t length = strlen(module), used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < word_count; i++) {
		int added;

		if (strlen(words[i]) <= length + 1 || words[i][length] != '.' || !same_name(words[i], module, length))
			continue;
		added = snprintf(text + used, size - used, "%s%s", used ? " " : "", words[i] + length + 1);
		if (added < 0 || (size_t)added >= size - used) {
			text[used] = '\0';
			return;
		}
		used += (size_t)added;
	}
}

/* `/modules/07-sdhci-pci.ko.xz`: its parameters are those of `sdhci-pci`. */
static int load(const char *path)
{
	char name[PATH_MAX], parameters[LINE_MAX_BYTES];
	const char *base = strrchr(path, '/');
	char *end;
	long failed;
	int file;

	base = base ? base + 1 : path;
	while (isdigit((unsigned char)*base))
		base++;
	snprintf(name, sizeof(name), "%s", *base == '-' ? base + 1 : base);
	end = strstr(name, ".ko");
	if (!end) {
		errno = EINVAL;
		return -1;
	}
	parameters_of((*end = '\0', name), parameters, sizeof(parameters));
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	failed = syscall(SYS_finit_module, file, parameters, strcmp(strstr(base, ".ko"), ".ko") ? INIT_COMPRESSED_FILE : 0);
	close(file);
	unlink(path);
	return failed && errno != EEXIST ? -1 : 0;
}

static int has_name(const char *device, const char *wanted, int by_uuid)
{
	unsigned char super[SUPER_BYTES];
	char uuid[UUID_TEXT_BYTES];
	int file = open(device, O_RDONLY | O_CLOEXEC);
	size_t at = 0;

	if (file < 0)
		return 0;
	if (pread(file, super, sizeof(super), SUPER_AT) != (ssize_t)sizeof(super)) {
		close(file);
		return 0;
	}
	close(file);
	if (super[SUPER_MAGIC_AT] != 0x53 || super[SUPER_MAGIC_AT + 1] != 0xef)
		return 0;
	if (!by_uuid)
		return strlen(wanted) <= LABEL_BYTES &&
		       strncmp((const char *)super + SUPER_LABEL_AT, wanted, LABEL_BYTES) == 0;
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			uuid[at++] = '-';
		at += (size_t)snprintf(uuid + at, sizeof(uuid) - at, "%02x", super[SUPER_UUID_AT + i]);
	}
	return strcasecmp(uuid, wanted) == 0;
}

static int find_by_name(const char *wanted, int by_uuid, char *found, size_t size)
{
	DIR *folder = opendir("/dev");
	const struct dirent *entry;
	int there = 0;

	if (!folder)
		return 0;
	while (!there && (entry = readdir(folder)) != NULL) {
		if (entry->d_type != DT_BLK)
			continue;
		snprintf(found, size, "/dev/%s", entry->d_name);
		there = has_name(found, wanted, by_uuid);
	}
	closedir(folder);
	return there;
}

static int find_root(const char *wanted, char *found, size_t size)
{
	struct stat status;

	if (strncmp(wanted, "UUID=", 5) == 0)
		return find_by_name(wanted + 5, 1, found, size);
	if (strncmp(wanted, "LABEL=", 6) == 0)
		return find_by_name(wanted + 6, 0, found, size);
	snprintf(found, size, "%s", wanted);
	return stat(wanted, &status) == 0 && S_ISBLK(status.st_mode);
}

static int wait_for_root(const char *wanted, char *found, size_t size)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	const char *said = value_of("rootdelay");
	long most_ms = said ? strtol(said, NULL, 10) * 1000 : WAIT_MS;

	for (long i = 0; i < most_ms; i++) {
		if (find_root(wanted, found, size))
			return 0;
		nanosleep(&pause, NULL);
	}
	errno = ENODEV;
	return -1;
}

static int read_list(char *type, size_t size, int *loaded)
{
	FILE *list = fopen(LIST, "re");
	char text[PATH_MAX];

	if (!list)
		return fail("cannot read", LIST);
	while (fgets(text, sizeof(text), list)) {
		text[strcspn(text, "\n")] = '\0';
		if (strncmp(text, "fs ", 3) == 0)
			snprintf(type, size, "%s", text + 3);
		else if (strncmp(text, "module ", 7) == 0 && load(text + 7) < 0)
			/* The next one, or the root that does not come, tells whether it was needed. */
			fail("cannot load", text + 7);
		else
			*loaded += text[0] == 'm';
	}
	fclose(list);
	return EXIT_SUCCESS;
}

static int start_init(char **argv)
{
	static const char *const usual[] = { "/sbin/init", "/etc/init", "/bin/init", "/bin/sh" };
	const char *named = value_of("init");

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		argv[0] = (char *)(named ? named : usual[i]);
		execv(argv[0], argv);
		if (named)
			break;
	}
	return fail("cannot start", argv[0]);
}

int main(int argc, char **argv)
{
	static char type[PATH_MAX] = "ext4", device[PATH_MAX];
	const char *root, *named;
	int loaded = 0;

	if (argc < 1)
		return EXIT_FAILURE;
	mkdir("/proc", 0755);
	if (mount("devtmpfs", "/dev", "devtmpfs", 0, "mode=0755") < 0 && errno != EBUSY)
		return fail("cannot mount", "/dev");
	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		return fail("cannot mount", "/proc");
	read_command_line();
	if (read_list(type, sizeof(type), &loaded) != EXIT_SUCCESS)
		return EXIT_FAILURE;
	root = value_of("root");
	named = value_of("rootfstype");
	if (named)
		snprintf(type, sizeof(type), "%s", named);
	if (!root || wait_for_root(root, device, sizeof(device)) < 0)
		return fail("no root", root ? root : "(no root= on the command line)");
	if (mount(device, PLACE, type, is_writable() ? 0 : MS_RDONLY, value_of("rootflags")) < 0)
		return fail("cannot mount", device);
	say("%s mounted as the root (%s), %d modules loaded", device, type, loaded);
	umount("/proc");
	unlink(LIST);
	unlink("/init");
	if (mount("/dev", PLACE "/dev", NULL, MS_MOVE, NULL) < 0)
		return fail("cannot move", "/dev");
	if (chdir(PLACE) < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
		return fail("cannot change to", device);
	return start_init(argv);
}
