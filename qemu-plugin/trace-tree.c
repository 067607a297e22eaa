// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "trace-tree.h"

#include <stddef.h>
#include <sys/mman.h>

#define N_SLOTS (1u << 23)

struct tree tree;
static uint32_t node_limit; /* what is above is kept for one node a function, when the tree is full */

static void *reserve(size_t size)
{
    /* Touched pages only are taken: a small boot pays for a small tree. */
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static uint32_t add(uint32_t parent, uint32_t function)
{
    uint32_t number = tree.n_nodes++;
    struct bootlab_node *node = &tree.nodes[number];
    node->function = function;
    node->parent = parent;
    return number;
}

bool tree_open(uint32_t n_functions)
{
    if (n_functions >= TREE_MAX_NODES / 2)
        return false;
    tree.nodes = reserve(sizeof *tree.nodes * TREE_MAX_NODES);
    tree.slots = reserve(sizeof *tree.slots * N_SLOTS);
    if (!tree.nodes || !tree.slots)
        return false;
    node_limit = TREE_MAX_NODES - n_functions - 8;
    tree.n_nodes = 1; /* 0: none */
    add(0, BUCKET_ROOT);
    add(NODE_ROOT, BUCKET_IRQ);
    add(NODE_ROOT, BUCKET_CUT);
    return true;
}

uint32_t tree_find_child(uint32_t parent, uint32_t function)
{
    uint64_t hash = ((uint64_t)parent << 32 | function) * 0x9e3779b97f4a7c15u;
    uint32_t slot = (uint32_t)(hash >> 41); /* 23 bits: N_SLOTS */
    for (uint32_t number; (number = tree.slots[slot]) != 0; slot = (slot + 1) & (N_SLOTS - 1)) {
        struct bootlab_node *node = &tree.nodes[number];
        if (node->parent == parent && node->function == function) {
            tree.nodes[parent].last_child = number;
            return number;
        }
    }
    if (tree.n_nodes >= node_limit && parent != NODE_CUT) {
        tree.cut_calls++;
        return tree_find_child(NODE_CUT, function);
    }
    tree.slots[slot] = add(parent, function);
    tree.nodes[parent].last_child = tree.slots[slot];
    return tree.slots[slot];
}

void tree_clear_counts(void)
{
    for (uint32_t i = 1; i < tree.n_nodes; i++) {
        struct bootlab_node *node = &tree.nodes[i];
        node->count = node->self_insns = node->wall_ns = node->max_wall_ns = node->idle_ns = node->blocks_ns = 0;
    }
}
