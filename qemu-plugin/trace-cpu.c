// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "trace-cpu.h"

#include <dlfcn.h>
#include <string.h>

#include "decode.h"

/*
 * Source of the numbers: QEMU's gdb-xml/arm-core.xml, aarch64-core.xml, target/i386/gdbstub.c (in qemu-system-x86_64 also
 * of 32-bit code). The bits: PSR_T, PSR_I of the Arm ARM, IF of the Intel SDM.
 */
#define X86_FLAGS 17
#define X86_IF (1u << 9)
#define ARM_CPSR 25
#define ARM64_CPSR 33
#define PSR_T (1u << 5)
#define PSR_I (1u << 7)
#define RISCV_SIE 2 /* the bit of sstatus; the register holds what is written there */

struct bytes { /* GByteArray of GLib */
    uint8_t *data;
    unsigned n;
};

static const struct architecture {
    const char *target, *reader;
    int status;
    uint32_t on, off; /* interrupts are on when this bit of the status is set, or when that one is not */
    struct decoder decoder, thumb;
} architectures[] = {
    {"x86_64", "x86_cpu_gdb_read_register", X86_FLAGS, X86_IF, 0, {decode_x86_flow, decode_x86_irq}, {NULL, NULL}},
    {"i386", NULL, 0, 0, 0, {decode_x86_flow, decode_x86_irq}, {NULL, NULL}},
    {"aarch64", "aarch64_cpu_gdb_read_register", ARM64_CPSR, 0, PSR_I, {decode_arm64_flow, decode_arm64_irq}, {NULL, NULL}},
    {"arm", "arm_cpu_gdb_read_register", ARM_CPSR, 0, PSR_I, {decode_a32_flow, decode_a32_irq},
     {decode_t32_flow, decode_t32_irq}},
    {"riscv64", "riscv_cpu_gdb_read_register", 0, 0, 0, {decode_riscv_flow, decode_riscv_irq}, {NULL, NULL}},
};

static const struct architecture *arch;
static int (*read_register)(void *cpu, struct bytes *into, int number);
static struct bytes *(*set_size)(struct bytes *bytes, unsigned n);
static void *(*cpu_by_index)(int index);
static struct bytes *scratch;

const char *cpu_open(const char *target)
{
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (!strcmp(architectures[i].target, target))
            arch = &architectures[i];
    if (!arch)
        return "this machine's instructions cannot be followed yet";
    if (!arch->reader)
        return NULL;
    struct bytes *(*make)(void) = (struct bytes * (*)(void)) dlsym(RTLD_DEFAULT, "g_byte_array_new");
    set_size = (struct bytes * (*)(struct bytes *, unsigned)) dlsym(RTLD_DEFAULT, "g_byte_array_set_size");
    read_register = (int (*)(void *, struct bytes *, int))dlsym(RTLD_DEFAULT, arch->reader);
    cpu_by_index = (void *(*)(int))dlsym(RTLD_DEFAULT, "qemu_get_cpu");
    if (!make || !set_size || !read_register || !cpu_by_index)
        return "this QEMU does not export its processor's registers";
    scratch = make();
    return NULL;
}

static uint64_t register_value(int number)
{
    uint64_t value = 0;
    set_size(scratch, 0);
    int n = read_register(cpu_by_index(0), scratch, number);
    if (n > 0 && (unsigned)n <= sizeof value)
        memcpy(&value, scratch->data, (size_t)n);
    return value;
}

const struct decoder *cpu_decoder(void)
{
    return arch->thumb.flow && register_value(arch->status) & PSR_T ? &arch->thumb : &arch->decoder;
}

bool cpu_irqs_on(unsigned change, bool were_on)
{
    unsigned kind = change & IRQ_CHANGE;
    if (kind == IRQ_STATUS)
        return !arch->reader ? were_on : !((register_value(arch->status) ^ arch->on) & (arch->on | arch->off));
    bool set = register_value((int)(change >> IRQ_REGISTER_SHIFT)) & RISCV_SIE;
    return kind == IRQ_AS ? set : set ? kind == IRQ_ON_IF : were_on;
}
