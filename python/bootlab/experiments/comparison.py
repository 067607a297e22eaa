# SPDX-License-Identifier: MIT
"""The one model of an experiment: a system, its variants, the columns of each row, and the run that fills them.

A new comparison is a subclass of :class:`Experiment`: it names its columns and yields rows as its boots end. Keeping
the boots, self-checks, progress, results as they come, `--json`, CSV, Markdown and pages come with it.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from typing import ClassVar

import msgspec

from bootlab.builders.artefacts import kernel_build
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Table, Value
from bootlab.model.system import SystemDescription

_OWN_KERNELS = 'these boots need kernels of their own: [kernel] source = "debian" (docs/how-to/build-kernels.md)'

Sink = Callable[[Comparison], object]

SINGLE_BOOTS = (
    "Each row is one boot without dithers. The boot repeats to the instruction, but a difference no larger than what "
    "neutral changes cause does not prove a gain; `bootlab try` shows how much they cause."
)
"""What the footnote of an experiment says that boots each row once."""


class Experiment(abc.ABC):
    """A comparison of variants of one system."""

    kind: ClassVar[str]
    """The name in files and runs, such as `filesystems`."""
    phase: ClassVar[str]
    """What the progress display calls it."""
    columns: tuple[Column, ...]
    exact_only: ClassVar[str] = ""
    """Why it needs exact mode; empty: it does not."""
    needs_source: ClassVar[bool] = False
    """It boots kernels of its own, so the system's must be built from source."""
    most_boots: int = 1
    """How many boots it takes at most, for the progress display, where that does not depend on the system."""
    note: ClassVar[str] = ""
    """What the columns mean and what they leave out, where that is the same for all systems."""

    @abc.abstractmethod
    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot the variants and yield each row as soon as its boots are there."""

    @abc.abstractmethod
    def headline(self, found: Comparison) -> str:
        """Say the answer in one line."""

    def footnote(self, found: Comparison) -> str:
        """Say what the columns mean and what they leave out."""
        del found
        return self.note

    def boots(self, system: SystemDescription) -> int:
        """Return how many boots it takes at most, for the progress display."""
        del system
        return self.most_boots

    def check(self, system: SystemDescription) -> None:
        """Raise UserError where this system cannot be compared so."""
        if self.exact_only and system.clock.mode != "exact":
            raise UserError(self.exact_only, hint='set clock.mode = "exact" in the system file')
        if self.needs_source:
            kernel_build(system, _OWN_KERNELS)

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return what holds for all rows, by the name that the results file gives it."""
        del bench, system, rows
        return {}

    def finished(self, rows: list[Row]) -> list[Row]:
        """Return all rows in their final order, with the values that need more than one row."""
        return rows

    def tables(self, rows: tuple[Row, ...]) -> tuple[Table, ...]:
        """Return how the rows are shown: one table of all columns, unless said otherwise."""
        del rows
        return (Table(columns=tuple(column.key for column in self.columns)),)


def compare(experiment: Experiment, bench: Bench, system: SystemDescription, sink: Sink | None = None) -> Comparison:
    """Run an experiment. `sink` gets the comparison after each row, so that a run that is cut off keeps its rows.

    Raise UserError where the system does not suit, BaseFailedError where its base does not reach the goal.
    """
    experiment.check(system)
    bench.phase(experiment.phase, experiment.boots(system))
    rows: list[Row] = []
    left_out: list[LeftOut] = []
    for found in experiment.rows(bench, system):
        if isinstance(found, Row):
            rows.append(found)
        else:
            left_out.append(found)
        if sink is not None:
            sink(_comparison(experiment, bench, system, list(rows), left_out))
    return _comparison(experiment, bench, system, rows, left_out)


def _comparison(
    experiment: Experiment, bench: Bench, system: SystemDescription, rows: list[Row], left_out: list[LeftOut]
) -> Comparison:
    final = tuple(experiment.finished(rows))
    made = Comparison(
        kind=experiment.kind,
        system=system.name,
        clock="virtual" if system.clock.mode == "exact" else "wall",
        facts=experiment.facts(bench, system, final),
        columns=experiment.columns,
        tables=experiment.tables(final),
        rows=final,
        left_out=tuple(left_out),
    )
    return msgspec.structs.replace(made, headline=experiment.headline(made), footnote=experiment.footnote(made))
