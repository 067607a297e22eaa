# SPDX-License-Identifier: MIT
"""What a serial console costs: one system with its console read at the pace of several lines, on the host's clock."""

from __future__ import annotations

import hashlib
import random
import statistics
from collections.abc import Iterator
from typing import ClassVar

import msgspec

from bootlab import techniques
from bootlab.errors import UserError
from bootlab.experiments.base import Base, require_goal
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import Experiment
from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Value
from bootlab.model.modelled import line_ns
from bootlab.model.recording import Recording, unsure_ns
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence

BAUDS = (9_600, 115_200, 1_500_000)
ROUNDS = 5
_AS_IT_IS = "as it is"
# What the guest may write before the line holds it, and more: paced_console.py.
_AHEAD = 300
_PACED_SHARE = 0.97


class _Variant(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    title: str
    system: SystemDescription


class _Cell(msgspec.Struct, kw_only=True):
    """A variant on one line: all its boots. `baud` 0: as fast as it comes."""

    variant: _Variant
    baud: int
    boots: list[Recording]

    @property
    def goals_ns(self) -> list[int]:
        return [boot.meta.goal_ns for boot in self.boots if boot.ok and boot.meta.goal_ns is not None]

    @property
    def median_ns(self) -> int | None:
        return round(statistics.median(self.goals_ns)) if self.goals_ns else None

    @property
    def characters(self) -> int | None:
        counts = [boot.meta.console_bytes for boot in self.boots if boot.ok]
        return round(statistics.median(counts)) if counts else None


class ConsolePace(Experiment):
    """A system as it is and with techniques that quieten it, its console on lines of several rates and on none.

    `console_ns`: what the line adds to the same variant's boot without one. `model_ns`: characters x 10 / baud.
    `saved_ns`: how much earlier the goal comes than in the system as it is on the same line; `model_saved_ns`: the
    same of the characters. `share` is left out where the model is below the range of the boots. All times are medians
    of `boots`; `low_ns` and `high_ns` are the earliest and the latest.
    """

    kind: ClassVar[str] = "console-pace"
    phase: ClassVar[str] = "paced consoles"
    columns = (
        Column(key="title", title="system"),
        Column(key="line", title="line"),
        Column(key="characters", title="characters", kind="count"),
        Column(key="goal_ns", title="goal, median", kind="ms", under="wall ms", unsure="unsure_ns"),
        Column(key="low_ns", title="earliest", kind="ms", under="wall ms", unsure="unsure_ns"),
        Column(key="high_ns", title="latest", kind="ms", under="wall ms", unsure="unsure_ns"),
        Column(key="console_ns", title="line adds", kind="signed-ms", under="wall ms", unsure="unsure_ns"),
        Column(key="model_ns", title="line", kind="ms", under="modelled, ms"),
        Column(key="share", title="of the model", kind="percent"),
        Column(key="saved_ns", title="saved", kind="signed-ms", under="wall ms", unsure="unsure_ns"),
        Column(key="model_saved_ns", title="saved", kind="signed-ms", under="modelled, ms"),
    )

    def __init__(self, *ids: str, bauds: tuple[int, ...] = BAUDS, rounds: int = ROUNDS, seed: int = 1) -> None:
        """Take the ids of techniques (none: `quiet`), the lines' rates, and how often each is booted."""
        self._techniques = [techniques.get(name) for name in ids or ("quiet",)]
        self._bauds = (0, *dict.fromkeys(bauds))
        self._rounds = rounds
        self._seed = seed
        self.most_boots = rounds * len(self._bauds) * (1 + len(self._techniques)) + 1

    def check(self, system: SystemDescription) -> None:
        """Raise UserError for a system whose clock is not the host's: nothing there waits for a line."""
        if system.clock.mode != "free" or system.target != "qemu":
            raise UserError(
                f"{system.name}: a console can be slowed down only in QEMU's free mode",
                hint='set clock.mode = "free" in the system file',
            )

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot everything in rounds, each in random order. Raise BaseFailedError when the system has no goal."""
        system = _on(system, 0)
        number = self._first_number()
        first = bench.boot(system, f"{system.name} (first)", fresh=number)
        require_goal(first)
        variants = [_Variant(id="base", title=_AS_IT_IS, system=system)]
        base = Base(system=system, recording=first, diagnosis=None, info=bench.target.plan(system).info)
        for technique in self._techniques:
            changes = technique.changes(base.context)
            if not changes:
                reason = technique.applies(base.context).reason
                yield LeftOut(id=technique.id, title=technique.title, reason=reason or "it changes nothing here")
            variants += [
                _Variant(id=change.id, title=technique.title, system=change.apply(system)) for change in changes
            ]
        cells = [_Cell(variant=variant, baud=baud, boots=[]) for baud in self._bauds for variant in variants]
        order = random.Random(self._seed)  # noqa: S311 - an order of boots
        for _ in range(self._rounds):
            for cell in order.sample(cells, len(cells)):
                number += 1
                label = f"{cell.variant.id}, {_line(cell.baud)}"
                cell.boots.append(bench.boot(_on(cell.variant.system, cell.baud), label, fresh=number))
        for cell in cells:
            unpaced = next(c for c in cells if c.variant is cell.variant and c.baud == 0)
            plain = next(c for c in cells if c.variant is variants[0] and c.baud == cell.baud)
            yield _row(cell, unpaced, plain, self._effect(cell, unpaced, base))

    def _first_number(self) -> int:
        """Return the number of the first boot.

        The same question goes on with its own boots after an interruption. It takes none of another question: those
        were made on another day, and the host is not the same.
        """
        asked = (*(technique.id for technique in self._techniques), *self._bauds, self._rounds, self._seed)
        digest = hashlib.sha256(" ".join(map(str, asked)).encode()).digest()
        return int.from_bytes(digest[:4]) << 20 | 1

    def _effect(self, cell: _Cell, unpaced: _Cell, base: Base) -> Effect:
        technique = next((t for t in self._techniques if cell.variant.id.startswith(t.id)), None)
        shown = next((boot for boot in unpaced.boots if boot.ok), None)
        if technique is None or shown is None:
            return Effect(True, "")
        return technique.took_effect(base.evidence, Evidence(system=cell.variant.system, recording=shown))

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return how often each line was booted, and the emulator's accelerator."""
        del bench, rows
        return {"rounds": self._rounds, "seed": self._seed, "accel": system.clock.accel}

    def headline(self, found: Comparison) -> str:
        """Say what each technique saves on each line, and what the model says."""
        told = [
            f"{row.title} saves {figures.ms(row.ns('saved_ns'), row.ns('unsure_ns'))} at {row.values['line']} "
            f"(characters: {figures.ms(row.ns('model_saved_ns'))})"
            for row in found.rows
            if row.values.get("baud") and row.title != _AS_IT_IS
        ]
        return f"{found.system} (ms, medians): {'; '.join(told) or 'nothing was made quiet'}"

    def footnote(self, found: Comparison) -> str:
        """Say how it was measured, and what the columns leave out."""
        boots = figures.counted(int(found.facts["rounds"] or 0), "boot")
        return (
            f"{boots} of each, in rounds of random order, on the host's clock: the median goal, the earliest and the "
            "latest. The emulator's port waits while the line carries what it wrote: ten bits a "
            "character. Modelled: characters x 10 / baud, of the characters that arrived. A line adds less than the "
            "model where the guest computes while the line still carries what was written before. The model is one "
            "value here, because the emulated port keeps exactly to its rate; a board's may be slower."
        )


def _row(cell: _Cell, unpaced: _Cell, plain: _Cell, effect: Effect) -> Row:
    failed = next((boot for boot in cell.boots if not boot.ok), None)
    goal, alone, base = cell.median_ns, unpaced.median_ns, plain.median_ns
    characters, of_base = cell.characters, plain.characters
    model = line_ns(characters, cell.baud) if cell.baud and characters is not None else None
    model_base = line_ns(of_base, cell.baud) if cell.baud and of_base is not None else None
    added = goal - alone if cell.baud and goal is not None and alone is not None else None
    carried = all(_was_paced(boot, cell.baud) for boot in cell.boots)
    proof = effect.evidence
    if cell.baud:
        proof = f"no boot was faster than its line{'; ' if proof else ''}{proof}"
    quietened = cell.variant is not plain.variant
    return Row(
        id=f"{cell.variant.id}-{cell.baud}",
        title=cell.variant.title,
        ok=failed is None,
        proved=carried and effect.shown,
        reason="" if failed is None else f"{failed.meta.outcome.value}: {failed.meta.reason}",
        proof=proof if carried else "a boot was faster than its line carries characters",
        cmdline=cell.boots[0].meta.cmdline,
        key=cell.boots[0].meta.key,
        values={
            "line": _line(cell.baud),
            "baud": cell.baud,
            "boots": len(cell.boots),
            "characters": characters,
            "goal_ns": goal,
            "low_ns": min(cell.goals_ns, default=None),
            "high_ns": max(cell.goals_ns, default=None),
            "unsure_ns": unsure_ns("wall", cell.goals_ns),
            "console_ns": added,
            "model_ns": model,
            "share": added / model if added is not None and model and model > _range(cell, unpaced) else None,
            "saved_ns": base - goal if quietened and base is not None and goal is not None else None,
            "model_saved_ns": model_base - model
            if quietened and model_base is not None and model is not None
            else None,
        },
    )


def _range(*cells: _Cell) -> int:
    """Return how far the boots of a cell lie apart at most: what is smaller than that, medians do not tell."""
    return max(max(cell.goals_ns, default=0) - min(cell.goals_ns, default=0) for cell in cells)


def _was_paced(boot: Recording, baud: int) -> bool:
    if not baud or boot.meta.goal_ns is None:
        return True
    least_ns = line_ns(max(0, boot.meta.console_bytes - _AHEAD), baud)
    return boot.meta.goal_ns >= _PACED_SHARE * least_ns


def _on(system: SystemDescription, baud: int) -> SystemDescription:
    return msgspec.structs.replace(system, machine=msgspec.structs.replace(system.machine, console_baud=baud))


def _line(baud: int) -> str:
    return f"{figures.count(baud)} baud" if baud else "not paced"
