// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask-qemu: loads into a QEMU to find out which versions of the plugin interface it takes, says so and ends it.
 *
 * QEMU compares qemu_plugin_version when it loads a plugin, and tells its own versions only to one that it has taken. So
 * the version to try comes from the environment (BOOTLAB_ASK_API), and is put in place before QEMU looks: by a constructor.
 *
 * It prints one line: MINIMUM NEWEST TARGET BUILD. BUILD is the identity that the linker gave to the QEMU program
 * (elf(5), NT_GNU_BUILD_ID), "-" when it has none. It is read here, because what was started may be a script.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin-api.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_NEWEST_API;

#define MOST_ID_BYTES 64

__attribute__((constructor)) static void choose_version(void)
{
    const char *asked = getenv("BOOTLAB_ASK_API");
    if (asked)
        qemu_plugin_version = atoi(asked);
}

static char build[2 * MOST_ID_BYTES + 1] = "-";

static size_t padded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

static void read_notes(const uint8_t *at, size_t n)
{
    while (n >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        size_t id_at = sizeof *note + padded(note->n_namesz), whole = id_at + padded(note->n_descsz);
        if (whole > n)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(note + 1, "GNU", 4) &&
            note->n_descsz <= MOST_ID_BYTES)
            for (size_t i = 0; i < note->n_descsz; i++)
                snprintf(build + 2 * i, 3, "%02x", at[id_at + i]);
        at += whole;
        n -= whole;
    }
}

/* QEMU itself is the object that has the interface. */
static int look(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    uintptr_t sought = (uintptr_t)qemu_plugin_register_vcpu_tb_trans_cb;
    bool is_qemu = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        is_qemu |= segment->p_type == PT_LOAD && sought >= start && sought < start + segment->p_memsz;
    }
    for (int i = 0; is_qemu && i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_NOTE)
            read_notes((const uint8_t *)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr, object->dlpi_phdr[i].p_filesz);
    return is_qemu;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)id;
    (void)argc;
    (void)argv;
    dl_iterate_phdr(look, NULL);
    printf("%d %d %s %s\n", info->version.min, info->version.cur, info->target_name, build);
    fflush(NULL);
    _exit(0);
}
