// SPDX-License-Identifier: MIT
/*
 * Plays QEMU to bootlab-cost: translates and runs a few blocks of AArch64 code as QEMU would, and ends.
 * Arguments: what happens, then the plugin's own arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin-api.h"

#define START 0x40000000u
#define SERIAL 0x9000000u
#define ADD 0x91000421u /* add x1, x1, #1 */
#define STORE 0xb9000262u
#define BRANCH 0x54ffff61u /* b.ne */

struct qemu_plugin_insn {
    uint32_t word;
    uint64_t address;
    qemu_plugin_vcpu_mem_cb_t on_access;
    void *access_data;
};
struct qemu_plugin_tb {
    uint64_t start;
    size_t n;
    struct qemu_plugin_insn insns[8];
    qemu_plugin_vcpu_udata_cb_t on_run;
    void *run_data;
};
struct qemu_plugin_hwaddr {
    bool is_device;
    uint64_t physical;
};

static void (*translated)(ON_TRANSLATE(tb));
static void (*ended)(ON_END);
static void (*flushed)(ON_FLUSH);
static struct qemu_plugin_hwaddr found;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(ON_TRANSLATE(tb))) { (void)id; translated = cb; }
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(ON_END), void *data) { (void)id; (void)data; ended = cb; }
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*cb)(ON_FLUSH)) { (void)id; flushed = cb; }
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
                                          enum qemu_plugin_cb_flags flags, void *data)
{
    (void)flags;
    tb->on_run = cb;
    tb->run_data = data;
}
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data)
{
    (void)flags;
    (void)rw;
    insn->on_access = cb;
    insn->access_data = data;
}
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info) { return info & 1; }
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info) { return info >> 1; }
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t virtual)
{
    (void)info;
    found = (struct qemu_plugin_hwaddr){.is_device = virtual == SERIAL, .physical = virtual};
    return &found;
}
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *at) { return at->physical; }
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *at) { return at->is_device; }
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb) { return tb->n; }
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb) { return tb->start; }
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i)
{
    return (struct qemu_plugin_insn *)&tb->insns[i];
}
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn) { (void)insn; return 4; }
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn) { return insn->address; }
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn) { return (void *)(uintptr_t)insn->address; }
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn) { return &insn->word; }

static struct qemu_plugin_tb block(uint64_t start, size_t n, const uint32_t *words)
{
    struct qemu_plugin_tb tb = {.start = start, .n = n};
    for (size_t i = 0; i < n; i++)
        tb.insns[i] = (struct qemu_plugin_insn){.word = words[i], .address = start + 4 * i};
    return tb;
}

static void translate(struct qemu_plugin_tb *tb)
{
    translated(0, tb);
}

static void run(struct qemu_plugin_tb *tb, unsigned cpu)
{
    tb->on_run(cpu, tb->run_data);
}

static void access_of(struct qemu_plugin_tb *tb, size_t i, uint64_t address, unsigned cpu)
{
    tb->insns[i].on_access(cpu, 1 | 2 << 1, address, tb->insns[i].access_data);
}

/* A loop of five instructions, the second of which writes to a device: QEMU leaves the block there. */
static void device(void)
{
    const uint32_t words[] = {ADD, STORE, ADD, ADD, BRANCH};
    struct qemu_plugin_tb whole = block(START, 5, words), alone = block(START + 4, 1, words + 1),
                          rest = block(START + 8, 3, words + 2);
    translate(&whole);
    translate(&alone);
    translate(&rest);
    for (int i = 0; i < 100; i++) {
        run(&whole, 0);
        access_of(&alone, 0, SERIAL, 0); /* without the callback of a block */
        run(&rest, 0);
    }
}

static void plain(struct qemu_plugin_tb *tb, int times, unsigned cpu)
{
    for (int i = 0; i < times; i++) {
        run(tb, cpu);
        access_of(tb, 1, 0x1000 + 64u * (unsigned)i, cpu);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

int main(int argc, char **argv)
{
    const char *what = argv[1];
    bool is_system = !strcmp(what, "device") || !strcmp(what, "others");
    qemu_info_t info = {.target_name = "aarch64", .version = {1, 1}, .system_emulation = is_system};
    if (qemu_plugin_install(0, &info, argc - 2, argv + 2))
        return 2;
    const uint32_t words[] = {ADD, STORE, BRANCH};
    struct qemu_plugin_tb loop = block(START, 3, words), again = loop;
    if (!strcmp(what, "device")) {
        device();
    } else if (!strcmp(what, "many")) { /* more accesses than there is place for */
        translate(&loop);
        run(&loop, 0);
        for (unsigned i = 0; i < 20000; i++)
            access_of(&loop, 1, 0x100000 + 64 * i, 0);
    } else {
        translate(&loop);
        plain(&loop, 10, 0);
        if (!strcmp(what, "thread") || !strcmp(what, "others"))
            plain(&loop, 10, 1);
        if (!strcmp(what, "flush")) {
            flushed(0);
            translate(&again); /* what was freed is not read, what runs is not freed */
            plain(&again, 10, 0);
            flushed(0);
        }
        if (!strcmp(what, "fork")) {
            pid_t child = fork();
            plain(&loop, child ? 10 : 5, 0);
            if (child)
                waitpid(child, NULL, 0);
        }
    }
    ended(0, NULL);
    return 0;
}
