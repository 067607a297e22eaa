// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "qemu.h"

#include <link.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../host-code.h"

#define QEMU_CLOCK_VIRTUAL 1
#define ALL_TIMERS (-1)
#define MOST_OPERATIONS 64

struct qemu qemu;

static void *current; /* of the thread that installs: only whether it is there */

static const struct qemu_function functions[] = {
#define FUNCTION(name) {#name, &qemu.name}
    FUNCTION(icount_get),
    FUNCTION(icount_get_raw),
    FUNCTION(icount_to_ns),
    FUNCTION(icount_round),
    FUNCTION(icount_update),
    FUNCTION(icount_prepare_for_run),
    FUNCTION(icount_process_data),
    FUNCTION(icount_handle_interrupt),
    FUNCTION(tcg_cpu_exec),
    FUNCTION(rr_kick_vcpu_thread),
    FUNCTION(cpu_exit),
    FUNCTION(cpu_thread_is_idle),
    FUNCTION(cpu_work_list_empty),
    FUNCTION(qemu_get_cpu),
    FUNCTION(qemu_clock_deadline_ns_all),
    FUNCTION(cpus_get_accel),
    {"current_cpu", &current},
};

/*
 * `-icount …,sleep=off`, asked of QEMU's own options: otherwise an idle machine's clock follows the host, and no boot is like
 * another.
 */
static const char *check_options(void)
{
    void *(*list)(const char *), *(*find)(void *, const char *);
    bool (*get_bool)(void *, const char *, bool);
    const char *(*get)(void *, const char *);
    const struct qemu_function wanted[] = {
        {"qemu_find_opts", &list},
        {"qemu_opts_find", &find},
        {"qemu_opt_get_bool", &get_bool},
        {"qemu_opt_get", &get},
    };
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (why)
        return why;
    void *group = list("icount"), *options = group ? find(group, NULL) : NULL;
    if (!options)
        return "it needs QEMU's instruction counter: -icount shift=N,sleep=off";
    if (get_bool(options, "sleep", true))
        return "it needs -icount with sleep=off: else the host's clock wakes an idle machine";
    if (get(options, "rr"))
        return "QEMU's record and replay (rr=) knows one processor only";
    return NULL;
}

const char *qemu_open(void)
{
    const char *why = qemu_find(QEMU_FUNCTIONS(functions));
    return why ? why : check_options();
}

/*
 * The operations are found by what they are: no offset of a structure is known. The clock stands there twice (virtual
 * clock, ticks); both being icount_get() also says that QEMU counts instructions, and the kick that one thread runs all
 * processors.
 */
const char *qemu_take_operations(const struct qemu_operations *operations)
{
    void **table = qemu.cpus_get_accel();
    size_t n = table ? malloc_usable_size(table) / sizeof *table : 0;
    void **clocks[2], **interrupt = NULL, **kick = NULL;
    unsigned n_clocks = 0, n_interrupts = 0, n_kicks = 0;
    for (size_t i = 0; i < n && i < MOST_OPERATIONS; i++) {
        if (table[i] == (void *)qemu.icount_get && n_clocks++ < 2)
            clocks[n_clocks - 1] = &table[i];
        if (table[i] == (void *)qemu.icount_handle_interrupt && !n_interrupts++)
            interrupt = &table[i];
        if (table[i] == (void *)qemu.rr_kick_vcpu_thread && !n_kicks++)
            kick = &table[i];
    }
    if (n_clocks != 2 || n_interrupts != 1 || n_kicks != 1)
        return "the operations of this QEMU's accelerator are not those of QEMU 10 with -icount and one thread";
    *clocks[0] = *clocks[1] = (void *)operations->clock;
    *interrupt = (void *)operations->interrupt;
    *kick = (void *)operations->kick;
    return NULL;
}

int64_t qemu_executed_ns(void)
{
    return qemu.icount_to_ns(qemu.icount_get_raw());
}

