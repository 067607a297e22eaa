// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-out.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace-code.h"
#include "trace-count.h"
#include "trace-flow.h"
#include "trace-irq.h"
#include "trace-stack.h"
#include "trace-symbols.h"
#include "trace-tree.h"

#define PATH_BYTES 4096
#define KEEP_EVERY_NS 2000000000u
#define KEEP_SHARE 20

const char *out_path;
static uint64_t kept_insns, kept_ns;

static bool put(FILE *file, const void *from, size_t size, size_t n)
{
    return n == 0 || fwrite(from, size, n, file) == n;
}

static void write_to(const char *path, uint64_t end_insns, uint64_t end_ns, bool complete)
{
    char fresh[PATH_BYTES];
    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh)
        return;
    FILE *file = fopen(fresh, "wb");
    if (!file) {
        fprintf(stderr, "bootlab-trace: cannot create the file named by out=\n");
        return;
    }
    struct bootlab_trace_head head = {
        .version = BOOTLAB_TRACE_VERSION,
        .shift = (uint64_t)flow.shift,
        .start_insns = flow.start_insns,
        .end_insns = end_insns,
        .start_ns = flow.start_ns,
        .end_ns = end_ns,
        .idle_ns = flow.idle_ns,
        .unexplained_ns = flow.unexplained_ns,
        .complete = complete,
        .calls = stacks.calls,
        .returns = stacks.returns,
        .tail_calls = stacks.tail_calls,
        .entries = stacks.entries,
        .switches = stacks.switches,
        .unmatched = stacks.unmatched,
        .lost_frames = stacks.lost_frames,
        .deep_frames = stacks.deep_frames,
        .cut_calls = tree.cut_calls,
        .dropped_spans = stacks.dropped_spans,
        .direct_reads = count_reader.low != NULL,
        .checks = count_reader.checks,
        .mismatches = count_reader.mismatches,
        .slow_blocks = flow.slow_blocks,
        .n_nodes = tree.n_nodes,
        .n_spans = stacks.n_spans,
        .n_tasks = stacks.n_tasks,
        .n_irq_off = irqs.n_longest,
        .n_functions = symbols.n_functions,
        .n_code = code.n,
        .n_preempt_off = preemption.n_longest,
        .n_turns = turns.n_longest,
    };
    memcpy(head.magic, BOOTLAB_TRACE_MAGIC, sizeof head.magic);
    bool good = put(file, &head, sizeof head, 1) && put(file, tree.nodes, sizeof *tree.nodes, tree.n_nodes) &&
                put(file, stacks.spans, sizeof *stacks.spans, stacks.n_spans) &&
                put(file, stacks.tasks, sizeof *stacks.tasks, stacks.n_tasks) &&
                put(file, irqs.longest, sizeof *irqs.longest, irqs.n_longest) &&
                put(file, code.rows, sizeof *code.rows, code.n) &&
                put(file, preemption.longest, sizeof *preemption.longest, preemption.n_longest) &&
                put(file, turns.longest, sizeof *turns.longest, turns.n_longest);
    if (fclose(file) != 0 || !good || rename(fresh, path) != 0)
        fprintf(stderr, "bootlab-trace: cannot write the file named by out=\n");
}

static bool part_path(char path[PATH_BYTES])
{
    return snprintf(path, PATH_BYTES, "%s.part", out_path) < PATH_BYTES;
}

void out_write(uint64_t end_insns, uint64_t end_ns, bool complete)
{
    char part[PATH_BYTES];
    write_to(out_path, end_insns, end_ns, complete);
    if (part_path(part))
        unlink(part);
}

static void write_part(void)
{
    char part[PATH_BYTES];
    if (part_path(part))
        write_to(part, kept_insns, kept_ns, false);
}

static uint64_t host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void out_keep(uint64_t now_insns, uint64_t now_ns)
{
    static uint64_t next_ns;
    uint64_t began = host_ns();
    if (began < next_ns)
        return;
    kept_insns = now_insns;
    kept_ns = now_ns;
    stacks_while_closed(now_ns, write_part);
    uint64_t ended = host_ns(), pause = (ended - began) * KEEP_SHARE;
    next_ns = ended + (pause > KEEP_EVERY_NS ? pause : KEEP_EVERY_NS);
}
