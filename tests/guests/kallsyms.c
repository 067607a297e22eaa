// SPDX-License-Identifier: MIT
/*
 * The first program of a Linux: reads the kernel's own /proc/kallsyms beside /expected (the same text, made from the image)
 * and prints how many rows of the kernel itself there are, the hash of their text (FNV-1a, 64 bits), and what differs.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define ROW_BYTES 1024
#define SHOWN 20

static uint64_t fnv(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* The next row of the kernel itself: "[name]" behind a tabulator is a module, or BPF. */
static int next(FILE *file, char *row)
{
    while (fgets(row, ROW_BYTES, file))
        if (!strchr(row, '\t'))
            return 1;
    return 0;
}

int main(void)
{
    char here[ROW_BYTES], there[ROW_BYTES];
    unsigned long rows = 0, different = 0, missing = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    mount("proc", "/proc", "proc", 0, NULL);
    int limit = open("/proc/sys/kernel/kptr_restrict", O_WRONLY);
    if (limit >= 0) {
        if (write(limit, "0", 1) != 1)
            puts("kallsyms: kptr_restrict stays");
        close(limit);
    }
    FILE *own = fopen("/proc/kallsyms", "r"), *expected = fopen("/expected", "r");
    while (own && expected && next(own, here)) {
        rows++;
        hash = fnv(hash, here);
        if (!next(expected, there)) {
            missing++;
            continue;
        }
        if (strcmp(here, there) && different++ < SHOWN)
            printf("kallsyms: kernel: %skallsyms: image: %s", here, there);
    }
    while (expected && next(expected, there))
        different++;
    printf("kallsyms: %lu rows, %016llx, %lu different, %lu missing\n", rows, (unsigned long long)hash, different,
           missing);
    fflush(stdout);
    for (;;)
        pause();
}
