// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU exports functions that read its counter, but in the middle of a block they cost a lock and two passes. The
 * fields behind them are found by watching: right after a fold (icount_update) at instruction count R,
 *     timers_state.qemu_icount     == R
 *     cpu->icount_budget + R       is the same through a time slice
 *     budget == icount_extra + icount_decr.u16.low, extra standing behind budget
 * Words of the two objects that agree in every one of many samples are taken. Every 65536th read is compared with the
 * functions; one difference, and the functions are used from then on and the file says so.
 */
#define _GNU_SOURCE
#include "trace-count.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "qemu-clock.h"
#include "qemu-functions.h"

#define CPU_BYTES 32768 /* QEMU 11 has 22 MMU modes before the counter, 10 had 16 */
#define TIMERS_BYTES 256
#define SAMPLES 24
#define MAX_TRIES 200

struct count_reader count_reader;

static void *(*cpu_by_index)(int index);
static uint8_t *timers;
static void *cpu;

const char *count_open(int shift)
{
    const struct qemu_function wanted[] = {{"qemu_get_cpu", &cpu_by_index}, {"timers_state", &timers}};
    qemu_find(QEMU_FUNCTIONS(wanted)); /* without timers_state the fields are not looked for */
    return qemu_clock_open(shift);
}

int64_t count_bias_ns(int shift)
{
    struct qemu_time now = qemu_clock_at(0);
    return (int64_t)(now.ns - (now.insns << shift));
}

struct sample {
    uint64_t count;
    uint8_t cpu[CPU_BYTES];
    uint8_t timers[TIMERS_BYTES];
};
static struct sample *samples;
static unsigned n_samples, tries;

static size_t copy(uint8_t *to, const void *from, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
    ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    return n < 0 ? 0 : (size_t)n;
}

static int64_t word(const uint8_t *at)
{
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static int64_t half(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static size_t find_folded(void)
{
    for (size_t at = 0; at + 8 <= TIMERS_BYTES; at += 8) {
        unsigned i = 0;
        while (i < SAMPLES && word(samples[i].timers + at) == (int64_t)samples[i].count)
            i++;
        if (i == SAMPLES)
            return at;
    }
    return SIZE_MAX;
}

static bool is_budget(size_t at)
{
    int64_t sum = word(samples[0].cpu + at) + (int64_t)samples[0].count;
    for (unsigned i = 1; i < SAMPLES; i++)
        if (word(samples[i].cpu + at) + (int64_t)samples[i].count != sum)
            return false;
    return true;
}

static size_t find_low(size_t budget)
{
    for (size_t at = 0; at + 2 <= CPU_BYTES; at += 2) {
        if (at >= budget && at < budget + 16)
            continue; /* budget's and extra's own halves */
        unsigned i = 0;
        while (i < SAMPLES &&
               word(samples[i].cpu + budget) == word(samples[i].cpu + budget + 8) + half(samples[i].cpu + at))
            i++;
        if (i == SAMPLES)
            return at;
    }
    return SIZE_MAX;
}

static void find_fields(void)
{
    size_t folded = find_folded();
    for (size_t at = 0; folded != SIZE_MAX && at + 16 <= CPU_BYTES; at += 8) {
        if (!is_budget(at))
            continue;
        size_t low = find_low(at);
        if (low == SIZE_MAX)
            continue;
        count_reader.folded = (const int64_t *)(timers + folded);
        count_reader.budget = (const int64_t *)((uint8_t *)cpu + at);
        count_reader.extra = count_reader.budget + 1;
        count_reader.low = (const uint16_t *)((uint8_t *)cpu + low);
        return;
    }
}

static void sample_fields(uint64_t count)
{
    if (!timers || tries >= MAX_TRIES)
        return;
    cpu = cpu_by_index(0);
    if (!samples && !(samples = malloc(SAMPLES * sizeof *samples)))
        return;
    if (n_samples && samples[n_samples - 1].count == count)
        return;
    struct sample *s = &samples[n_samples];
    s->count = count;
    if (copy(s->cpu, cpu, CPU_BYTES) != CPU_BYTES || copy(s->timers, timers, TIMERS_BYTES) != TIMERS_BYTES) {
        tries = MAX_TRIES;
        return;
    }
    if (++n_samples < SAMPLES)
        return;
    n_samples = 0;
    tries++;
    find_fields();
    if (count_reader.low || tries == MAX_TRIES) {
        free(samples);
        samples = NULL;
    }
}

uint64_t count_learn(void)
{
    if (!count_reader.low) {
        uint64_t count = qemu_clock_insns();
        if (!count_reader.mismatches)
            sample_fields(count);
        return count;
    }
    uint64_t direct =
        (uint64_t)(*count_reader.folded + *count_reader.budget - *count_reader.extra - *count_reader.low);
    uint64_t count = qemu_clock_insns();
    count_reader.checks++;
    if (direct != count) {
        count_reader.mismatches++;
        count_reader.low = NULL;
    }
    return count;
}
