// SPDX-License-Identifier: GPL-2.0-or-later
/* The call tree: calls by the same chain of callers are one node. Bounded. */
#ifndef BOOTLAB_TRACE_TREE_H
#define BOOTLAB_TRACE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace-file.h"

#define TREE_MAX_NODES (1u << 21)

struct tree {
    struct bootlab_node *nodes;
    uint32_t n_nodes;
    uint32_t *slots; /* open addressing, 0: free */
    uint64_t cut_calls;
};
extern struct tree tree;

bool tree_open(uint32_t n_functions);
uint32_t tree_find_child(uint32_t parent, uint32_t function);
void tree_clear_counts(void);

/* The node of a function called from a node; the newest child is nearly always the one. */
static inline uint32_t tree_child(uint32_t parent, uint32_t function)
{
    uint32_t last = tree.nodes[parent].last_child;
    if (tree.nodes[last].function == function && tree.nodes[last].parent == parent)
        return last;
    return tree_find_child(parent, function);
}

enum { NODE_ROOT = 1, NODE_IRQ = 2, NODE_CUT = 3 };

#endif
