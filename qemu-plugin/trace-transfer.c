// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a block's beginning says about the block before it, and what that does to the running task's stack:
 *
 *   after a call        a frame with the address behind the call, whatever function begins
 *   after a return      frames are closed down to the one whose address this is
 *   an entry point      a frame of its own that remembers how the interrupted block had ended, because a call may be
 *                       waiting for its function; interrupts are no part of what they interrupt
 *   after an iret       frames are closed down to the entry's, and what it remembers counts again
 *   another function    a tail call, or a return by other means, or the way back from one part of a function to another
 *   a thunk             its caller goes on: what was awaited is still awaited
 *   firmware            like an entry, whether the kernel called it or its timer interrupted; ends with the next other block
 *
 * A block that faults in its call or return is executed again from there: it begins in the running function, which no
 * call or return of another function does, so that nothing is done twice.
 */
#include "trace-transfer.h"

#include "trace-flow.h"
#include "trace-irq.h"
#include "trace-stack.h"
#include "trace-symbols.h"

#define SEARCH_FRAMES 64

static uint32_t top_return(void)
{
    uint32_t i = stacks.now->depth - 1;
    while (i > 0 && (stacks.now->frames[i].flags & FRAME_TAIL))
        i--;
    return i;
}

static uint32_t function_at(uint32_t depth)
{
    return tree.nodes[stacks.now->frames[depth].node].function;
}

static bool is_outside(uint32_t function)
{
    return function < N_BUCKETS && function != BUCKET_NO_SYMBOL;
}

static void jump(const struct block *b)
{
    uint32_t i = top_return(), running = stack_function();
    if (running == b->function)
        return;
    if (i > 0 && stacks.now->frames[i].ret == b->start && b->start && function_at(i - 1) == b->function) {
        stacks.returns++;
        stack_pop_to(i, flow.now_ns);
        return;
    }
    if (b->function == BUCKET_USER || (is_outside(running) && (stacks.now->depth == 1 || !is_outside(b->function)))) {
        stack_reset(b->function, flow.now_ns);
        return;
    }
    for (uint32_t k = stacks.now->depth; k-- > i;)
        if (function_at(k) == b->function) {
            stack_pop_to(k + 1, flow.now_ns);
            return;
        }
    stacks.tail_calls++;
    stack_push(stack_top()->node, b->function, 0, FRAME_TAIL, flow.now_ns);
}

static void call(const struct block *b)
{
    /* A call into the middle of its own function only wants its own address, or fills the return buffer. */
    if (b->function == stack_function() && !(b->flags & BLOCK_STARTS))
        return;
    stacks.calls++;
    stack_push(stack_top()->node, b->function, flow.pending_end, 0, flow.now_ns);
}

/* Frames above `depth` that a return skipped. */
static void count_lost(uint32_t depth)
{
    for (uint32_t k = depth + 1; k < stacks.now->depth; k++)
        if (!(stacks.now->frames[k].flags & FRAME_TAIL))
            stacks.lost_frames++;
}

/* Behind a jump that left its own return address: what runs is the innermost entry's, or the task's first function. */
static void resume(const struct block *b)
{
    uint32_t k = stacks.now->depth - 1;
    while (k > 0 && function_at(k) != b->function && !(stacks.now->frames[k].flags & FRAME_ENTRY))
        k--;
    stack_pop_to(k + 1, flow.now_ns);
    jump(b);
}

static void return_to(const struct block *b)
{
    uint32_t i = top_return();
    if (stacks.now->frames[i].ret != b->start && b->function == stack_function())
        return;
    if (b->function >= N_BUCKETS && (symbols.flags[b->function] & FN_FRESH) && (b->flags & BLOCK_STARTS)) {
        stack_begin_task(b->function, flow.now_ns);
        return;
    }
    for (uint32_t steps = 0; i > 0 && steps < SEARCH_FRAMES; i--, steps++) {
        const struct frame *f = &stacks.now->frames[i];
        if (f->flags & FRAME_ENTRY)
            break;
        /* Where the page tables are switched on, a physical return address becomes a linked one. */
        if (f->flags & FRAME_TAIL || (f->ret != b->start && f->ret + layout.offset != b->start))
            continue;
        stacks.returns++;
        count_lost(i);
        stack_pop_to(i, flow.now_ns);
        jump(b);
        return;
    }
    if (stack_adopt_boot()) {
        return_to(b);
        return;
    }
    if (b->function >= N_BUCKETS && (symbols.flags[b->function] & FN_RESUME)) {
        stacks.returns++;
        resume(b);
        return;
    }
    stacks.unmatched++;
    jump(b);
}

