// SPDX-License-Identifier: GPL-2.0-or-later
#include "stamp-code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Images are loaded at the start of a page (UEFI: EFI_PAGE_SIZE), so the offset in it stays. */
#define PAGE_MASK 0xfff
#define MAX_CODES 8
#define MOST_BYTES 32
/* QEMU ends a block behind a load of a segment register, with which a decompressor begins. */
#define LEAST_BYTES 6

static struct {
    unsigned number;
    unsigned in_page;
    size_t size;
    uint8_t bytes[MOST_BYTES];
} codes[MAX_CODES];
static unsigned n_codes;

const char *code_add(const char *text, unsigned number)
{
    if (n_codes == MAX_CODES)
        return "too many marks of code";
    char *end;
    unsigned long in_page = strtoul(text, &end, 0);
    if (*end != ':' || in_page > PAGE_MASK)
        return "a mark of code is IN_PAGE:HEX";
    size_t size = 0;
    for (end++; isxdigit((unsigned char)end[0]) && isxdigit((unsigned char)end[1]); end += 2) {
        if (size == MOST_BYTES)
            return "a mark of code has too many bytes";
        char digits[3] = {end[0], end[1], 0};
        codes[n_codes].bytes[size++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    if (*end || size < LEAST_BYTES)
        return "a mark of code has too few bytes, or no hexadecimal ones";
    codes[n_codes].number = number;
    codes[n_codes].in_page = (unsigned)in_page;
    codes[n_codes++].size = size;
    return NULL;
}

unsigned code_count(void)
{
    return n_codes;
}

static size_t first_bytes(const struct qemu_plugin_tb *tb, size_t n, uint8_t *bytes)
{
    size_t have = 0;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t size = qemu_plugin_insn_size(insn);
        uint8_t one[16];
        if (size > sizeof one)
            break;
        bootlab_insn_bytes(insn, one, size);
        size_t fits = size < MOST_BYTES - have ? size : MOST_BYTES - have;
        memcpy(bytes + have, one, fits);
        have += fits;
        if (have == MOST_BYTES)
            break;
    }
    return have;
}

int code_mark(const struct qemu_plugin_tb *tb, size_t n)
{
    unsigned in_page = (unsigned)(qemu_plugin_tb_vaddr(tb) & PAGE_MASK);
    uint8_t bytes[MOST_BYTES];
    size_t have = 0;
    for (unsigned c = 0; c < n_codes; c++) {
        if (codes[c].in_page != in_page)
            continue;
        if (!have)
            have = first_bytes(tb, n, bytes);
        size_t compared = have < codes[c].size ? have : codes[c].size;
        if (compared >= LEAST_BYTES && !memcmp(bytes, codes[c].bytes, compared))
            return (int)codes[c].number;
    }
    return -1;
}
