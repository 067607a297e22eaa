// SPDX-License-Identifier: MIT
/*
 * The first lines of an application that is init, as a program of their own, for applications that cannot be changed:
 * mounts what init would have mounted, then becomes the application.
 *
 *   rdinit=/application-start START_PROGRAM=/usr/bin/camera START_MOUNTS=proc:/proc,sysfs:/sys
 *
 * The kernel hands parameters that it does not know to init as its environment (init/main.c: unknown_bootoption).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static void mount_all(char *list)
{
	char *rest = list, *item;

	while ((item = strsep(&rest, ",")) != NULL) {
		char *target = strchr(item, ':');

		if (!target)
			continue;
		*target++ = '\0';
		if (mkdir(target, 0755) < 0 && errno != EEXIST)
			fprintf(stderr, "application-start: %s: %s\n", target, strerror(errno));
		/* EBUSY: the kernel has mounted it (CONFIG_DEVTMPFS_MOUNT). */
		if (mount(item, target, item, 0, NULL) < 0 && errno != EBUSY)
			fprintf(stderr, "application-start: %s on %s: %s\n", item, target, strerror(errno));
	}
}

int main(int argc, char **argv)
{
	char *program = getenv("START_PROGRAM");
	char *mounts = getenv("START_MOUNTS");

	if (argc < 1 || !program)
		return EXIT_FAILURE;
	if (mounts)
		mount_all(mounts);
	argv[0] = program;
	execv(program, argv);
	fprintf(stderr, "application-start: %s: %s\n", program, strerror(errno));
	return EXIT_FAILURE;
}
