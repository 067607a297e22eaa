// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-stamp: a QEMU TCG plugin that stamps every console byte and chosen
 * instruction addresses with the guest's virtual time and instruction count.
 *
 * It changes nothing in the guest: no instruction is altered and no time is
 * spent on the virtual clock. Only port writes, stores that end a translation
 * block (see "stores" below) and the marked addresses call back.
 *
 * Arguments (all key=value):
 *   con=PATH           the file that `-chardev file,path=PATH` writes
 *   out=PATH           where the stamps go (stamp-file.h)
 *   shift=N            N of `-icount shift=N`; absent: QEMU runs without icount
 *   mark=ADDR[:KIND]   stamp the first execution of the instruction at ADDR; the
 *                      mark's number is its place on the command line
 *   code=IN_PAGE:HEX   a mark too: the first block that begins with these bytes,
 *                      so far behind the start of a page (stamp-code.h)
 *   user=ADDR          stamp the first instruction executed below ADDR once mark
 *                      number `user_after` was seen; watched from mark `user_from`
 *   user_from=N        on, because the kernel starts helpers (modprobe) whose code
 *   user_after=N       init may share, long before it starts init
 *   kexec=N            mark number N is the kernel's last function before it starts
 *                      another one: what comes then is stamped by stamp-kexec.h
 *   firmware=LOW:HIGH  addresses that are never user space: firmware that the
 *                      kernel calls runs there
 *
 * How a byte gets its time: before each port write the plugin reads the virtual
 * clock; the device model writes the byte to the file inside that instruction;
 * so what is new in the file at the next port write belongs to the last one.
 * Where the UART is memory, the call comes behind the store instead, and what is
 * new in the file belongs to it. No register is read, which API version 1 could
 * not do. Without icount such stores cannot be told from those to memory, and a
 * thread that inotify wakes stamps what is new: that clock is the host's anyway.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN_NAME "bootlab-stamp"

#include "halt.h"
#include "plugin-api.h"
#include "qemu-clock.h"
#include "refuse.h"
#include "stamp-code.h"
#include "stamp-console.h"
#include "stamp-kexec.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

#define MAX_MARKS BOOTLAB_USER_MARK

static int shift = -1;
static uint64_t marks[MAX_MARKS];
static unsigned n_marks;
static uint64_t mark_low = UINT64_MAX, mark_high;
static uint64_t user_limit, firmware_low, firmware_high;
static unsigned user_from, user_after;
static bool user_watched, user_armed, user_done, is_x86, by_inotify;

/* What a mark's call is told: its number above, and below the instructions of the block from it to the block's end. */
#define SITE_MARK_SHIFT 16

static void on_port_write(unsigned cpu, void *data)
{
    (void)cpu;
    console_settle();
    console_note_time((unsigned)(uintptr_t)data);
}

static void on_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    (void)cpu;
    (void)data;
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, vaddr);
    if (!where || !qemu_plugin_hwaddr_is_io(where))
        return;
    /* Runs after the store, the last instruction of its block: the byte is in the file already. */
    if (!console_has_grown())
        return;
    console_note_time(1);
    console_settle();
}

static void note_mark(unsigned number, unsigned left)
{
    if (number >= BOOTLAB_MAX_MARKS || stamp_file->marks[number].seen)
        return;
    /* Addresses of the first kernel say nothing of another one. */
    if (kexec_left() && number < BOOTLAB_KERNEL_2_MARK)
        return;
    struct bootlab_mark *m = &stamp_file->marks[number];
    struct qemu_time now = qemu_clock_at(left);
    m->ns = now.ns;
    m->insns = now.insns;
    __atomic_store_n(&m->seen, 1, __ATOMIC_RELEASE);
    kexec_note(number);
    if (number == user_from)
        user_watched = true;
    if (number == user_after)
        user_armed = true;
}

static void on_kexec(unsigned cpu, void *data)
{
    (void)cpu;
    uintptr_t site = (uintptr_t)data;
    unsigned number = kexec_reached(site & 1);
    if (number)
        note_mark(number, (unsigned)(site >> 1));
}

static void on_mark(unsigned cpu, void *data)
{
    (void)cpu;
    uintptr_t site = (uintptr_t)data;
    note_mark((unsigned)(site >> SITE_MARK_SHIFT), (unsigned)(site & ((1u << SITE_MARK_SHIFT) - 1)));
}

static void on_user(unsigned cpu, void *data)
{
    (void)cpu;
    if (!user_armed || user_done)
        return;
    user_done = true;
    note_mark(BOOTLAB_USER_MARK, (unsigned)(uintptr_t)data);
}

/*
 * `out dx, al` or `outsb`, behind any legacy prefix (Intel SDM vol. 2, opcode map). A UART's data register is a byte
 * wide and its port number does not fit the imm8 form, so the other forms (PCI configuration, port 0x80 delays) are
 * left alone.
 */
static bool is_byte_port_write(const uint8_t *b, size_t n)
{
    size_t i = 0;
    while (i < n && (b[i] == 0x66 || b[i] == 0x67 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x2e || b[i] == 0x36 ||
                     b[i] == 0x3e || b[i] == 0x26 || b[i] == 0x64 || b[i] == 0x65))
        i++;
    if (i >= n)
        return false;
    return b[i] == 0xee || b[i] == 0x6e;
}

