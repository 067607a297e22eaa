# SPDX-License-Identifier: MIT
"""The floor of a system as it is: what its goal needs, and what else its boot does. Nothing is tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from bootlab.analysis import floor_table
from bootlab.analysis.board_amounts import amounts_of
from bootlab.costs.floor import floor_on
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import Experiment
from bootlab.experiments.optimize.floor import floor_in
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Table, Value
from bootlab.model.costs import Costs
from bootlab.model.floor import BoardFloor, Floor
from bootlab.model.system import SystemDescription

_NO_CORE = (
    "On the board: what its console and its medium add, which no part of the exact boot has. The costs name no core, "
    "so that nobody knows how long the other parts take there."
)
_ON_BOARD = (
    "On the board: the same parts with the costs' processor, and what its console and its medium add, which no part of "
    "the exact boot has. A part may compute or wait, so that it lies between its exact time and the processor's."
)


class FloorOf(Experiment):
    """A boot taken apart, one row a part.

    `needs_ns`: what the goal needs; `certain`: `bound` where no kernel, loader or machine setting takes it away.
    `takes_ns`: what the goal is not known to need; `lever`: a technique that takes it away. `of_result`: share of the
    boot.
    """

    kind: ClassVar[str] = "floor"
    phase: ClassVar[str] = "floor"
    exact_only: ClassVar[str] = "a floor is counted in instructions"
    most_boots: int = 4
    note: ClassVar[str] = (
        "A bound is certain for this application as it was built. An estimate counts what the goal needs in some form, "
        "at what it takes in this boot; tables of functions and names tell what that is. Both tables together are the "
        "whole boot."
    )
    columns: tuple[Column, ...] = (
        Column(key="part", title="part"),
        Column(key="needs_ns", title="needs", kind="ms", under="virtual ms"),
        Column(key="takes_ns", title="takes", kind="ms", under="virtual ms"),
        Column(key="of_result", title="of the boot", kind="percent"),
        Column(key="certain", title="certain?"),
        Column(key="counted", title="what is counted"),
        Column(key="lever", title="what would take it away"),
    )
    _floor: Floor = Floor(goal_ns=0)
    _board: BoardFloor | None = None
    _costs: Costs | None = None

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot for the time, with every function traced, and with every task told.

        Raise what keeps a system from a floor: several processors, no symbols, no plugin.
        """
        self._floor = floor_in(bench, system)
        self._costs = system.costs
        if system.costs is not None:
            self.columns = (*type(self).columns, floor_table.BOARD_COLUMN)
            timing = bench.boot(system, system.name)
            self._board = floor_on(system.costs, self._floor, amounts_of(timing)) if timing.ok else None
        yield from floor_table.rows(self._floor, self._board)

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return the whole boot's time, the floor and the bound."""
        del bench, system, rows
        floor = self._floor
        return {"goal_ns": floor.goal_ns, "floor_ns": floor.floor_ns, "bound_ns": floor.bound_ns}

    def headline(self, found: Comparison) -> str:
        """Say how far the boot is from its floor."""
        sentence = floor_table.said(self._floor, "this boot")
        if self._board is not None and self._costs is not None:
            sentence = f"{sentence}; {floor_table.said_on(self._board, self._costs.name)}"
        return f"{found.system}: {sentence}"

    def footnote(self, found: Comparison) -> str:
        """Say what the columns mean, those of a board only where there are some."""
        del found
        if self._board is None:
            return self.note
        return f"{self.note} {_NO_CORE if self._board.factor is None else _ON_BOARD}"

    def tables(self, rows: tuple[Row, ...]) -> tuple[Table, ...]:
        """Return what the goal needs, and what else the boot does."""
        del rows
        first = "the largest first" if self._board is None else "the board's largest first"
        titles = ("What the goal needs", f"What else the boot does, {first}")
        return floor_table.tables(*titles, self._board)
