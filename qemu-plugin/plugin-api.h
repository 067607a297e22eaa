// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of QEMU's TCG plugin interface that bootlab uses, declared by hand: Debian ships QEMU with plugins but
 * without the header. BOOTLAB_PLUGIN_API chooses the version, 1 to BOOTLAB_NEWEST_API; ask-qemu.c finds out which one a
 * QEMU takes. Source of the declarations: QEMU include/qemu/qemu-plugin.h, from 10.2 on include/plugins/qemu-plugin.h
 * (GPL-2.0-or-later). What changed for bootlab:
 *
 *   3  qemu_plugin_insn_data() copies
 *   4  the value of a memory access can be read
 *   7  every callback is given user data, and no longer the plugin's number
 */
#ifndef BOOTLAB_PLUGIN_API_H
#define BOOTLAB_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BOOTLAB_NEWEST_API 7
#ifndef BOOTLAB_PLUGIN_API
#define BOOTLAB_PLUGIN_API 1
#endif

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

typedef struct {
    const char *target_name;
    struct {
        int min;
        int cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus;
            int max_vcpus;
        } system;
    };
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu_index, void *userdata);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu_index, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                          void *userdata);

/*
 * Parameters of the callbacks that changed with version 7, and how these are registered. ON_TRANSLATE(tb) and
 * ON_PROCESSOR(cpu) name what the callback uses; ON_END and ON_FLUSH have nothing.
 */
#define BOOTLAB_UNUSED __attribute__((unused))
#if BOOTLAB_PLUGIN_API >= 7
#define ON_TRANSLATE(tb) struct qemu_plugin_tb *tb, BOOTLAB_UNUSED void *userdata
#define ON_PROCESSOR(cpu) BOOTLAB_UNUSED unsigned int cpu, BOOTLAB_UNUSED void *userdata
#define ON_END BOOTLAB_UNUSED void *userdata
#define ON_FLUSH BOOTLAB_UNUSED void *userdata
#define BOOTLAB_REGISTER(id, cb) (id), (cb), NULL
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(ON_TRANSLATE(tb)), void *userdata);
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id, void (*cb)(ON_PROCESSOR(cpu)), void *userdata);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, void (*cb)(ON_PROCESSOR(cpu)), void *userdata);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*cb)(ON_FLUSH), void *userdata);
#else
#define ON_TRANSLATE(tb) BOOTLAB_UNUSED qemu_plugin_id_t id, struct qemu_plugin_tb *tb
#define ON_PROCESSOR(cpu) BOOTLAB_UNUSED qemu_plugin_id_t id, BOOTLAB_UNUSED unsigned int cpu
#define ON_END BOOTLAB_UNUSED qemu_plugin_id_t id, BOOTLAB_UNUSED void *userdata
#define ON_FLUSH BOOTLAB_UNUSED qemu_plugin_id_t id
#define BOOTLAB_REGISTER(id, cb) (id), (cb)
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*cb)(ON_TRANSLATE(tb)));
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id, void (*cb)(ON_PROCESSOR(cpu)));
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, void (*cb)(ON_PROCESSOR(cpu)));
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, void (*cb)(ON_FLUSH));
#endif
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(ON_END), void *userdata);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
                                          enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb,
                                            enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *userdata);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *addr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *addr);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

#if BOOTLAB_PLUGIN_API >= 4
enum qemu_plugin_mem_value_type {
    QEMU_PLUGIN_MEM_VALUE_U8,
    QEMU_PLUGIN_MEM_VALUE_U16,
    QEMU_PLUGIN_MEM_VALUE_U32,
    QEMU_PLUGIN_MEM_VALUE_U64,
    QEMU_PLUGIN_MEM_VALUE_U128,
};
typedef struct {
    enum qemu_plugin_mem_value_type type;
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        struct {
            uint64_t low, high;
        } u128;
    } data;
} qemu_plugin_mem_value;
qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);
#endif

#if BOOTLAB_PLUGIN_API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
static inline void bootlab_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *dest, size_t n)
{
    qemu_plugin_insn_data(insn, dest, n);
}
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
static inline void bootlab_insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *dest, size_t n)
{
    memcpy(dest, qemu_plugin_insn_data(insn), n);
}
#endif

#endif
