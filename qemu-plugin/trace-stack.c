// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "trace-stack.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "trace-symbols.h"

#define N_SLOTS (MAX_TASKS * 2)

struct stacks stacks;
static uint16_t slots[N_SLOTS]; /* key to number of the stack plus one, 0: free */

static struct bootlab_task *add_task(uint64_t key, uint64_t now_ns)
{
    struct bootlab_task *task = &stacks.tasks[stacks.n_tasks < MAX_TASKS ? stacks.n_tasks++ : MAX_TASKS - 1];
    task->key = key;
    task->first_ns = now_ns;
    task->function = BUCKET_NO_SYMBOL;
    return task;
}

static struct stack *add(uint64_t key, uint64_t now_ns)
{
    /* The last stack is shared by every task beyond the limit: their frames get lost and are counted as lost. */
    struct stack *s = &stacks.all[stacks.n_stacks < MAX_TASKS ? stacks.n_stacks++ : MAX_TASKS - 1];
    if (!s->frames && !(s->frames = malloc(sizeof *s->frames * MAX_FRAMES)))
        abort();
    s->depth = s->subtrees = 0;
    s->task = add_task(key, now_ns);
    return s;
}

bool stacks_open(void)
{
    void *at = mmap(NULL, sizeof *stacks.spans * MAX_SPANS, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    stacks.spans = at;
    stacks.now = stacks.boot = add(0, 0);
    stacks.now->task->flags = TASK_BOOT;
    stack_push(NODE_ROOT, BUCKET_FIRMWARE, 0, 0, 0);
    return true;
}

void stack_push(uint32_t parent, uint32_t function, uint64_t ret, uint16_t flags, uint64_t now_ns)
{
    struct stack *s = stacks.now;
    if (s->depth == MAX_FRAMES) {
        stacks.deep_frames++;
        stack_pop_to(MAX_FRAMES - 1, now_ns); /* the deepest frame stands for all below it */
    }
    uint32_t is = symbols.flags[function];
    if (is & FN_SUBTREE) {
        flags |= FRAME_SUBTREE;
        s->subtrees++;
    }
    if (is & FN_MAIN) {
        stacks.main = s;
        s->task->flags |= TASK_MAIN;
    }
    uint32_t caller_is = s->depth ? symbols.flags[tree.nodes[s->frames[s->depth - 1].node].function] : 0;
    if (!(flags & FRAME_ENTRY)) {
        if (caller_is & FN_SPANS)
            flags |= FRAME_SPAN;
        if (caller_is & FN_NAMES)
            s->task->function = function;
    }
    if (function == BUCKET_USER && parent == NODE_ROOT && s == stacks.main) {
        parent = tree_child(NODE_ROOT, BUCKET_INIT);
        tree.nodes[parent].count = 1;
    }
    struct frame *f = &s->frames[s->depth++];
    f->node = tree_child(parent, function);
    f->ret = ret;
    f->t0_ns = now_ns;
    f->flags = flags;
    tree.nodes[f->node].count++;
}

static void close_frame(struct stack *s, uint64_t now_ns, uint32_t span_flags)
{
    struct frame *f = &s->frames[--s->depth];
    struct bootlab_node *node = &tree.nodes[f->node];
    uint64_t wall = now_ns - f->t0_ns;
    node->wall_ns += wall;
    if (wall > node->max_wall_ns)
        node->max_wall_ns = wall;
    bool kept = wall >= stacks.min_ns && s->depth < stacks.max_depth && (!stacks.subtree_only || s->subtrees);
    if (f->flags & FRAME_SUBTREE)
        s->subtrees--;
    if (!kept && !(f->flags & FRAME_SPAN))
        return;
    if (stacks.n_spans == MAX_SPANS) {
        stacks.dropped_spans++;
        return;
    }
    stacks.spans[stacks.n_spans++] = (struct bootlab_span){
        .start_ns = f->t0_ns,
        .end_ns = now_ns,
        .node = f->node,
        .task = (uint32_t)(s->task - stacks.tasks),
        .depth = s->depth,
        .flags = span_flags | (f->flags & FRAME_SPAN ? SPAN_INITCALL : 0),
    };
}

void stack_pop_to(uint32_t depth, uint64_t now_ns)
{
    while (stacks.now->depth > depth)
        close_frame(stacks.now, now_ns, 0);
}

void stack_reset(uint32_t function, uint64_t now_ns)
{
    stack_pop_to(0, now_ns);
    stack_push(NODE_ROOT, function, 0, 0, now_ns);
}

void stack_begin_task(uint32_t function, uint64_t now_ns)
{
    struct stack *s = stacks.now;
    if (!s->fresh) {
        /* Frames that an exception opened before the new task was recognised are nobody's: they end where they begin. */
        while (s->depth) {
            uint64_t began_ns = s->frames[s->depth - 1].t0_ns;
            close_frame(s, began_ns > s->left_ns ? began_ns : s->left_ns, 0);
        }
        s->task = add_task(s->task->key, now_ns);
    }
    s->depth = s->subtrees = 0;
    s->fresh = false;
    s->task->first_ns = now_ns;
    stack_push(NODE_ROOT, function, 0, 0, now_ns);
}

static uint32_t slot_of(uint64_t key)
{
    uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) % N_SLOTS;
    while (slots[slot] && stacks.all[slots[slot] - 1].task->key != key)
        slot = (slot + 1) % N_SLOTS;
    return slot;
}

