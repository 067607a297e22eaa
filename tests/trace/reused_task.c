// SPDX-License-Identifier: MIT
/*
 * A task ends while functions of it are open, and another one gets its memory. An exception comes before the plugin can
 * recognise the new task. Prints the spans and how long the functions took in all (test_trace_stacks.py).
 */
#include <inttypes.h>
#include <stdio.h>

#include "trace-stack.h"
#include "trace-symbols.h"

enum { SWITCH = N_BUCKETS, ENDS, EXCEPTION, NEW_TASK, N_FUNCTIONS };

int main(void)
{
    static const uint32_t flags[N_FUNCTIONS];
    symbols.flags = flags;
    stacks.max_depth = MAX_FRAMES;
    if (!tree_open(N_FUNCTIONS) || !stacks_open())
        return 2;
    stack_switch(0x1000, SWITCH, 100);
    stack_push(stack_top()->node, ENDS, 0xa, 0, 200);
    stack_switch(0x2000, SWITCH, 300); /* it ends here, ENDS is open */
    stack_switch(0x1000, SWITCH, 1000);
    stacks.now->fresh = false; /* as a task that has run */
    stack_push(stack_top()->node, EXCEPTION, 0, FRAME_ENTRY, 1010);
    stack_begin_task(NEW_TASK, 1100);
    stacks_close(2000);
    for (uint64_t i = 0; i < stacks.n_spans; i++)
        printf("span %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", tree.nodes[stacks.spans[i].node].function - N_BUCKETS,
               stacks.spans[i].start_ns, stacks.spans[i].end_ns);
    for (uint32_t i = 1; i < tree.n_nodes; i++)
        if (tree.nodes[i].function >= N_BUCKETS)
            printf("node %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", tree.nodes[i].function - N_BUCKETS,
                   tree.nodes[i].wall_ns, tree.nodes[i].max_wall_ns);
    return 0;
}
