# SPDX-License-Identifier: MIT
"""Writes small trace files by hand, as the plugin would."""

import struct

from bootlab.tracing.symbols import BUCKETS

FIELDS = 31
FIRST = len(BUCKETS)
"""The number of the first function that has a name of its own."""


def node(function, parent, *, count=0, self_insns=0, wall=0, longest=0, idle=0, blocks=0):
    return struct.pack("<4I6q", function, parent, 0, 0, count, self_insns, wall, longest, idle, blocks)


def trace(nodes, *, spans=(), tasks=(), irq_off=(), code=(), insns=0, functions=20, version=2):
    """`nodes` come after the four fixed ones. Spans are (start, end, node, task, depth, flags)."""
    fixed = [node(0, 0), node(5, 0), node(6, 1), node(7, 1)]
    head = [version, 1, 0, insns, 0, insns * 2, 0, 0, 1, *([0] * 14)]
    head += [len(fixed) + len(nodes), len(spans), len(tasks), len(irq_off), functions, len(code), 0, 0]
    assert len(head) == FIELDS
    raw = struct.pack(f"<8s{FIELDS}Q", b"BLTRACE\0", *head) + b"".join([*fixed, *nodes])
    raw += b"".join(struct.pack("<2q4I", *span) for span in spans)
    raw += b"".join(struct.pack("<Q2q2I", *task) for task in tasks)
    raw += b"".join(struct.pack("<2q2I2q", *stretch, 1, stretch[3]) for stretch in irq_off)
    return raw + b"".join(struct.pack("<2Q48s", at, len(block), block) for at, block in code)


def names(*functions):
    return (*BUCKETS, *functions)