void stack_switch(uint64_t key, uint32_t function, uint64_t now_ns)
{
    stacks.switches++;
    stacks.now->left_ns = now_ns;
    uint32_t slot = slot_of(key);
    if (slots[slot]) {
        stacks.now = &stacks.all[slots[slot] - 1];
        return;
    }
    struct stack *s = add(key, now_ns);
    s->fresh = true;
    slots[slot] = (uint16_t)(s - stacks.all + 1);
    stacks.now = s;
    stack_push(NODE_ROOT, function, 0, 0, now_ns);
}

bool stack_adopt_boot(void)
{
    struct stack *s = stacks.now;
    if (!s->fresh || stacks.boot->task->key)
        return false;
    /* The fresh stack keeps its number, empty; its key now names the boot stack. */
    uint32_t slot = slot_of(s->task->key);
    stacks.boot->task->key = s->task->key;
    s->task->key = 0;
    slots[slot] = (uint16_t)(stacks.boot - stacks.all + 1);
    s->depth = 0;
    s->fresh = false;
    stacks.now = stacks.boot;
    return true;
}

void stacks_restart(uint64_t now_ns)
{
    for (uint32_t i = 0; i < stacks.n_tasks; i++)
        stacks.tasks[i].insns = 0;
    for (uint32_t i = 0; i < stacks.n_stacks; i++) {
        stacks.all[i].left_ns = now_ns;
        for (uint32_t k = 0; k < stacks.all[i].depth; k++)
            stacks.all[i].frames[k].t0_ns = now_ns;
    }
    stacks.n_spans = stacks.dropped_spans = tree.cut_calls = 0;
    stacks.calls = stacks.returns = stacks.tail_calls = stacks.entries = stacks.switches = 0;
    stacks.unmatched = stacks.lost_frames = stacks.deep_frames = 0;
}

void stacks_close(uint64_t now_ns)
{
    for (uint32_t i = 0; i < stacks.n_stacks; i++)
        while (stacks.all[i].depth)
            close_frame(&stacks.all[i], now_ns, SPAN_OPEN);
}

void stacks_while_closed(uint64_t now_ns, void (*act)(void))
{
    static uint32_t depth[MAX_TASKS], subtrees[MAX_TASKS];
    uint64_t n_spans = stacks.n_spans, dropped_spans = stacks.dropped_spans;
    for (uint32_t i = 0; i < stacks.n_stacks; i++) {
        depth[i] = stacks.all[i].depth;
        subtrees[i] = stacks.all[i].subtrees;
    }
    stacks_close(now_ns);
    act();
    /* The longest call of a node is left: the open one will not have been shorter. */
    for (uint32_t i = 0; i < stacks.n_stacks; i++) {
        struct stack *s = &stacks.all[i];
        s->depth = depth[i];
        s->subtrees = subtrees[i];
        for (uint32_t k = 0; k < s->depth; k++)
            tree.nodes[s->frames[k].node].wall_ns -= now_ns - s->frames[k].t0_ns;
    }
    stacks.n_spans = n_spans;
    stacks.dropped_spans = dropped_spans;
}