static void instrument_port_writes(struct qemu_plugin_tb *tb, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        size_t size = qemu_plugin_insn_size(insn);
        uint8_t bytes[16];
        if (size > sizeof bytes)
            continue;
        bootlab_insn_bytes(insn, bytes, size);
        if (is_byte_port_write(bytes, size))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_port_write, QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(uintptr_t)(n - i));
    }
}

static void instrument_marks(struct qemu_plugin_tb *tb, size_t n)
{
    uint64_t start = qemu_plugin_tb_vaddr(tb);
    if (start > mark_high || start + 16 * n < mark_low)
        return;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);
        for (unsigned m = 0; m < n_marks; m++) {
            if (marks[m] != at || stamp_file->marks[m].seen)
                continue;
            uintptr_t site = (uintptr_t)m << SITE_MARK_SHIFT | (n - i);
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, (void *)site);
        }
    }
}

static void instrument_codes(struct qemu_plugin_tb *tb, size_t n)
{
    int number = code_mark(tb, n);
    if (number < 0 || stamp_file->marks[number].seen)
        return;
    uintptr_t site = (uintptr_t)number << SITE_MARK_SHIFT | n;
    qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, 0), on_mark, QEMU_PLUGIN_CB_NO_REGS,
                                           (void *)site);
}

static bool may_be_user(uint64_t address)
{
    return address < user_limit && (address < firmware_low || address >= firmware_high);
}

static void on_translate(ON_TRANSLATE(tb))
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    if (shift >= 0)
        halt_watch(tb, n);
    if (is_x86)
        instrument_port_writes(tb, n);
    if (n_marks)
        instrument_marks(tb, n);
    if (code_count())
        instrument_codes(tb, n);
    if (kexec_left()) {
        bool low = may_be_user(qemu_plugin_tb_vaddr(tb));
        if (kexec_waits(low))
            qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, 0), on_kexec, QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)((uintptr_t)n << 1 | low));
    }
    if (user_watched && !user_done && may_be_user(qemu_plugin_tb_vaddr(tb)))
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, 0), on_user, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)n);
    /*
     * Stores: with icount, an instruction that touches a device is the last of its
     * block, so that its time is exact: QEMU translates it again, alone, if it was
     * not (cpu_io_recompile). Watching the last instructions sees every device store
     * and spares the cost of a call at each store to memory. Not on x86, whose UARTs
     * are ports and whose calls store to the stack.
     */
    if (n && !is_x86 && !by_inotify)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, n - 1), on_store, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W, NULL);
}

static void on_idle(ON_PROCESSOR(cpu))
{
    if (!by_inotify)
        console_settle();
}

static int parse(const char *arg, const char **con, const char **out)
{
    if (!strncmp(arg, "con=", 4)) {
        *con = arg + 4;
    } else if (!strncmp(arg, "out=", 4)) {
        *out = arg + 4;
    } else if (!strncmp(arg, "shift=", 6)) {
        shift = atoi(arg + 6);
    } else if (!strncmp(arg, "user=", 5)) {
        user_limit = strtoull(arg + 5, NULL, 0);
    } else if (!strncmp(arg, "user_after=", 11)) {
        user_after = (unsigned)strtoul(arg + 11, NULL, 0);
    } else if (!strncmp(arg, "user_from=", 10)) {
        user_from = (unsigned)strtoul(arg + 10, NULL, 0);
    } else if (!strncmp(arg, "kexec=", 6)) {
        kexec_watch((unsigned)strtoul(arg + 6, NULL, 0));
    } else if (!strncmp(arg, "firmware=", 9)) {
        char *end;
        firmware_low = strtoull(arg + 9, &end, 0);
        firmware_high = *end == ':' ? strtoull(end + 1, NULL, 0) : 0;
    } else if (!strncmp(arg, "mark=", 5)) {
        if (n_marks == MAX_MARKS)
            return refuse("too many marks");
        uint64_t at = strtoull(arg + 5, NULL, 0);
        marks[n_marks++] = at;
        mark_low = at < mark_low ? at : mark_low;
        mark_high = at > mark_high ? at : mark_high;
    } else if (!strncmp(arg, "code=", 5)) {
        if (n_marks == MAX_MARKS)
            return refuse("too many marks");
        const char *why = code_add(arg + 5, n_marks);
        if (why)
            return refuse(why);
        /* No address: no instruction lies at the last one. */
        marks[n_marks++] = UINT64_MAX;
    } else {
        return refuse("unknown argument");
    }
    return 0;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *con = NULL, *out = NULL;
    for (int i = 0; i < argc; i++)
        if (parse(argv[i], &con, &out))
            return 1;
    if (!con || !out)
        return refuse("con= and out= are needed");
    const char *why = shift >= 0 ? halt_open(info->target_name) : NULL;
    if (!why)
        why = qemu_clock_open(shift);
    if (!why)
        why = console_open_stamps(out);
    if (!why)
        why = console_open(con);
    if (why)
        return refuse(why);
    is_x86 = !strcmp(info->target_name, "x86_64") || !strcmp(info->target_name, "i386");
    kexec_sees_user(is_x86);
    qemu_plugin_register_vcpu_tb_trans_cb(BOOTLAB_REGISTER(id, on_translate));
    qemu_plugin_register_vcpu_idle_cb(BOOTLAB_REGISTER(id, on_idle));
    by_inotify = !is_x86 && shift < 0;
    if (by_inotify)
        why = console_follow(con);
    if (!why)
        why = console_beat();
    return why ? refuse(why) : 0;
}
