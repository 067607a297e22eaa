# SPDX-License-Identifier: MIT
"""The goals of several quanta side by side."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.experiments.base import BaseFailedError
from bootlab.experiments.comparison import compare
from bootlab.experiments.quanta import Quanta
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription

SYSTEM = SystemDescription(name="box", kernel=Kernel(image="/k"), goal=Goal(console="g"), machine=Machine(cpus=4))
MS = 1_000_000
GOALS = {2000: 101 * MS, 5000: 100 * MS, None: 160 * MS}


class Boots:
    """A bench whose goals depend on the quantum; None: shared time."""

    def __init__(self, goals: dict[int | None, int | None]) -> None:
        self._goals = goals
        self.labels: list[str] = []

    def phase(self, *_: object) -> None:
        pass

    def submit(self, system: SystemDescription, label: str) -> SystemDescription:
        self.labels.append(label)
        return system

    def wait(self, system: SystemDescription) -> Recording:
        processors = system.processors
        goal_ns = self._goals[processors.quantum_ns]
        outcome = Outcome.HANG if goal_ns is None else Outcome.GOAL
        meta = Meta(outcome=outcome, reason="stands still", goal_ns=goal_ns, goal_insns=7, processors=processors)
        return Recording(meta=meta, lines=(), marks=())


def test_rows_and_headline():
    bench = Boots(GOALS)
    found = compare(Quanta(2000, 5000), bench, SYSTEM)
    assert [(row.title, row.ns("goal_ns"), row.ns("apart_ns")) for row in found.rows] == [
        ("4 processors, parallel, quantum 2 us", 101 * MS, 0),
        ("4 processors, parallel, quantum 5 us", 100 * MS, -1 * MS),
        ("4 processors, shared", 160 * MS, 59 * MS),
    ]
    assert found.headline == "the goals of 2 quanta are 1.000 ms apart (1.0 %)"
    assert len(bench.labels) == 3


def test_a_boot_without_goal_is_a_row_with_its_reason():
    found = compare(Quanta(2000, 5000), Boots(GOALS | {5000: None}), SYSTEM)
    assert [(row.ok, row.reason) for row in found.rows] == [(True, ""), (False, "stands still"), (True, "")]
    assert found.headline == "goal at 101.000 ms"
    with pytest.raises(BaseFailedError):
        compare(Quanta(2000), Boots(GOALS | {2000: None}), SYSTEM)


@pytest.mark.parametrize("quanta", [(), (99,), (2_000_000_000,), (5000, 5000)])
def test_rubbish_is_refused(quanta):
    with pytest.raises(UserError, match="quantum"):
        Quanta(*quanta)


def test_systems_without_a_quantum_are_refused():
    one = msgspec.structs.replace(SYSTEM, machine=Machine())
    with pytest.raises(UserError, match="one processor has no quantum"):
        compare(Quanta(2000), Boots(GOALS), one)
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    with pytest.raises(UserError, match="only exact mode"):
        compare(Quanta(2000), Boots(GOALS), free)
