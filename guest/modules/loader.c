// SPDX-License-Identifier: MIT
/*
 * An init that loads /module.ko, says so and goes on sleeping. The module's parameters come from the kernel command line
 * by way of the environment: MODULE_PARAMETERS=delay_ms=5
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	const char *parameters = getenv("MODULE_PARAMETERS");
	int fd = open("/module.ko", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, parameters ? parameters : "", 0) < 0)
		perror("/module.ko");
	else
		puts("init: ready");
	fflush(stdout);
	for (;;)
		pause();
}
