// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-cpu.h"

#include <string.h>

#include "decode.h"
#include "qemu-registers.h"

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

const char *cpu_open(const char *target)
{
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (!strcmp(architectures[i].target, target))
            arch = &architectures[i];
    if (!arch)
        return "this machine's instructions cannot be followed yet";
    return arch->reader ? qemu_registers_open(arch->reader) : NULL;
}

const struct decoder *cpu_decoder(void)
{
    return arch->thumb.flow && qemu_register(arch->status) & PSR_T ? &arch->thumb : &arch->decoder;
}

bool cpu_irqs_on(unsigned change, bool were_on)
{
    unsigned kind = change & IRQ_CHANGE;
    if (kind == IRQ_STATUS)
        return !arch->reader ? were_on : !((qemu_register(arch->status) ^ arch->on) & (arch->on | arch->off));
    bool set = qemu_register((int)(change >> IRQ_REGISTER_SHIFT)) & RISCV_SIE;
    return kind == IRQ_AS ? set : set ? kind == IRQ_ON_IF : were_on;
}
