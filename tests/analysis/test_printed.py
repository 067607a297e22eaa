# SPDX-License-Identifier: MIT
"""Characters of a stretch of a boot: the kernel's are waited for, a program's may be."""

from __future__ import annotations

from bootlab.analysis.printed import printed_ns
from bootlab.model.costs import Between, BoardConsole
from bootlab.model.recording import Line, Mark, Meta, Recording

LINE = BoardConsole(baud=Between(10_000, 10_000))
"""A character takes a millisecond."""
MS = 1_000_000


def boot(*marks: Mark) -> Recording:
    lines = (
        Line(number=1, text="SPL", offset_bytes=0, first_ns=5 * MS, last_ns=5 * MS),
        Line(number=2, text="[    0.01] kernel", offset_bytes=0, first_ns=20 * MS, last_ns=20 * MS, printk_ns=10 * MS),
        Line(number=3, text="[    0.09] late", offset_bytes=0, first_ns=90 * MS, last_ns=90 * MS, printk_ns=90 * MS),
        Line(number=4, text="ready", offset_bytes=0, first_ns=95 * MS, last_ns=95 * MS),
    )
    return Recording(meta=Meta(), lines=lines, marks=marks)


def test_the_kernel_waits_and_programs_may() -> None:
    made = boot(Mark("user-space", 80 * MS))
    assert printed_ns(made, LINE, 0, 10 * MS) == Between(5 * MS, 5 * MS)
    assert printed_ns(made, LINE, 10 * MS, 80 * MS) == Between(19 * MS, 19 * MS)
    assert printed_ns(made, LINE, 80 * MS, 100 * MS) == Between(17 * MS, 24 * MS)


def test_without_a_mark_of_user_space_all_is_waited_for() -> None:
    assert printed_ns(boot(), LINE, 90 * MS, 100 * MS) == Between(24 * MS, 24 * MS)


def test_a_rate_that_is_not_known_widens_it() -> None:
    slow = BoardConsole(baud=Between(5_000, 10_000))
    assert printed_ns(boot(), slow, 0, 10 * MS) == Between(5 * MS, 10 * MS)
