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
#include "trace-flow.h"

#include "trace-count.h"
#include "trace-cpu.h"
#include "trace-irq.h"
#include "trace-out.h"
#include "trace-stack.h"
#include "trace-symbols.h"

#define SEARCH_FRAMES 64
#define KEEP_MASK 0x3fff /* how often the clock of the host is asked */

struct flow_state flow;
static uint64_t end_at;
static uint64_t now_ns; /* at the beginning of the block */
static bool started, jumps_by_thunk;

void flow_open(int shift, uint64_t end_insns)
{
    flow.shift = stretches_shift = shift;
    flow.key = KEY_NEVER;
    end_at = end_insns;
}

static void charge(uint64_t insns)
{
    uint64_t ran = insns - flow.last_insns;
    tree.nodes[stack_top()->node].self_insns += ran;
    stacks.now->task->insns += ran;
    stretches_charge(&irqs, ran, stack_top()->node);
    stretches_charge(&preemption, ran, stack_top()->node);
    stretches_charge(&turns, ran, stack_top()->node);
    flow.last_insns = insns;
    now_ns = (insns << flow.shift) + (uint64_t)flow.bias_ns;
}

static void finish(uint64_t insns, bool complete)
{
    charge(insns);
    int64_t bias = count_bias_ns(flow.shift);
    flow.unexplained_ns += (uint64_t)(bias - flow.bias_ns);
    stacks_close(now_ns);
    out_write(insns, now_ns, complete);
    flow.over = true;
}

void flow_exit(void)
{
    /* Outside of the vCPU's thread the counter cannot be asked: the last function's last stretch is left out. */
    if (flow.over)
        return;
    stacks_close(now_ns);
    out_write(flow.last_insns, now_ns, false);
    flow.over = true;
}

/* The clock jumped to the next timer while the processor was halted: that is nobody's work. */
static void wake(void)
{
    int64_t bias = count_bias_ns(flow.shift);
    uint64_t slept = (uint64_t)(bias - flow.bias_ns);
    flow.bias_ns = bias;
    flow.idle_ns += slept;
    now_ns += slept;
    tree.nodes[stack_top()->node].idle_ns += slept;
    struct stack *waiting = stacks.main ? stacks.main : stacks.boot;
    if (waiting->depth)
        tree.nodes[waiting->frames[waiting->depth - 1].node].blocks_ns += slept;
    /* Who halts the processor holds nobody off. */
    preemption.off_ns = turns.off_ns = now_ns;
}

/* FN_START: what was counted up to here is forgotten. */
static void start_here(uint64_t insns)
{
    started = true;
    flow.start_insns = insns;
    flow.start_ns = now_ns;
    flow.idle_ns = 0;
    tree_clear_counts();
    stacks_restart(now_ns);
    stretches_restart(&irqs, now_ns);
    stretches_restart(&preemption, now_ns);
    stretches_restart(&turns, now_ns);
    tree.nodes[stack_top()->node].count = 1;
}

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
        stack_pop_to(i, now_ns);
        return;
    }
    if (b->function == BUCKET_USER || (is_outside(running) && (stacks.now->depth == 1 || !is_outside(b->function)))) {
        stack_reset(b->function, now_ns);
        return;
    }
    for (uint32_t k = stacks.now->depth; k-- > i;)
        if (function_at(k) == b->function) {
            stack_pop_to(k + 1, now_ns);
            return;
        }
    stacks.tail_calls++;
    stack_push(stack_top()->node, b->function, 0, FRAME_TAIL, now_ns);
}

static void call(const struct block *b)
{
    /* A call into the middle of its own function only wants its own address, or fills the return buffer. */
    if (b->function == stack_function() && !(b->flags & BLOCK_STARTS))
        return;
    stacks.calls++;
    stack_push(stack_top()->node, b->function, flow.pending_end, 0, now_ns);
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
    stack_pop_to(k + 1, now_ns);
    jump(b);
}

