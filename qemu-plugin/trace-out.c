// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace-out.h"

#include <stdio.h>
#include <string.h>

#include "trace-count.h"
#include "trace-flow.h"
#include "trace-irq.h"
#include "trace-stack.h"
#include "trace-symbols.h"
#include "trace-tree.h"

const char *out_path;

static bool put(FILE *file, const void *from, size_t size, size_t n)
{
    return n == 0 || fwrite(from, size, n, file) == n;
}

void out_write(uint64_t end_insns, uint64_t end_ns, bool complete)
{
    char fresh[4096];
    if (snprintf(fresh, sizeof fresh, "%s.new", out_path) >= (int)sizeof fresh)
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
    };
    memcpy(head.magic, BOOTLAB_TRACE_MAGIC, sizeof head.magic);
    bool good = put(file, &head, sizeof head, 1) && put(file, tree.nodes, sizeof *tree.nodes, tree.n_nodes) &&
                put(file, stacks.spans, sizeof *stacks.spans, stacks.n_spans) &&
                put(file, stacks.tasks, sizeof *stacks.tasks, stacks.n_tasks) &&
                put(file, irqs.longest, sizeof *irqs.longest, irqs.n_longest);
    if (fclose(file) != 0 || !good || rename(fresh, out_path) != 0)
        fprintf(stderr, "bootlab-trace: cannot write the file named by out=\n");
}
