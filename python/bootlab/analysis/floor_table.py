# SPDX-License-Identifier: MIT
"""A floor as two tables, and as one line: what the goal needs, and what else the boot does."""

from __future__ import annotations

import msgspec

from bootlab.model import figures
from bootlab.model.comparison import Column, Row, Table, Value
from bootlab.model.floor import BoardFloor, BoardPart, Floor
from bootlab.model.modelled import both_ends

NEEDS, ELSE = "floor", "obstacle"
"""The groups of the rows."""

NEEDS_COLUMNS = ("part", "needs_ns", "of_result", "certain", "counted")
ELSE_COLUMNS = ("part", "takes_ns", "of_result", "lever")
BOARD_COLUMN = Column(key="board_least_ns", title="on the board", kind="ms", under="modelled, ms", ends="board_most_ns")


def tables(needs: str, others: str, board: BoardFloor | None = None) -> tuple[Table, ...]:
    """Return both tables under these titles, with the board's column beside the exact one where it has something."""
    of_others = () if board is None else (BOARD_COLUMN.key,)
    of_needs = () if board is None or board.factor is None else (BOARD_COLUMN.key,)
    return (
        Table(title=needs, columns=(*NEEDS_COLUMNS[:2], *of_needs, *NEEDS_COLUMNS[2:]), group=NEEDS),
        Table(title=others, columns=(*ELSE_COLUMNS[:2], *of_others, *ELSE_COLUMNS[2:]), group=ELSE),
    )


def rows(floor: Floor, board: BoardFloor | None = None) -> list[Row]:
    """Return the rows of both tables. `board`: the same with a board's time, and what only the board has.

    What else the boot does stands in one order then, by its longest time on the board, or by the exact one where that
    is all that is known; the sum of the smaller ones stays last.
    """
    exact = _rows(floor)
    if board is None:
        return exact
    beside = [_beside(row, board) for row in exact]
    needs, others = ([row for row in beside if row.values["group"] == group] for group in (NEEDS, ELSE))
    smaller = [others.pop()] if floor.others else []
    others += [_only_there(part, board, floor) for part in board.parts]
    others.sort(key=_longest_ns, reverse=True)
    return [*needs, *(_numbered(row, number) for number, row in enumerate([*others, *smaller], 1))]


def _beside(row: Row, board: BoardFloor) -> Row:
    exact_ns = row.ns("needs_ns") if row.values["group"] == NEEDS else row.ns("takes_ns")
    return msgspec.structs.replace(row, values=row.values | both_ends("board", board.scaled(exact_ns or 0)))


def _only_there(part: BoardPart, board: BoardFloor, floor: Floor) -> Row:
    outweighs = "the largest of all" if board.factor is not None else "longer than every exact part"
    lever = f"{part.lever}; {outweighs} {part.largest}" if part.largest else part.lever
    row = _row(ELSE, 0, part.title, 0, floor, lever=lever)
    no_exact: dict[str, Value] = {"takes_ns": None, "of_result": None}
    return msgspec.structs.replace(row, values=row.values | no_exact | both_ends("board", part.ns))


def _longest_ns(row: Row) -> int:
    there_ns = row.ns("board_most_ns")
    return (row.ns("takes_ns") or 0) if there_ns is None else there_ns


def _numbered(row: Row, number: int) -> Row:
    return msgspec.structs.replace(row, id=f"{ELSE} {number}", values=row.values | {"number": number})


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
    if board.floor_ns is None:
        return (
            f"on the board ({costs}): {board.goal_ns.text(1e6)} ms with its console and its medium; the costs name no "
            "core, so that the rest is the exact time"
        )
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
