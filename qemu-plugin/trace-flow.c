// SPDX-License-Identifier: GPL-2.0-or-later
/* Time and instructions go to the function that runs; trace-transfer.c says which one that is. */
#include "trace-flow.h"

#include "trace-count.h"
#include "trace-cpu.h"
#include "trace-irq.h"
#include "trace-out.h"
#include "trace-preempt.h"
#include "trace-stack.h"
#include "trace-symbols.h"
#include "trace-transfer.h"

#define KEEP_MASK 0x3fff /* how often the clock of the host is asked */

struct flow_state flow;
static uint64_t end_at;
static bool started;

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
    flow.now_ns = (insns << flow.shift) + (uint64_t)flow.bias_ns;
}

static void finish(uint64_t insns, bool complete)
{
    charge(insns);
    int64_t bias = count_bias_ns(flow.shift);
    flow.unexplained_ns += (uint64_t)(bias - flow.bias_ns);
    stacks_close(flow.now_ns);
    out_write(insns, flow.now_ns, complete);
    flow.over = true;
}

void flow_exit(void)
{
    /* Outside of the vCPU's thread the counter cannot be asked: the last function's last stretch is left out. */
    if (flow.over)
        return;
    stacks_close(flow.now_ns);
    out_write(flow.last_insns, flow.now_ns, false);
    flow.over = true;
}

/* The clock jumped to the next timer while the processor was halted: that is nobody's work. */
static void wake(void)
{
    int64_t bias = count_bias_ns(flow.shift);
    uint64_t slept = (uint64_t)(bias - flow.bias_ns);
    flow.bias_ns = bias;
    flow.idle_ns += slept;
    flow.now_ns += slept;
    tree.nodes[stack_top()->node].idle_ns += slept;
    struct stack *waiting = stacks.main ? stacks.main : stacks.boot;
    if (waiting->depth)
        tree.nodes[waiting->frames[waiting->depth - 1].node].blocks_ns += slept;
    /* Who halts the processor holds nobody off. */
    preemption.off_ns = turns.off_ns = flow.now_ns;
}

/* FN_START: what was counted up to here is forgotten. */
static void start_here(uint64_t insns)
{
    started = true;
    flow.start_insns = insns;
    flow.start_ns = flow.now_ns;
    flow.idle_ns = 0;
    tree_clear_counts();
    stacks_restart(flow.now_ns);
    stretches_restart(&irqs, flow.now_ns);
    stretches_restart(&preemption, flow.now_ns);
    stretches_restart(&turns, flow.now_ns);
    tree.nodes[stack_top()->node].count = 1;
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
        irqs.off_ns = flow.now_ns; /* what the firmware did with interrupts is not followed */
    if (phase != was && phase != PHASE_KERNEL) {
        flow.pending = FLOW_NONE;
        stack_reset(b->function, flow.now_ns);
    }
}

/* An instruction of the block before this one changed the interrupt mask by a value that only the processor knows. */
static void ask_irqs(const struct block *b)
{
    unsigned change = flow.irq_ask;
    flow.irq_ask = IRQ_SAME;
    bool entered = b->flags & BLOCK_ENTRY; /* masked again, if it was not before */
    bool on = entered ? irqs.on || symbols.flags[b->function] & FN_IRQ : cpu_irqs_on(change, irqs.on);
    irqs_set(on, flow.now_ns, stack_top()->node);
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
        out_keep(insns, flow.now_ns);
    if (flow.pending == FLOW_HALT) {
        wake();
        flow.pending = FLOW_NONE;
    }
    if (flow.irq_ask)
        ask_irqs(b);
    if (b->flags & BLOCK_PHASE)
        begin_phase(b);
    if (transfer_is_firmware(b) || transfer_is_thunk(b))
        return;
    if (b->flags & BLOCK_IRQ)
        transfer_becomes_irq();
    if ((b->flags & BLOCK_ENTRY) && (b->flags & BLOCK_STARTS || stack_function() != b->function))
        transfer_enter(b, symbols.flags[b->function] & FN_IRQ ? NODE_IRQ : stack_top()->node, 0);
    else
        transfer_resolve(b);
    flow.jumps_by_thunk = false;
    uint32_t is = symbols.flags[b->function];
    if (b->function == BUCKET_USER) {
        preempt_in_user_space();
        stretches_set(&turns, true, flow.now_ns, stack_top()->node);
    } else if (turns.on && stacks.switches)
        stretches_set(&turns, false, flow.now_ns, stack_top()->node);
    if ((is & (FN_SWITCH | FN_START | FN_STOP | FN_TURN)) && (b->flags & BLOCK_STARTS)) {
        if (is & FN_TURN)
            stretches_split(&turns, flow.now_ns, stack_top()->node);
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

void flow_switch_store(uint64_t vaddr)
{
    if (!flow.over && flow.switch_armed)
        preempt_switch_stores(vaddr);
}

void flow_switch_load(uint64_t vaddr)
{
    if (flow.over || !flow.switch_armed)
        return;
    flow.switch_armed = false;
    preempt_switch_loads(vaddr);
    stack_switch(vaddr, stack_function(), flow.now_ns);
    stretches_split(&preemption, flow.now_ns, stack_top()->node);
    stretches_split(&turns, flow.now_ns, stack_top()->node);
}
