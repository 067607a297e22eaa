# SPDX-License-Identifier: MIT
"""The result of timerconform: a verdict and its evidence for each of 90 assertions (guest/conform/main.c)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bootlab.timers.output import Lines
from bootlab.timers.stress import StressPlace

FORMAT = "bootlab-timerconform"
ASSERTIONS = 90

Verdict = Literal["pass", "fail", "deviation", "unsupported", "unresolved", "untested"]
Status = Literal["shall", "may", "undefined", "implementation-defined", "linux"]
_Number = Annotated[int, msgspec.Meta(ge=1, le=ASSERTIONS)]


class CheckedSystem(msgspec.Struct, frozen=True, kw_only=True):
    """The system that was checked."""

    kernel: str
    machine: str
    set_clock: bool
    time_bits: int


class AssertionCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One assertion. `section`: of the function's page in POSIX.1-2017 XSH, or a Linux manual page.

    `opts`: its number in the Open POSIX Test Suite. `plant`: the bug that was planted, 0 for none.
    """

    number: _Number
    function: str
    status: Status
    section: str
    opts: str
    assertion: str
    plant: int
    verdict: Verdict
    evidence: str

    @property
    def reference(self) -> str:
        """Where the assertion stands written."""
        return self.section if "(" in self.section else f"POSIX.1-2017 XSH {self.function}, {self.section}"

    @property
    def wrong(self) -> bool:
        """Whether a rule was broken; what is undefined cannot break one."""
        return self.verdict == "fail" and self.status != "undefined"


class ConformResult(msgspec.Struct, frozen=True, kw_only=True):
    """Every verdict of one system."""

    format: str = "bootlab-conform"
    version: int = 1
    place: StressPlace
    head: CheckedSystem
    checks: tuple[AssertionCheck, ...]
    damaged_lines: int = 0

    @property
    def wrong(self) -> tuple[AssertionCheck, ...]:
        """The checks that found a rule broken."""
        return tuple(c for c in self.checks if c.wrong)

    def counted(self) -> dict[str, int]:
        """Return how many checks ended with each verdict that occurs."""
        found: dict[str, int] = {}
        for check in self.checks:
            found[check.verdict] = found.get(check.verdict, 0) + 1
        return found


def parse(output: bytes, place: StressPlace) -> ConformResult | None:
    """Read what timerconform printed; None when its first line is not there.

    Of two verdicts of a check the last holds.
    """
    lines = Lines(output)
    head = lines.head(FORMAT, CheckedSystem)
    if head is None:
        return None
    checks = {c.number: c for c in lines.of_kind("check", AssertionCheck)}
    return ConformResult(
        place=place,
        head=head,
        checks=tuple(checks[n] for n in sorted(checks)),
        damaged_lines=lines.damaged,
    )
