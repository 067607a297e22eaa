# SPDX-License-Identifier: MIT
"""A board whose boot loader is a Linux: the marks of both kernels, out of its console's lines."""

from __future__ import annotations

import numpy as np
import pytest

from bootlab.boards.marks import marks_of
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.recordings.stamps import Stamps

SYSTEM = SystemDescription(
    name="board", kernel=Kernel(image=""), goal=Goal(console="ready"), marks=(("rc-scripts", "^Starting"),)
)
FIRST = (
    "U-Boot 2025.01 (Jan 06 2025 - 00:00:00 +0000)",
    "[    0.000000] Linux version 6.6.30 (a@b) (gcc 13) #1 SMP",
    "[    0.300000] Run /init as init process",
    "Starting the loader",
    "[    0.500000] kexec_core: Starting new kernel",
)
SECOND = (
    "[    0.000000] Linux version 6.12.1 (a@b) (gcc 13) #1 SMP",
    "[    0.200000] Run /sbin/init as init process",
)
LAST = ("Starting network", "hub: ready")
TENTH_NS = 100_000_000


def marks(*texts: str) -> dict[str, int]:
    """Return the marks of lines that came a tenth of a second apart, in tenths."""
    raw = [f"{text}\r\n".encode() for text in texts]
    ns = np.arange(1, len(raw) + 1) * TENTH_NS
    stamps = Stamps(ends=np.cumsum([len(line) for line in raw]), ns=ns, insns=np.full(len(raw), -1), marks={})
    found = marks_of(SYSTEM, b"".join(raw), stamps, goal_ns=int(ns[-1]))
    return {mark.name: mark.ns // TENTH_NS for mark in found}


def test_both_kernels_have_their_marks():
    assert marks(*FIRST, *SECOND, *LAST) == {
        "power-on": 0, "start-kernel": 0, "user-space": 3, "kexec": 5, "kernel-2": 5, "user-space-2": 7,
        "rc-scripts": 8, "goal": 9,
    }  # fmt: skip


def test_a_quiet_second_kernel_is_seen_by_its_user_space():
    found = marks(*FIRST, *LAST)
    assert (found["kexec"], found["user-space-2"], found["rc-scripts"]) == (5, 6, 6)
    assert "kernel-2" not in found


@pytest.mark.parametrize("last", [(), ("[    0.500100] Bye!",)])
def test_a_board_that_is_reset_has_no_second_kernel(last):
    found = marks(*FIRST, *last, FIRST[0], *SECOND, *LAST)
    assert "kernel-2" not in found
    assert "user-space-2" not in found
