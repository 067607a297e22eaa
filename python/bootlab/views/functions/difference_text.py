# SPDX-License-Identifier: MIT
"""The difference of two traces for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bootlab.analysis.forest_difference import ForestDifference, FunctionChange
from bootlab.model.figures import count
from bootlab.views.shown_text import one_line

_STYLES = {"new": "red", "slower": "red", "vanished": "green", "faster": "green", "same": "dim"}


def difference_view(
    difference: ForestDifference, rows: list[FunctionChange], names: tuple[str, str], *, limit: int
) -> RenderableType:
    """Show the totals and the functions that changed most."""
    before, after = difference.before, difference.after
    unit = before.unit
    was, now = int(before.total[0]), int(after.total[0])
    lines = [
        f"base: {one_line(names[0])}",
        f"new:  {one_line(names[1])}",
        f"work: {weight(was, unit)} -> {weight(now, unit)}, {signed(now - was, unit)}",
    ]
    idle_was, idle_now = int(before.wait[0]), int(after.wait[0])
    if idle_was or idle_now:
        what = f"{weight(idle_was, unit)} -> {weight(idle_now, unit)}, {signed(idle_now - idle_was, unit)}"
        lines.append(f"idle: {what}")
    kinds = [f"{sum(row.change == kind for row in difference.functions)} {kind}" for kind in _STYLES]
    lines.append(f"functions: {', '.join(kinds)}")
    table = Table(box=None)
    for name in ("Function", "change", "total", "self", "count", "total was", "total is"):
        table.add_column(name, justify="left" if name in {"Function", "change"} else "right", no_wrap=True)
    for row in rows[:limit]:
        table.add_row(
            Text(one_line(row.function)),
            Text(row.change, style=_STYLES[row.change]),
            signed(row.total, unit),
            signed(row.own, unit),
            f"{row.count:+,}" if row.count else "0",
            weight(row.before.total, unit),
            weight(row.after.total, unit),
        )
    left = len(rows) - limit
    more = [Text(f"{count(left)} more functions changed; -n shows more, --json has all")] if left > 0 else []
    return Group(*(Text(line) for line in lines), table, *more)


def weight(value: int, unit: str) -> str:
    """Write a weight: microseconds for times, else the number with its unit."""
    return f"{value / 1000:,.3f} us" if unit == "ns" else f"{value:,} {unit}"


def signed(value: int, unit: str) -> str:
    """Write a difference with its sign."""
    return ("+" if value > 0 else "") + weight(value, unit)
