# SPDX-License-Identifier: MIT
"""Programs as they were measured and forecast: the kept file, and its page."""

from __future__ import annotations

import statistics

import msgspec
from program_widths import inside, width

MARKS = ("<!-- program times -->\n", "<!-- end of program times -->\n")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One program. Nanoseconds."""

    program: str
    native_ns: float
    kernel_share: float
    instructions: int
    low_ns: float
    high_ns: float
    events: dict[str, int]
    differs: str = ""

    @property
    def error(self) -> float:
        return (self.low_ns + self.high_ns) / 2 / self.native_ns - 1

    @property
    def held(self) -> bool:
        return self.low_ns <= self.native_ns <= self.high_ns


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A run of this script."""

    processor: str
    core: str
    ghz: float
    runs: int
    qemu: str
    rows: list[Row]
    memory_ns: dict[str, list[float]] = {}


def alone(rows: list[Row]) -> dict[str, float]:
    """Return each program's error when instructions alone forecast it, from the median of the others."""
    found = {}
    for one in rows:
        each = statistics.median(other.native_ns / other.instructions for other in rows if other is not one)
        found[one.program] = each * one.instructions / one.native_ns - 1
    return found


def without_kernel(row: Row) -> Row:
    """Return a program without the kernel's part of its time, which a forecast in user mode has not either."""
    return msgspec.structs.replace(row, native_ns=row.native_ns * (1 - row.kernel_share))


def summary(name: str, rows: list[Row]) -> str:
    """Return a line: median and worst error, how many lie inside, are forecast too low, and sums of thirds."""
    rows = sorted(rows, key=lambda one: -abs(one.error))
    errors = [abs(one.error) for one in rows]
    thirds = [rows[i::3] for i in range(3)]
    sums = [sum((r.low_ns + r.high_ns) / 2 for r in part) / sum(r.native_ns for r in part) - 1 for part in thirds]
    held, low = (sum(which) for which in ([one.held for one in rows], [one.error < 0 for one in rows]))
    return (
        f"| {name} | {statistics.median(errors):.0%} | {max(errors):.0%} | {held} of {len(rows)} | "
        f"{low} of {len(rows)} | {', '.join(f'{s:+.0%}' for s in sums)} |"
    )


def _origin(one: Kept, kept: Kept) -> str:
    of = (
        "an earlier calibration, which did not measure how code is fetched"
        if one.core == "measured"
        else f"`{one.core}`"
    )
    return f"figures of {of}, on {'the same machine' if one.processor == kept.processor else one.processor}"


def page(kept: Kept, beside: list[Kept]) -> str:
    rows = sorted((one for one in kept.rows if not one.differs), key=lambda one: -abs(one.error))
    bare = alone(rows)
    plain = [abs(error) for error in bare.values()]
    below, above = width(rows)
    names = {row.program for row in rows}
    others = [
        summary(
            _origin(one, kept),
            [row for row in one.rows if not row.differs and row.program in names],
        )
        for one in beside
    ]
    of = "the figures that it was calibrated with" if kept.core == "measured" else f"`{kept.core}`"
    lines = [
        f"{len(rows)} programs on one machine ({kept.processor}, {kept.ghz:.2f} GHz as measured), forecast with",
        f"{of}; the largest error first. Measured: the least processor time of {kept.runs} runs, the kernel's",
        f"part included, which the forecast has not. {kept.qemu}.",
        "",
        "| | median error | worst | inside the interval | forecast too low | sums of a third of the programs |",
        "|---|--:|--:|--:|--:|---|",
        summary("the figures alone", rows),
        summary("the same, against the time without the kernel's part", [without_kernel(row) for row in rows]),
        (
            f"| widened to {below:.2f} of the low end and {above:.2f} of the high one | | | "
            f"{len(inside(rows))} of {len(rows)} | | |"
        ),
        f"| instructions alone | {statistics.median(plain):.0%} | {max(plain):.0%} | | | |",
        *others,
        "",
        "The width of each program's interval is taken from the others: on either side one of ten may lie beyond.",
        "",
        "| program | forecast ms | measured ms | error | instructions alone | 10^6 instructions | kernel's share |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in rows:
        error = f"{one.error:+.0%}" if one.held else f"**{one.error:+.0%}**"
        ends = f"{one.low_ns / 1e6:.1f} to {one.high_ns / 1e6:.1f}"
        lines.append(
            f"| {one.program} | {ends} | {one.native_ns / 1e6:.1f} | {error} | "
            f"{bare[one.program]:+.0%} | {one.instructions / 1e6:.0f} | {one.kernel_share:.0%} |"
        )
    return "\n".join(lines) + "\n"
