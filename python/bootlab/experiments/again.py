# SPDX-License-Identifier: MIT
"""A system's first boot beside later ones, each from what the one before left: what they save, by stage and unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec

from bootlab.analysis.stages import comparable_stages, timeline_of
from bootlab.errors import UserError
from bootlab.experiments import self_check
from bootlab.experiments.base import require_goal
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import Experiment
from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Table
from bootlab.model.earlier import Earlier
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import WHOLE

MOST = 9
"""So many boots more can be made."""
_TOLD_NS = 1_000_000


class Again(Experiment):
    """The first boot, and so many more, in one row a stage or unit. `[earlier]` of the system says how each ends."""

    kind: ClassVar[str] = "again"
    phase: ClassVar[str] = "first boot and later ones"
    exact_only: ClassVar[str] = "no boot ends at the same point twice on the host's clock"
    note: ClassVar[str] = (
        "Each boot is exact, and made once but for the last, which is made twice. Units overlap: what one saves need "
        "not be saved to the goal. Units with a difference below 1 ms are not listed. saved: from boot 1 to the last."
    )

    def __init__(self, more: int = 1) -> None:
        """Boot once and `more` times more. Raise UserError for less than one or more than nine."""
        if not 1 <= more <= MOST:
            raise UserError(f"{more} boots more cannot be made", hint=f"between 1 and {MOST}: --again 1")
        self._more = more
        self.most_boots = more + 4
        boots = range(1, more + 2)
        self.columns = (
            Column(key="title", title="part"),
            *(Column(key=_boot(number), title=f"boot {number}", kind="ms", under="ms") for number in boots),
            Column(key="saved_ns", title="saved", kind="signed-ms", under="ms"),
            Column(key="reason", title="", wide=True),
        )

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot them all. Raise BaseFailedError if one has no goal."""
        ends = system.earlier or Earlier()
        numbers = range(self._more + 1)
        systems = [_with_earlier(system, ends, number) for number in numbers]
        flying = [bench.submit(one, f"boot {number + 1}") for number, one in enumerate(systems)]
        recordings = bench.wait_all(flying)
        for recording in recordings:
            require_goal(recording)
        self_check.require_exact(bench, systems[-1], f"boot {self._more + 1}")
        yield _row(WHOLE, "stage", [boot.meta.goal_ns for boot in recordings], recordings[-1].meta.key)
        stages = comparable_stages(recordings)
        for name in dict.fromkeys(name for one in stages for name in one):
            yield _row(name, "stage", [one.get(name) for one in stages])
        yield from _units([_unit_lengths(boot, one) for boot, one in zip(recordings, systems, strict=True)])

    def tables(self, rows: tuple[Row, ...]) -> tuple[Table, ...]:
        """Return stages, then units where there are any."""
        columns = tuple(column.key for column in self.columns)
        units = any(row.values.get("group") == "unit" for row in rows)
        stages = Table(title="Stages", columns=columns[:-1], group="stage")
        return (stages, Table(title="Units and services", columns=columns, group="unit")) if units else (stages,)

    def headline(self, found: Comparison) -> str:
        """Say what the last boot saves."""
        total = next((row for row in found.rows if row.title == WHOLE), None)
        first, saved = (total.ns(_boot(1)), total.ns("saved_ns")) if total is not None else (None, None)
        if first is None or saved is None:
            return "no boot reached the goal"
        alone = sum(row.values.get("group") == "unit" and _first_alone(_ran(row)) for row in found.rows)
        units = f"; {figures.counted(alone, 'unit')} ran in boot 1 alone" if alone else ""
        takes = "saves" if saved >= 0 else "takes longer by"
        share = figures.percent(abs(saved), first)
        return f"boot {self._more + 1} {takes} {figures.ms(abs(saved))} ms of {figures.ms(first)} ({share}){units}"


def _ran(row: Row) -> list[bool]:
    """Tell of each boot whether the row's unit ran in it."""
    return [value is not None for key, value in row.values.items() if re.fullmatch(r"boot\d+_ns", key)]


def _first_alone(ran: list[bool]) -> bool:
    return ran[0] and not any(ran[1:])


def _boot(number: int) -> str:
    return f"boot{number}_ns"


def _with_earlier(system: SystemDescription, ends: Earlier, number: int) -> SystemDescription:
    earlier = msgspec.structs.replace(ends, boots=number) if number else None
    return msgspec.structs.replace(system, earlier=earlier)


def _row(name: str, group: str, lengths: Sequence[int | None], key: str = "", reason: str = "") -> Row:
    first, last = lengths[0], lengths[-1]
    values: dict[str, int | str | None] = {_boot(number): length for number, length in enumerate(lengths, 1)}
    # What did not run took no time; where nothing shows how long it took, nothing is saved or lost.
    values["saved_ns"] = None if first is None and last is None else (first or 0) - (last or 0)
    return Row(id=f"{group}:{name}", title=name, key=key, reason=reason, values={**values, "group": group})


def _unit_lengths(recording: Recording, system: SystemDescription) -> dict[str, int]:
    spans = timeline_of(recording, system=system).spans
    return {span.name: span.duration_ns for span in spans if span.lane != "stages"}


def _units(boots: list[dict[str, int]]) -> Iterator[Row]:
    """Yield units that not every boot ran, and those whose length differs; what saves most first."""
    rows = []
    for name in dict.fromkeys(name for boot in boots for name in boot):
        lengths = [boot.get(name) for boot in boots]
        ran = [length is not None for length in lengths]
        apart = max(length or 0 for length in lengths) - min(length or 0 for length in lengths)
        if all(ran) and apart < _TOLD_NS:
            continue
        missing = ", ".join(str(number) for number, there in enumerate(ran, 1) if not there)
        reason = "in boot 1 alone" if _first_alone(ran) else f"not in boot {missing}" if missing else ""
        rows.append(_row(name, "unit", lengths, reason=reason))
    yield from sorted(rows, key=lambda row: -(row.ns("saved_ns") or 0))
