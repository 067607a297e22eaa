"""What went wrong in a boot, one line each; what came over and over is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bootlab.logs.boot import Failure

SHOWN = 3
"""Failures of one kind that are spelled out."""


def failure_lines(failures: Sequence[Failure]) -> list[str]:
    """Spell each failure with its line; behind the first few of a kind, how many more there are, and where."""
    out: list[str] = []
    seen: Counter[str] = Counter()
    rest: dict[str, list[int]] = {}
    for failure in failures:
        seen[failure.kind] += 1
        if seen[failure.kind] <= SHOWN:
            out.append(f"line {failure.line}: {failure.kind}: {failure.text}: {failure.meaning}")
        else:
            rest.setdefault(failure.kind, []).append(failure.line)
    for kind, lines in rest.items():
        where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
        out.append(f"{where}: {kind}: {len(lines)} more of this kind")
    return out