void transfer_enter(const struct block *b, uint32_t parent, uint16_t flags)
{
    stacks.entries++;
    flags |= FRAME_ENTRY | (flow.jumps_by_thunk ? FRAME_JUMPS : 0);
    flow.jumps_by_thunk = false;
    stack_push(parent, b->function, 0, flags, flow.now_ns);
    struct frame *f = stack_top();
    f->flow = flow.pending;
    f->flow_end = flow.pending_end;
    f->irqs_on = irqs.on;
    flow.entry_self = tree.nodes[f->node].self_insns;
    irqs_set(false, flow.now_ns, f->node);
}

/* The stubs that come before are executed only to tell an interrupt from an exception. */
void transfer_becomes_irq(void)
{
    struct frame *f = stack_top();
    uint32_t old = f->node;
    if (!(f->flags & FRAME_ENTRY) || tree.nodes[old].parent == NODE_IRQ)
        return;
    uint32_t moved = tree_child(NODE_IRQ, tree.nodes[old].function);
    uint64_t insns = tree.nodes[old].self_insns - flow.entry_self;
    tree.nodes[old].self_insns -= insns;
    tree.nodes[moved].self_insns += insns;
    tree.nodes[old].count--;
    tree.nodes[moved].count++;
    f->node = moved;
    if (irqs.off_node == old)
        irqs.off_node = moved;
}

/* Closes frames down to below the entry that an iret leaves; false: the stack knows none. */
static bool leave_entry(const struct block *b)
{
    for (uint32_t i = stacks.now->depth - 1; i > 0; i--) {
        struct frame f = stacks.now->frames[i];
        if (!(f.flags & FRAME_ENTRY) || (b->function == BUCKET_USER && function_at(i - 1) != BUCKET_USER))
            continue;
        irqs_set(f.irqs_on, flow.now_ns, stack_top()->node);
        stack_pop_to(i, flow.now_ns);
        flow.pending = f.flow;
        flow.pending_end = f.flow_end;
        flow.jumps_by_thunk = f.flags & FRAME_JUMPS;
        return true;
    }
    return false;
}

static void leave(const struct block *b)
{
    /* The kernel executes iret to its own next instruction because that serialises (sync_core). */
    if (b->function == stack_function())
        return;
    if (leave_entry(b)) {
        transfer_resolve(b);
    } else if (b->function == BUCKET_USER) {
        irqs_set(true, flow.now_ns, stack_top()->node);
        stack_reset(BUCKET_USER, flow.now_ns);
        stacks.now->task->function = BUCKET_USER;
    } else {
        return_to(b); /* a change of the privilege level written as a return from an exception */
    }
}

void transfer_resolve(const struct block *b)
{
    uint8_t pending = flow.pending & FLOW_KIND;
    if ((flow.pending & FLOW_IF) && b->start == flow.pending_end)
        pending = FLOW_NONE;
    flow.pending = FLOW_NONE;
    switch (pending) {
    case FLOW_CALL:
        call(b);
        break;
    case FLOW_RETURN:
        return_to(b);
        break;
    case FLOW_IRET:
        leave(b);
        break;
    default:
        break;
    }
    if (b->function != stack_function())
        jump(b);
}

bool transfer_is_thunk(const struct block *b)
{
    if (!(b->flags & BLOCK_THUNK))
        return false;
    while ((flow.pending & FLOW_KIND) == FLOW_IRET && leave_entry(b))
        continue;
    /* An indirect jump's thunk (a retpoline) ends in a return too, to where its caller wanted to go. */
    if (symbols.flags[b->function] & FN_THUNK)
        flow.jumps_by_thunk = true;
    else if (b->flow == FLOW_RETURN && !flow.jumps_by_thunk)
        flow.pending = FLOW_RETURN;
    flow.key = KEY_NEVER;
    return true;
}

bool transfer_is_firmware(const struct block *b)
{
    bool inside = stack_top()->flags & FRAME_FIRMWARE;
    if (b->function == BUCKET_FIRMWARE && phase >= PHASE_EARLY && layout.firmware.high) {
        if (!inside)
            transfer_enter(b, stack_top()->node, FRAME_FIRMWARE);
        flow.pending = b->flow;
        flow.key = b->flow == FLOW_NONE ? BUCKET_FIRMWARE : KEY_NEVER;
        return true;
    }
    if (inside)
        leave_entry(b);
    return false;
}