static void return_to(const struct block *b)
{
    uint32_t i = top_return();
    if (stacks.now->frames[i].ret != b->start && b->function == stack_function())
        return;
    if (b->function >= N_BUCKETS && (symbols.flags[b->function] & FN_FRESH) && (b->flags & BLOCK_STARTS)) {
        stack_begin_task(b->function, now_ns);
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
        stack_pop_to(i, now_ns);
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

static void enter(const struct block *b, uint32_t parent, uint16_t flags)
{
    stacks.entries++;
    flags |= FRAME_ENTRY | (jumps_by_thunk ? FRAME_JUMPS : 0);
    jumps_by_thunk = false;
    stack_push(parent, b->function, 0, flags, now_ns);
    struct frame *f = stack_top();
    f->flow = flow.pending;
    f->flow_end = flow.pending_end;
    f->irqs_on = irqs.on;
    flow.entry_self = tree.nodes[f->node].self_insns;
    irqs_set(false, now_ns, f->node);
}

/* What began as an exception moves to the interrupts' root; the stubs that come before are executed only to tell. */
static void becomes_irq(void)
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

static void resolve(const struct block *b);

/* Closes frames down to below the entry that an iret leaves; false: the stack knows none. */
static bool leave_entry(const struct block *b)
{
    for (uint32_t i = stacks.now->depth - 1; i > 0; i--) {
        struct frame f = stacks.now->frames[i];
        if (!(f.flags & FRAME_ENTRY) || (b->function == BUCKET_USER && function_at(i - 1) != BUCKET_USER))
            continue;
        irqs_set(f.irqs_on, now_ns, stack_top()->node);
        stack_pop_to(i, now_ns);
        flow.pending = f.flow;
        flow.pending_end = f.flow_end;
        jumps_by_thunk = f.flags & FRAME_JUMPS;
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
        resolve(b);
    } else if (b->function == BUCKET_USER) {
        irqs_set(true, now_ns, stack_top()->node);
        stack_reset(BUCKET_USER, now_ns);
        stacks.now->task->function = BUCKET_USER;
    } else {
        return_to(b); /* a change of the privilege level written as a return from an exception */
    }
}

static void resolve(const struct block *b)
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

static void begin_phase(const struct block *b)
{
    enum phase was = phase;
    if (b->start == layout.setup && phase < PHASE_SETUP)
        phase = PHASE_SETUP;
    else if (b->start == layout.decompress && phase < PHASE_DECOMPRESS)
        phase = PHASE_DECOMPRESS;
    else if (b->start >= layout.user_end && phase < PHASE_KERNEL)
        phase = PHASE_KERNEL;
    else if (phase < PHASE_EARLY && block_in_kernel(b))
        phase = PHASE_EARLY;
    if (phase != was && phase == PHASE_EARLY)
        irqs.off_ns = now_ns; /* what the firmware did with interrupts is not followed */
    if (phase != was && phase != PHASE_KERNEL) {
        flow.pending = FLOW_NONE;
        stack_reset(b->function, now_ns);
    }
}

/* True: the block's function is the running one's caller as far as the stack knows. */
static bool is_thunk(const struct block *b)
{
    if (!(b->flags & BLOCK_THUNK))
        return false;
    while ((flow.pending & FLOW_KIND) == FLOW_IRET && leave_entry(b))
        continue;
    /* An indirect jump's thunk (a retpoline) ends in a return too, to where its caller wanted to go. */
    if (symbols.flags[b->function] & FN_THUNK)
        jumps_by_thunk = true;
    else if (b->flow == FLOW_RETURN && !jumps_by_thunk)
        flow.pending = FLOW_RETURN;
    flow.key = KEY_NEVER;
    return true;
}

/* True: the block is the firmware's, below a kernel that runs. */
static bool is_call_of_firmware(const struct block *b)
{
    bool inside = stack_top()->flags & FRAME_FIRMWARE;
    if (b->function == BUCKET_FIRMWARE && phase >= PHASE_EARLY && layout.firmware.high) {
        if (!inside)
            enter(b, stack_top()->node, FRAME_FIRMWARE);
        flow.pending = b->flow;
        flow.key = b->flow == FLOW_NONE ? BUCKET_FIRMWARE : KEY_NEVER;
        return true;
    }
    if (inside)
        leave_entry(b);
    return false;
}

/* An instruction of the block before this one changed the interrupt mask by a value that only the processor knows. */
static void ask_irqs(const struct block *b)
{
    unsigned change = flow.irq_ask;
    flow.irq_ask = IRQ_SAME;
    bool entered = b->flags & BLOCK_ENTRY; /* masked again, if it was not before */
    bool on = entered ? irqs.on || symbols.flags[b->function] & FN_IRQ : cpu_irqs_on(change, irqs.on);
    irqs_set(on, now_ns, stack_top()->node);
}

void flow_change(const struct block *b)
{
    if (flow.over)
        return;
    flow.slow_blocks++;
    uint64_t insns = count_now() - b->n;
    if (insns >= end_at) {
        finish(end_at, true);
        return;
    }
    charge(insns);
    if (!(flow.slow_blocks & KEEP_MASK))
        out_keep(insns, now_ns);
    if (flow.pending == FLOW_HALT) {
        wake();
        flow.pending = FLOW_NONE;
    }
    if (flow.irq_ask)
        ask_irqs(b);
    if (b->flags & BLOCK_PHASE)
        begin_phase(b);
    if (is_call_of_firmware(b) || is_thunk(b))
        return;
    if (b->flags & BLOCK_IRQ)
        becomes_irq();
    if ((b->flags & BLOCK_ENTRY) && (b->flags & BLOCK_STARTS || stack_function() != b->function))
        enter(b, symbols.flags[b->function] & FN_IRQ ? NODE_IRQ : stack_top()->node, 0);
    else
        resolve(b);
    jumps_by_thunk = false;
    uint32_t is = symbols.flags[b->function];
    if (b->function == BUCKET_USER)
        stretches_set(&turns, true, now_ns, stack_top()->node);
    else if (turns.on && stacks.switches)
        stretches_set(&turns, false, now_ns, stack_top()->node);
    if ((is & (FN_SWITCH | FN_START | FN_STOP | FN_TURN)) && (b->flags & BLOCK_STARTS)) {
        if (is & FN_TURN)
            stretches_split(&turns, now_ns, stack_top()->node);
        if (is & FN_SWITCH)
            flow.switch_armed = true;
        if ((is & FN_START) && !started)
            start_here(insns);
        if (is & FN_STOP) {
            finish(insns, true);
            return;
        }
    }
    flow.pending = b->flow;
    flow.pending_end = b->end;
    flow.key = b->flow == FLOW_NONE ? b->function : KEY_NEVER;
}

void flow_irq_change(unsigned change, unsigned left)
{
    if (flow.over)
        return;
    if ((change & IRQ_CHANGE) >= IRQ_STATUS) {
        flow.irq_ask = (uint8_t)change;
        flow.key = KEY_NEVER;
        return;
    }
    bool on = change == IRQ_ON;
    if (on == irqs.on)
        return;
    uint64_t at_ns = ((count_now() - left) << flow.shift) + (uint64_t)flow.bias_ns;
    irqs_set(on, at_ns, stack_top()->node);
}

void flow_preempt_count(uint32_t count, unsigned left)
{
    if (flow.over || !count == preemption.on)
        return;
    uint64_t at_ns = ((count_now() - left) << flow.shift) + (uint64_t)flow.bias_ns;
    stretches_set(&preemption, !count, at_ns, stack_top()->node);
}

void flow_switch_load(uint64_t vaddr)
{
    if (flow.over || !flow.switch_armed)
        return;
    flow.switch_armed = false;
    stack_switch(vaddr, stack_function(), now_ns);
    stretches_split(&preemption, now_ns, stack_top()->node);
    stretches_split(&turns, now_ns, stack_top()->node);
}
