"""The floor of an optimised system as two tables of a run, and as one line."""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.comparison import Row, Table
from bootlab.model.floor import Floor
from bootlab.results.document import Results

TABLES = (
    Table(
        title="The floor: what the goal needs in this boot of the result",
        columns=("part", "needs_ns", "of_result", "certain", "counted"),
        group="floor",
    ),
    Table(
        title="What else the result does, the largest first",
        columns=("part", "takes_ns", "of_result", "lever"),
        group="obstacle",
    ),
)


def rows(results: Results) -> list[Row]:
    """Return the rows of these tables; none where no floor was computed."""
    floor = results.floor
    if floor is None:
        return []
    found = [
        _row(
            "floor", number, part.title, part.ns, floor, needs_ns=part.ns, certain=_CERTAIN[part.kind], counted=part.why
        )
        for number, part in enumerate(floor.parts, 1)
    ]
    found.append(
        _row(
            "floor",
            len(found) + 1,
            "together",
            floor.floor_ns,
            floor,
            needs_ns=floor.floor_ns,
            certain=f"{figures.ms(floor.bound_ns)} of it a bound" if floor.bound_ns else "an estimate",
            counted="",
        )
    )
    found += [
        _row("obstacle", number, one.title, one.ns, floor, takes_ns=one.ns, lever=one.lever)
        for number, one in enumerate(floor.obstacles, 1)
    ]
    if floor.others:
        title = f"{floor.others} smaller ones"
        others_ns = floor.others_ns
        found.append(_row("obstacle", len(floor.obstacles) + 1, title, others_ns, floor, takes_ns=others_ns, lever=""))
    return found


def said(results: Results) -> str:
    """Say how far the result is from its floor, in one line; "" where no floor was computed."""
    floor = results.floor
    if floor is None or not floor.goal_ns:
        return ""
    bound = f"at least {figures.ms(floor.bound_ns)} ms with this application (a bound); " if floor.bound_ns else ""
    notes = "".join(f"; {note}" for note in floor.notes)
    return (
        f"floor: {bound}about {figures.ms(floor.floor_ns)} ms for what the goal needs (an estimate), "
        f"{floor.goal_ns / floor.floor_ns:.1f} times less than the result{notes}"
        if floor.floor_ns
        else f"floor: not known{notes}"
    )


_CERTAIN = {"bound": "bound", "estimate": "estimate"}


def _row(group: str, number: int, title: str, ns: int, floor: Floor, **values: str | int) -> Row:
    share = ns / floor.goal_ns if floor.goal_ns else None
    return Row(
        id=f"{group} {number}",
        title=title,
        values={"group": group, "number": number, "part": title, "of_result": share, **values},
    )
