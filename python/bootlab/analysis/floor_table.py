# SPDX-License-Identifier: MIT
"""A floor as two tables, and as one line: what the goal needs, and what else the boot does."""

from __future__ import annotations

import msgspec

from bootlab.model import figures
from bootlab.model.comparison import Column, Row, Table
from bootlab.model.costs import Between
from bootlab.model.floor import BoardFloor, Floor

NEEDS, ELSE = "floor", "obstacle"
"""The groups of the rows."""

NEEDS_COLUMNS = ("part", "needs_ns", "of_result", "certain", "counted")
ELSE_COLUMNS = ("part", "takes_ns", "of_result", "lever")
BOARD_COLUMNS = (
    Column(key="board_least_ns", title="at least", kind="ms", under="on the board, ms"),
    Column(key="board_most_ns", title="at most", kind="ms", under="on the board, ms"),
)
_BOARD = ("board_least_ns", "board_most_ns")


def tables(needs: str, others: str, *, board: bool = False) -> tuple[Table, ...]:
    """Return both tables under these titles, with a board's columns beside the exact ones or without."""
    more = _BOARD if board else ()
    return (
        Table(title=needs, columns=(*NEEDS_COLUMNS[:2], *more, *NEEDS_COLUMNS[2:]), group=NEEDS),
        Table(title=others, columns=(*ELSE_COLUMNS[:2], *more, *ELSE_COLUMNS[2:]), group=ELSE),
    )


def rows(floor: Floor, board: BoardFloor | None = None) -> list[Row]:
    """Return the rows of both tables. `board`: the same with a board's time, and what only the board has."""
    found = _rows(floor)
    if board is None:
        return found
    found = [_beside(row, board) for row in found]
    for number, part in enumerate(board.parts, len([row for row in found if row.values["group"] == ELSE]) + 1):
        largest = f"; the largest of all {part.largest}" if part.largest else ""
        values = {"takes_ns": None, **_ends(part.ns)}
        row = _row(ELSE, number, part.title, 0, floor, lever=part.lever + largest)
        found.append(msgspec.structs.replace(row, values=row.values | values | {"of_result": None}))
    return found


def _beside(row: Row, board: BoardFloor) -> Row:
    exact_ns = row.ns("needs_ns") if row.values["group"] == NEEDS else row.ns("takes_ns")
    return msgspec.structs.replace(row, values=row.values | _ends(board.scaled(exact_ns or 0)))


def _ends(ns: Between) -> dict[str, int]:
    return {"board_least_ns": round(ns.low), "board_most_ns": round(ns.high)}


def _rows(floor: Floor) -> list[Row]:
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


def said_on(board: BoardFloor, costs: str) -> str:
    """Say how far a boot is from its floor on a board."""
    return (
        f"on the board ({costs}): {board.goal_ns.text(1e6)} ms, of which the goal needs about "
        f"{board.floor_ns.text(1e6)} ms without console and images"
    )


def _row(group: str, number: int, title: str, ns: int, floor: Floor, **values: str | int) -> Row:
    share = ns / floor.goal_ns if floor.goal_ns else None
    return Row(
        id=f"{group} {number}",
        title=title,
        values={"group": group, "number": number, "part": title, "of_result": share, **values},
    )