/* Asked as "no processor": icount_get_raw() ends QEMU when one asks in the middle of a block. */
int64_t qemu_executed_now_ns(void)
{
    void **current = qemu_current_cpu(), *self = *current;
    if (self)
        qemu.icount_update(self);
    *current = NULL;
    int64_t ns = qemu_executed_ns();
    *current = self;
    return ns;
}

int64_t qemu_jumped_ns(void)
{
    int64_t executed, clock;
    do {
        executed = qemu_executed_ns();
        clock = qemu.icount_get();
    } while (executed != qemu_executed_ns());
    return clock - executed;
}

int64_t qemu_next_timer_ns(void)
{
    return qemu.qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, ALL_TIMERS);
}

#define SPRINGBOARD_STEP 0x100000ul
#define MOST_DATA 0x2000000
#define SITES 2 /* rr_cpu_thread_fn() and mttcg_cpu_thread_fn(), which -icount does not use */

static uint8_t *text, *text_end;

static int find_text(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uint8_t *at = (uint8_t *)object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && at <= (uint8_t *)qemu.tcg_cpu_exec &&
            (uint8_t *)qemu.tcg_cpu_exec < at + segment->p_memsz) {
            text = at;
            text_end = at + segment->p_memsz;
        }
    }
    return text != NULL;
}

/* A page with a jump to a function that may be anywhere, or NULL where something else is. */
static uint8_t *page_at(uint8_t *at, int (*to)(void *))
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *made = mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    uint8_t jump[HOST_JUMP_BYTES];
    host_jump(jump, (void *)to);
    if (made == at && host_write(made, jump, sizeof jump))
        return made;
    munmap(made, page);
    return NULL;
}

/*
 * One that every call of QEMU's can reach: behind QEMU's code, with room for its heap, or before it, where a QEMU that was
 * started by its dynamic loader has its libraries behind it.
 */
static uint8_t *springboard(int (*to)(void *))
{
    uint8_t *made = NULL;
    uint8_t *first = (uint8_t *)((uintptr_t)text & ~(uintptr_t)(SPRINGBOARD_STEP - 1));
    for (uint8_t *at = first + (text_end - text) + MOST_DATA; !made && at < text + HOST_REACH; at += SPRINGBOARD_STEP)
        made = page_at((uint8_t *)((uintptr_t)at & ~(uintptr_t)(SPRINGBOARD_STEP - 1)), to);
    for (uint8_t *at = first - SPRINGBOARD_STEP; !made && at > text_end - HOST_REACH; at -= SPRINGBOARD_STEP)
        made = page_at(at, to);
    return made;
}

/* At installation: no other thread executes the page yet. */
static bool write_call(uint8_t *at, const void *to)
{
    uint8_t call[HOST_CALL_BYTES];
    host_call(call, at, to);
    return host_write(at, call, sizeof call);
}

const char *qemu_redirect_exec(int (*exec)(void *cpu))
{
    const char *why = host_unknown();
    if (why)
        return why;
    dl_iterate_phdr(find_text, NULL);
    if (!text)
        return "QEMU's code is not where its functions are";
    uint8_t *sites[SITES];
    unsigned n = 0, n_jumps = 0;
    for (uint8_t *at = text; at + HOST_CALL_BYTES <= text_end; at += HOST_ALIGN) {
        enum host_transfer kind = host_transfer(at, (void *)qemu.tcg_cpu_exec);
        if (kind == HOST_JUMP)
            n_jumps++;
        else if (kind == HOST_CALL && n++ < SITES)
            sites[n - 1] = at;
    }
    if (n != SITES || n_jumps)
        return "the loop of this QEMU does not call tcg_cpu_exec() where that of QEMU 10 does";
    uint8_t *board = springboard(exec);
    if (!board)
        return "there is no free page near QEMU's code";
    for (unsigned i = 0; i < SITES; i++)
        if (!write_call(sites[i], board)) {
            for (unsigned done = 0; done < i; done++)
                write_call(sites[done], (void *)qemu.tcg_cpu_exec);
            return "this host does not let a program change its own code";
        }
    return NULL;
}
