// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-devices: a QEMU plugin that makes devices complete their work at the instruction that asked for it.
 *
 * A disk, a network card on virtio, a random number generator finish what they were asked for in two places that the
 * host schedules: bottom halves and events of QEMU's main loop, and threads that read and write image files. In exact
 * mode (`-icount …,sleep=off`) the guest's clock does not wait for either, so it sees the interrupt after as many
 * instructions as the host chose. With this plugin
 *
 * - image files are read and written at once, by the thread that asks (devices-pool.c): no thread, and a fixed order;
 * - behind each access to a device, and behind each run of timers, the processor's thread does what the main loop would
 *   (aio_poll()), before the guest's next instruction;
 * - the main loop leaves that alone while a processor runs (devices-loop.c): it would do the work between the access and
 *   its end, at a clock that lacks the last instructions.
 *
 * virtio needs `ioeventfd=off` besides: else QEMU's main loop hears of a request from a file descriptor, when the host lets it.
 *
 * Arguments (all key=value):
 *   check=on     ends QEMU after the self-test, with exit code 0 and "bootlab-devices: ok"
 *   report=on    says at QEMU's end what was done
 *
 * What it cannot do it refuses: a sentence, and QEMU does not start.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN_NAME "bootlab-devices"

#include "devices-loop.h"
#include "devices-pool.h"
#include "plugin-api.h"
#include "qemu-functions.h"
#include "refuse.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

static bool is_x86;
static uint64_t n_accesses, n_ports;

/* Of tests/guests/widen.c, when it is preloaded: holds the processor between the access and what comes behind it. */
__attribute__((weak)) void bootlab_widen_behind_access(void);

static void on_port(unsigned cpu, void *data)
{
    (void)data;
    n_ports++;
    loop_finish_behind(cpu);
}

static void on_memory(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)data;
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, vaddr);
    if (!where || !qemu_plugin_hwaddr_is_io(where))
        return;
    n_accesses++;
    if (loop_waits())
        loop_finish_behind(cpu);
    if (bootlab_widen_behind_access)
        bootlab_widen_behind_access();
}

/* The opcode behind legacy prefixes and REX, and how many bytes there are from it on (Intel SDM vol. 2). */
static const uint8_t *opcode(const uint8_t *b, size_t *n)
{
    size_t i = 0;
    while (i < *n && (b[i] == 0x66 || b[i] == 0x67 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x2e || b[i] == 0x36 ||
                      b[i] == 0x3e || b[i] == 0x26 || b[i] == 0x64 || b[i] == 0x65 || (b[i] & 0xf0) == 0x40))
        i++;
    *n -= i;
    return b + i;
}

/* in, out, ins, outs */
static bool is_port_access(const uint8_t *b, size_t n)
{
    b = opcode(b, &n);
    return n && ((b[0] >= 0xe4 && b[0] <= 0xe7) || (b[0] >= 0xec && b[0] <= 0xef) || (b[0] >= 0x6c && b[0] <= 0x6f));
}

/* Calls and returns end most blocks and touch the stack; no device is there. */
static bool is_call_or_return(const uint8_t *b, size_t n)
{
    b = opcode(b, &n);
    return n && (b[0] == 0xe8 || b[0] == 0xc3 || b[0] == 0xc2 || (b[0] == 0xff && n > 1 && (b[1] & 0x30) == 0x10));
}

/*
 * With icount, an instruction that touches a device is the last of its block: QEMU translates it again, alone, if it was
 * not (cpu_io_recompile()). An access to a port ends its block anyway. So only last instructions are looked at.
 */
static void on_translate(ON_TRANSLATE(tb))
{
    loop_note_processor();
    size_t n = qemu_plugin_tb_n_insns(tb);
    if (n == 0)
        return;
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
    uint8_t bytes[16];
    size_t size = qemu_plugin_insn_size(last);
    if (is_x86 && size && size <= sizeof bytes) {
        bootlab_insn_bytes(last, bytes, size);
        /* Called before the access: what is queued then is done behind it. */
        if (is_port_access(bytes, size))
            qemu_plugin_register_vcpu_insn_exec_cb(last, on_port, QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (is_call_or_return(bytes, size))
            return;
    }
    qemu_plugin_register_vcpu_mem_cb(last, on_memory, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void on_end(ON_END)
{
    fprintf(stderr, "bootlab-devices: accesses %lu, to ports %lu, transfers %lu; ", n_accesses, n_ports, pool_transfers());
    loop_report();
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    bool report = false, check = false;
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "report=on"))
            report = true;
        else if (!strcmp(argv[i], "check=on"))
            check = true;
        else
            return refuse("unknown argument; check=on and report=on are known");
    }
    const char *why = loop_open();
    if (!why)
        why = pool_open();
    if (!why)
        why = pool_test(loop_poll);
    if (why)
        return refuse(why);
    if (check) {
        printf("bootlab-devices: ok\n");
        fflush(NULL);
        _exit(0);
    }
    is_x86 = !strcmp(info->target_name, "x86_64") || !strcmp(info->target_name, "i386");
    qemu_plugin_register_vcpu_tb_trans_cb(BOOTLAB_REGISTER(id, on_translate));
    if (report)
        qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
