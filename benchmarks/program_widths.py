# SPDX-License-Identifier: MIT
"""How wide a forecast's interval must be to hold what was measured: from programs, tried on the ones left out."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Protocol

import msgspec

from bootlab.model.costing import Seen

BEYOND = 0.1
"""Share of programs that may lie beyond an interval on one side."""


class Measured(Protocol):
    """A program: what was measured, and the interval of its forecast. Nanoseconds."""

    @property
    def native_ns(self) -> float: ...
    @property
    def low_ns(self) -> float: ...
    @property
    def high_ns(self) -> float: ...


def width(rows: Sequence[Measured]) -> tuple[float, float]:
    """Return what to multiply both ends of an interval with so that it would have held these programs.

    On each side one in ten may lie beyond, as split conformal prediction counts it: of n programs the ends are those of
    the ceil(0.9 (n + 1))-th, so that another one lies beyond with at most that chance if it is of the same kind.
    """
    place = min(len(rows), math.ceil((1 - BEYOND) * (len(rows) + 1))) - 1
    above = sorted(one.native_ns / one.high_ns for one in rows)[place]
    below = sorted((one.native_ns / one.low_ns for one in rows), reverse=True)[place]
    return min(1.0, below), max(1.0, above)


def inside(rows: Sequence[Measured]) -> list[Measured]:
    """Return the programs that lie in the interval when its width is taken from all the others."""
    found = []
    for one in rows:
        below, above = width([other for other in rows if other is not one])
        if one.low_ns * below <= one.native_ns <= one.high_ns * above:
            found.append(one)
    return found


def seen_of(core: str, processor: str, rows: Sequence[Measured]) -> Seen:
    """Return what the programs of one processor say."""
    below, above = width(rows)
    return Seen(
        core=core,
        processor=processor,
        programs=len(rows),
        inside=len(inside(rows)),
        bare=sum(one.low_ns <= one.native_ns <= one.high_ns for one in rows),
        below=round(below, 3),
        above=round(above, 3),
    )


def seen_text(found: Seen) -> str:
    """Write it as the file that the package reads."""
    told = "".join(f"{key} = {json.dumps(value)}\n" for key, value in msgspec.to_builtins(found).items())
    return (
        "# SPDX-License-Identifier: MIT\n"
        "# How far the model of processors was off: made by benchmarks/program_times.py --seen, which says how.\n"
        f"{told}"
    )
