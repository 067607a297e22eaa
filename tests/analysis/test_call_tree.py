# SPDX-License-Identifier: MIT
"""What a function trace says of the limits that it ran into."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bootlab.analysis.call_tree import TraceTotals

ZEROES = dict.fromkeys(TraceTotals.__struct_fields__, 0)
SOURCES = Path(__file__).parents[2] / "qemu-plugin"


def test_a_trace_within_its_limits_says_nothing():
    assert TraceTotals(**ZEROES | {"n_tasks": 4095, "n_code": 65535, "calls": 10**9}).limits_reached == ()


@pytest.mark.parametrize(
    ("field", "count", "said"),
    [
        ("cut_calls", 1234, "the call tree is full: 1,234 calls are shown without their callers"),
        ("deep_frames", 5, "5 calls are deeper than 512 frames"),
        ("dropped_spans", 6, "6 spans left out: the trace keeps 1,048,576"),
        ("n_tasks", 4096, "4,096 tasks or more"),
        ("n_code", 65536, "65,536 blocks outside of the kernel or more"),
    ],
)
def test_each_limit_speaks(field, count, said):
    (line,) = TraceTotals(**ZEROES | {field: count}).limits_reached
    assert line.startswith(said)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("trace-stack.h", "#define MAX_FRAMES 512"),
        ("trace-stack.h", "#define MAX_TASKS 4096"),
        ("trace-stack.h", "#define MAX_SPANS (1u << 20)"),
        ("trace-file.h", "#define BOOTLAB_MAX_CODE (1u << 16)"),
    ],
)
def test_the_limits_are_the_plugins(file, line):
    assert re.search(rf"^{re.escape(line)}$", (SOURCES / file).read_text(), re.MULTILINE)
