// SPDX-License-Identifier: MIT
/* The first program of both systems of test_kexec.py: a boot loader that is a Linux, and what it starts by kexec. */
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        _exit(1);
}

int main(void)
{
    int kernel = open("/kernel", O_RDONLY);
    if (kernel < 0) {
        say("rc: start\nhub: ready\n");
        for (;;)
            pause();
    }
#ifdef WAITS
    char line[16];
    say("rc: first\nhub: ready\n");
    if (read(0, line, sizeof line) < 1)
        return 1;
#endif
    say("rc: loader\nloader: starting the kernel\n");
    int initrd = open("/second", O_RDONLY);
    if (syscall(SYS_kexec_file_load, kernel, initrd, sizeof CMDLINE, CMDLINE, 0)) {
        perror("kexec_file_load");
        return 1;
    }
    reboot(LINUX_REBOOT_CMD_KEXEC);
    perror("reboot");
    return 1;
}
