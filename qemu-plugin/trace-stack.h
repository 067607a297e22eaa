// SPDX-License-Identifier: GPL-2.0-or-later
/* Shadow call stacks, one a task, and the spans that closed frames leave. */
#ifndef BOOTLAB_TRACE_STACK_H
#define BOOTLAB_TRACE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace-file.h"
#include "trace-tree.h"

#define MAX_FRAMES 512
#define MAX_TASKS 4096
#define MAX_SPANS (1u << 20)

enum frame_flag {
    FRAME_TAIL = 1,  /* reached by a jump: shares the return address of the frame below */
    FRAME_ENTRY = 2, /* an exception, an interrupt or a system call */
    FRAME_SPAN = 4,
    FRAME_SUBTREE = 8,
    FRAME_JUMPS = 16, /* of an entry: it interrupted a thunk on its way */
    FRAME_FIRMWARE = 32,
};

struct frame {
    uint64_t ret; /* where its caller goes on; 0: nowhere known */
    uint64_t t0_ns;
    uint64_t flow_end; /* of an entry: how the interrupted block had ended */
    uint32_t node;
    uint16_t flags;
    uint8_t flow;
    bool irqs_on;
};

struct stack {
    struct frame *frames;
    uint32_t depth; /* frames in use; what is deeper is counted in `beyond` */
    uint32_t subtrees;
    struct bootlab_task *task;
    uint64_t left_ns; /* when it last stopped running */
    bool fresh; /* begun by a switch; not known yet whose it is */
};

struct stacks {
    struct stack *now;
    struct stack *main; /* of the task that becomes init */
    struct stack *boot;
    struct stack all[MAX_TASKS];
    struct bootlab_task tasks[MAX_TASKS];
    uint32_t n_stacks;
    uint32_t n_tasks; /* a stack serves one task after another where the kernel uses a task's memory again */
    struct bootlab_span *spans;
    uint64_t n_spans;
    uint64_t min_ns;
    uint32_t max_depth;
    bool subtree_only;
    uint64_t calls, returns, tail_calls, entries, switches, unmatched, lost_frames, deep_frames, dropped_spans;
};
extern struct stacks stacks;

bool stacks_open(void);

/* Pushes a function's frame on the running stack. `parent`: the node that it is called from. */
void stack_push(uint32_t parent, uint32_t function, uint64_t ret, uint16_t flags, uint64_t now_ns);

/* Closes frames down to a depth. */
void stack_pop_to(uint32_t depth, uint64_t now_ns);

/* Makes one frame of one function the whole running stack. */
void stack_reset(uint32_t function, uint64_t now_ns);

/* A new task begins on the running stack; what a task that ended left there is closed when that last ran. */
void stack_begin_task(uint32_t function, uint64_t now_ns);

/* The stack that is known by a key becomes the running one; a new one begins with a frame of `function`. */
void stack_switch(uint64_t key, uint32_t function, uint64_t now_ns);

/* The fresh stack turns out to be that of the task that booted. */
bool stack_adopt_boot(void);

/* Forgets what was counted; open frames begin now. */
void stacks_restart(uint64_t now_ns);

void stacks_close(uint64_t now_ns);

/* Does something while every open frame counts as closed; afterwards all are open again. */
void stacks_while_closed(uint64_t now_ns, void (*act)(void));

static inline struct frame *stack_top(void)
{
    return &stacks.now->frames[stacks.now->depth - 1];
}

static inline uint32_t stack_function(void)
{
    return tree.nodes[stack_top()->node].function;
}

#endif
