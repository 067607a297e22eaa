# SPDX-License-Identifier: MIT
"""A comparison's columns for a board whose costs are given: the board's time of each row, beside the exact one.

A row's boot asks the loader for its images, and its kernel for a part of its root; both lie on the costs' medium. Rows
are held against the one that is first by the exact time, at the same prices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from bootlab.analysis.board_amounts import amounts_of
from bootlab.analysis.smallest import smallest_that_matters
from bootlab.costs.prices import Prices, corners, turning_points
from bootlab.model import figures
from bootlab.model.comparison import Column, Row
from bootlab.model.costs import Amounts, Between, Costs
from bootlab.model.recording import Recording
from bootlab.model.verdict import Verdict

COLUMNS = (
    Column(key="board_least_ns", title="on the board", kind="ms", under="modelled, ms", ends="board_most_ns"),
    Column(key="board_verdict", title="there", under="against the first"),
    Column(key="board_turns", title="pays there", wide=True),
)
FIRST = "first"
_MAY_BE_FASTER = frozenset({Verdict.FASTER, Verdict.DEPENDS})


class BoardBoot(msgspec.Struct, frozen=True, kw_only=True):
    """What a row's boot asks of a board. `root_bytes`: what the kernel reads of its root, at least and at most.

    `window_ns`: in which it reads that, and may compute at the same time.
    """

    amounts: Amounts
    root_bytes: tuple[int, int] = (0, 0)
    window_ns: int = 0

    def ends_ns(self, prices: Prices) -> tuple[float, float]:
        """Return the board's time at one set of prices: with reading hidden behind computing, and waited for."""
        plain = self.amounts.exact_ns + prices.added_ns(self.amounts)
        least, most = (_read_ns(size, prices) for size in self.root_bytes)
        return plain + max(0.0, least - self.window_ns), plain + most

    @property
    def whole(self) -> Amounts:
        """All that is read as if the loader read it, for the rate at which a row begins to pay."""
        return msgspec.structs.replace(self.amounts, image_bytes=self.amounts.image_bytes + self.root_bytes[1])


def boot_of(recording: Recording, image_bytes: int, read_bytes: int | None, mounted_ns: int | None) -> BoardBoot:
    """Return what a boot from a root on a medium asks. `read_bytes` None: between nothing and its whole image."""
    amounts = amounts_of(recording)
    read = (0, image_bytes) if read_bytes is None else (read_bytes, read_bytes)
    return BoardBoot(amounts=amounts, root_bytes=read, window_ns=max(0, amounts.exact_ns - (mounted_ns or 0)))


def loaded(recording: Recording) -> BoardBoot:
    """Return what a boot asks whose root the loader reads with the kernel."""
    return BoardBoot(amounts=amounts_of(recording))


def with_board(costs: Costs, rows: Sequence[Row], boots: Mapping[str, BoardBoot]) -> list[Row]:
    """Return the rows, in their order, with the board's time; `boots` by row. The first good row is what they face."""
    first = next((row for row in rows if row.ok and row.id in boots), None)
    if first is None:
        return list(rows)
    return [_with(costs, row, first.id, boots) if row.ok and row.id in boots else row for row in rows]


def best(rows: Sequence[Row]) -> Row | None:
    """Return the row whose slow end on the board is lowest."""
    known = [row for row in rows if row.ns("board_most_ns") is not None]
    return min(known, key=lambda row: (row.ns("board_most_ns") or 0, row.id), default=None)


def said(costs: Costs, rows: Sequence[Row], boots: Mapping[str, BoardBoot]) -> str:
    """Say which row is first on the board, and what may be faster there at the same prices; "" without a row."""
    row = best(rows)
    if row is None:
        return ""
    ends = Between(float(row.ns("board_least_ns") or 0), float(row.ns("board_most_ns") or 0))
    text = f"on the board ({costs.name}): {row.title}, {ends.text(1e6)} ms"
    rivals = [
        other
        for other in rows
        if other is not row
        and other.ns("board_least_ns") is not None
        and _verdict(costs, boots[row.id], boots[other.id]) in _MAY_BE_FASTER
    ]
    turns = next((str(one.values["board_turns"]) for one in (row, *rivals) if one.values.get("board_turns")), "")
    if not rivals:
        return text
    others = f"; {figures.counted(len(rivals), 'other')} may be faster there"
    return f"{text}{others}{': ' + turns if turns else ''}"


def _with(costs: Costs, row: Row, first: str, boots: Mapping[str, BoardBoot]) -> Row:
    ends = [boots[row.id].ends_ns(prices) for prices in corners(costs)]
    values = {
        "board_least_ns": round(min(least for least, _ in ends)),
        "board_most_ns": round(max(most for _, most in ends)),
        "board_verdict": FIRST if row.id == first else _verdict(costs, boots[first], boots[row.id]).value,
        "board_turns": "" if row.id == first else _turns(costs, row, boots[first], boots[row.id]),
    }
    return msgspec.structs.replace(row, values=row.values | values)


def _verdict(costs: Costs, first: BoardBoot, other: BoardBoot) -> Verdict:
    """Faster or slower only where it is so at all prices, however much of the reading either hides."""
    smallest = smallest_that_matters(first.amounts.exact_ns, exact=True)
    saved: list[float] = []
    for prices in corners(costs):
        (one_least, one_most), (other_least, other_most) = first.ends_ns(prices), other.ends_ns(prices)
        saved += [one_least - other_most, one_most - other_least]
    if min(saved) > smallest:
        return Verdict.FASTER
    if max(saved) < -smallest:
        return Verdict.SLOWER
    return Verdict.SAME if max(map(abs, saved)) <= smallest else Verdict.DEPENDS


def _turns(costs: Costs, row: Row, first: BoardBoot, other: BoardBoot) -> str:
    points = turning_points(costs, first.whole, other.whole)
    return "; ".join(point.text(row.id) for point in points)


def _read_ns(size: int, prices: Prices) -> float:
    if not size:
        return 0.0
    requests = -(-size // prices.request_bytes) if prices.request_bytes else 1
    return size * prices.byte_ns + requests * prices.request_ns
