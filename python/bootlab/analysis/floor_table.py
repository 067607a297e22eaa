# SPDX-License-Identifier: MIT
"""A floor as two tables, and as one line: what the goal needs, and what else the boot does."""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.comparison import Row, Table
from bootlab.model.floor import Floor

NEEDS, ELSE = "floor", "obstacle"
"""The groups of the rows."""

NEEDS_COLUMNS = ("part", "needs_ns", "of_result", "certain", "counted")
ELSE_COLUMNS = ("part", "takes_ns", "of_result", "lever")


def tables(needs: str, others: str) -> tuple[Table, ...]:
    """Return both tables under these titles."""
    return (
        Table(title=needs, columns=NEEDS_COLUMNS, group=NEEDS),
        Table(title=others, columns=ELSE_COLUMNS, group=ELSE),
    )


def rows(floor: Floor) -> list[Row]:
    """Return the rows of both tables."""
    found = [
        _row(NEEDS, number, part.title, part.ns, floor, needs_ns=part.ns, certain=part.kind, counted=part.why)
        for number, part in enumerate(floor.parts, 1)
    ]
    certain = f"{figures.ms(floor.bound_ns)} of it a bound" if floor.bound_ns else "an estimate"
    floor_ns = floor.floor_ns
    found.append(
        _row(NEEDS, len(found) + 1, "together", floor_ns, floor, needs_ns=floor_ns, certain=certain, counted="")
    )
    found += [
        _row(ELSE, number, one.title, one.ns, floor, takes_ns=one.ns, lever=one.lever)
        for number, one in enumerate(floor.obstacles, 1)
    ]
    if floor.others:
        title, ns = f"{floor.others} smaller ones", floor.others_ns
        found.append(_row(ELSE, len(floor.obstacles) + 1, title, ns, floor, takes_ns=ns, lever=""))
    return found


def said(floor: Floor, boot: str) -> str:
    """Say how far a boot is from its floor, in one line. `boot`: what it is called."""
    bound = f"at least {figures.ms(floor.bound_ns)} ms with this application (a bound); " if floor.bound_ns else ""
    notes = "".join(f"; {note}" for note in floor.notes)
    return (
        f"floor: {bound}about {figures.ms(floor.floor_ns)} ms for what the goal needs (an estimate), "
        f"{floor.goal_ns / floor.floor_ns:.1f} times less than {boot}{notes}"
        if floor.floor_ns
        else f"floor: not known{notes}"
    )


def _row(group: str, number: int, title: str, ns: int, floor: Floor, **values: str | int) -> Row:
    share = ns / floor.goal_ns if floor.goal_ns else None
    return Row(
        id=f"{group} {number}",
        title=title,
        values={"group": group, "number": number, "part": title, "of_result": share, **values},
    )
