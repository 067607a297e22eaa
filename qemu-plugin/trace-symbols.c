// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-symbols.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbols symbols;

const char *symbols_open(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return "cannot open the file named by syms=";
    if (fstat(fd, &st) != 0 || (size_t)st.st_size < sizeof(struct bootlab_symbols_head)) {
        close(fd);
        return "the symbol file is too short";
    }
    const struct bootlab_symbols_head *head = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (head == MAP_FAILED)
        return "cannot map the symbol file";
    uint64_t size = sizeof *head + (uint64_t)head->n_symbols * sizeof(struct bootlab_symbol) +
                    (uint64_t)head->n_functions * sizeof(uint32_t);
    if (memcmp(head->magic, BOOTLAB_SYMBOLS_MAGIC, sizeof head->magic) != 0 ||
        head->version != BOOTLAB_SYMBOLS_VERSION || size != (uint64_t)st.st_size || head->n_symbols == 0 ||
        head->n_functions < N_BUCKETS)
        return "the symbol file is damaged";
    symbols.rows = (const struct bootlab_symbol *)(head + 1);
    symbols.n_rows = head->n_symbols;
    symbols.flags = (const uint32_t *)(symbols.rows + head->n_symbols);
    symbols.n_functions = head->n_functions;
    symbols.low = symbols.rows[0].start;
    symbols.high = symbols.rows[symbols.n_rows - 1].start;
    for (uint32_t i = 0; i < symbols.n_rows; i++)
        if (symbols.rows[i].function >= symbols.n_functions || (i && symbols.rows[i].start <= symbols.rows[i - 1].start))
            return "the symbol file is not in order";
    return NULL;
}

const struct bootlab_symbol *symbols_at(uint64_t address)
{
    uint32_t low = 0, high = symbols.n_rows;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (symbols.rows[middle].start <= address)
            low = middle;
        else
            high = middle;
    }
    return &symbols.rows[low];
}
