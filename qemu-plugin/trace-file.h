// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two files of bootlab-trace, little endian. The symbol file is written by python/bootlab/targets/trace_symbols.py,
 * the trace by the plugin and read by python/bootlab/collectors/function_trace.py.
 */
#ifndef BOOTLAB_TRACE_FILE_H
#define BOOTLAB_TRACE_FILE_H

#include <stdint.h>

#define BOOTLAB_SYMBOLS_MAGIC "BLSYMS\0"
#define BOOTLAB_SYMBOLS_VERSION 2
#define BOOTLAB_TRACE_MAGIC "BLTRACE"
#define BOOTLAB_TRACE_VERSION 2

/* Functions with fixed numbers: what has no symbol of the kernel's. */
enum bootlab_bucket {
    BUCKET_FIRMWARE,
    BUCKET_SETUP,      /* the kernel's set-up code (real mode) */
    BUCKET_DECOMPRESS, /* the decompressor */
    BUCKET_USER,
    BUCKET_NO_SYMBOL,  /* kernel addresses outside every symbol: modules, generated code */
    BUCKET_ROOT,       /* the tree's root; executes nothing */
    BUCKET_IRQ,        /* the root of interrupts; executes nothing */
    BUCKET_CUT,        /* the root of what the full tree could not take; executes nothing */
    BUCKET_INIT,       /* above the user space of the task that becomes init; executes nothing */
    N_BUCKETS,
};

enum bootlab_function_flag {
    FN_ENTRY = 1,        /* its first block is entered by an exception, an interrupt or a system call */
    FN_ENTRY_STUBS = 2,  /* so is every block of it that is entered from elsewhere */
    FN_IRQ = 4,          /* the entry, or the one that called it, is an interrupt's: no part of what it interrupted */
    FN_THUNK = 8,        /* jumps on for its caller (retpoline, static call): its time is the caller's */
    FN_RETURN_THUNK = 16,
    FN_SWITCH = 32,      /* switches stacks: its first load is from the next task's structure */
    FN_FRESH = 64,       /* where a new task starts */
    FN_SPANS = 128,      /* each of its callees is kept as a span (do_one_initcall) */
    FN_MAIN = 256,       /* the task that becomes init */
    FN_START = 512,      /* recording starts at its first entry */
    FN_STOP = 1024,      /* recording ends at its first entry */
    FN_SUBTREE = 2048,   /* spans are kept below such functions only */
    FN_NAMES = 4096,     /* the last function it called names the task (kthread) */
    FN_RESUME = 8192,    /* assembler jumps with this as return address: a return to it ends what runs above it */
    FN_GOES_ON = 16384,  /* an entry's stub: its return from the exception goes to the handler */
    FN_TURN = 32768,     /* lets others run if they want to (schedule, cond_resched) */
};

struct bootlab_symbols_head {
    char magic[8];
    uint32_t version;
    uint32_t n_symbols;
    uint32_t n_functions;
    uint32_t reserved;
}; /* then n_symbols bootlab_symbol in the order of addresses, then n_functions times uint32_t flags */

struct bootlab_symbol {
    uint64_t start;
    uint32_t function; /* BUCKET_NO_SYMBOL ends a range */
    uint32_t part;     /* 1: not where the function starts */
};

struct bootlab_node {
    uint32_t function;
    uint32_t parent;
    uint32_t last_child; /* of no meaning to a reader */
    uint32_t flags;
    uint64_t count;
    uint64_t self_insns;
    uint64_t wall_ns;     /* enter to exit, all calls, everything that ran or slept between them included */
    uint64_t max_wall_ns; /* the longest call */
    uint64_t idle_ns;     /* the processor was halted by this node */
    uint64_t blocks_ns;   /* the processor was halted while the task that becomes init waited here */
};

struct bootlab_span {
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t node;
    uint32_t task;
    uint32_t depth;
    uint32_t flags;
};
#define SPAN_OPEN 1     /* still running when the trace ended */
#define SPAN_INITCALL 2 /* called by a function with FN_SPANS */

struct bootlab_task {
    uint64_t key;
    uint64_t first_ns;
    uint64_t insns;
    uint32_t function; /* what names it */
    uint32_t flags;
};
#define TASK_MAIN 1
#define TASK_BOOT 2

/* Of three kinds: interrupts off, preemption off, and a task in the kernel without a point where others may run. */
struct bootlab_stretch {
    uint64_t start_ns;
    uint64_t length_ns;
    uint32_t start_node;
    uint32_t end_node;
    uint64_t most_ns; /* the longest time in one function without a call, within the stretch, and where */
    uint64_t most_node;
};
#define BOOTLAB_MAX_STRETCHES 128

/* The beginning of a block that no symbol covers: by it a module's place in memory is found. */
struct bootlab_code {
    uint64_t at;
    uint64_t n_bytes;
    uint8_t bytes[48];
};
#define BOOTLAB_MAX_CODE (1u << 16)

struct bootlab_trace_head {
    char magic[8];
    uint64_t version;
    uint64_t shift;
    uint64_t start_insns, end_insns;
    uint64_t start_ns, end_ns;
    uint64_t idle_ns;
    uint64_t unexplained_ns; /* virtual time that passed neither in instructions nor in a halt */
    uint64_t complete;       /* 1: the end asked for was reached; 0: QEMU ended before */
    uint64_t calls, returns, tail_calls, entries, switches;
    uint64_t unmatched;    /* returns that found no frame */
    uint64_t lost_frames;  /* frames dropped on the way to a deeper match */
    uint64_t deep_frames;  /* calls below the stack's limit */
    uint64_t cut_calls;    /* calls that the full tree took without their caller chain */
    uint64_t dropped_spans;
    uint64_t direct_reads; /* 1: the counter was read from QEMU's fields; 0: through its functions */
    uint64_t checks, mismatches; /* of the direct reads against QEMU's own functions */
    uint64_t slow_blocks;
    uint64_t n_nodes, n_spans, n_tasks, n_irq_off, n_functions, n_code, n_preempt_off, n_turns;
}; /* then nodes, spans, tasks, irq_off, code, preempt_off, turns */

#endif
