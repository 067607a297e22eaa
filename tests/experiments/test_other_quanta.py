# SPDX-License-Identifier: MIT
"""Gains on several processors are looked at with other quanta too, and told by every writer."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.experiments.other_quanta import goals_at_other_quanta, winning_systems
from bootlab.model.change import Change, SetParam
from bootlab.model.processors import Processors, QuantumGoal, saved_at, turned_at
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription
from bootlab.model.verdict import Effect, Trial, Verdict
from bootlab.results.assemble import quantum_notes
from bootlab.results.document import BootSummary, RunDocument
from bootlab.views.run import markdown, tables, terminal
from bootlab.views.run.page_data import page_data
from tests.rendered import to_text

SYSTEM = SystemDescription(name="box", kernel=Kernel(image="/k"), goal=Goal(console="g"), machine=Machine(cpus=4))
FOUR = Processors(count=4, mode="parallel", quantum_ns=5000)
MS = 1_000_000


def trial(technique: str, verdict: Verdict, saved_ns: int) -> Trial:
    change = Change(technique=technique, ops=(SetParam(technique),))
    return Trial(
        change=change,
        verdict=verdict,
        base_key="b",
        base_ns=100 * MS,
        goal_ns=100 * MS - saved_ns,
        base_insns=1,
        effect=Effect(shown=True, evidence=""),
    )


class Boots:
    """A bench whose goals depend on quantum and command line; every boot that was asked for is in `asked`."""

    def __init__(self, goals: dict[tuple[str, int], int | None]) -> None:
        self._goals = goals
        self.asked: list[tuple[str, int]] = []
        self.expected = 0

    def phase(self, _: str, expected: int) -> None:
        self.expected = expected

    def submit(self, system: SystemDescription, label: str) -> SystemDescription:
        self.asked.append((label, system.clock.quantum_ns))
        return system

    def wait(self, system: SystemDescription) -> Recording:
        goal_ns = self._goals[str(system.cmdline), system.clock.quantum_ns]
        outcome = Outcome.HANG if goal_ns is None else Outcome.GOAL
        return Recording(
            meta=Meta(outcome=outcome, reason="stands still", goal_ns=goal_ns, key="k"), lines=(), marks=()
        )


TRIALS = (
    trial("slower", Verdict.SLOWER, -5 * MS),
    trial("small", Verdict.FASTER, 1 * MS),
    trial("large", Verdict.FASTER, 30 * MS),
)
GOALS = {
    ("", 2000): 101 * MS,
    ("", 5000): 100 * MS,
    ("", 20000): 103 * MS,
    ("large", 2000): 70 * MS,
    ("large", 5000): 70 * MS,
    ("large", 20000): None,
    ("small", 2000): 100 * MS,
    ("small", 5000): 99 * MS,
    ("small", 20000): 104 * MS,
}


def found() -> tuple[QuantumGoal, ...]:
    return goals_at_other_quanta(Boots(GOALS), FOUR, winning_systems(SYSTEM, TRIALS))


def test_base_and_winners_are_booted_with_a_shorter_and_a_longer_quantum():
    bench = Boots(GOALS)
    goals = goals_at_other_quanta(bench, FOUR, winning_systems(SYSTEM, TRIALS))
    assert bench.asked == [
        (f"{subject} (quantum {q // 1000} us)", q)
        for subject in ("base", "large", "small")
        for q in (2000, 5000, 20000)
    ]
    assert bench.expected == 6, "with the own quantum it was booted before"
    assert [goal.goal_ns for goal in goals] == list(GOALS.values())
    assert saved_at(goals, "large", 2000) == 31 * MS
    assert saved_at(goals, "large", 20000) is None
    assert turned_at(goals, "small", 5000) == (20000,)
    assert turned_at(goals, "large", 5000) == ()


@pytest.mark.parametrize(
    "processors", [Processors(), Processors(count=4, mode="shared"), msgspec.structs.replace(FOUR, alone=True)]
)
def test_without_a_quantum_nothing_is_booted(processors):
    bench = Boots({})
    assert goals_at_other_quanta(bench, processors, (("base", SYSTEM),)) == ()
    assert bench.asked == []


def test_a_replay_has_no_other_quanta():
    replayed = msgspec.structs.replace(SYSTEM, target="replay")
    assert goals_at_other_quanta(Boots({}), FOUR, (("base", replayed),)) == ()


def test_what_turns_is_said():
    spread, turned = quantum_notes(found(), FOUR)
    assert spread.startswith("the base's goals with quanta of 2, 5, 20 us lie 3.000 ms apart")
    assert turned.startswith("small: +1.000 ms saved with a quantum of 5 us, -1.000 ms with 20 us (one boot each)")


def test_every_writer_shows_them():
    results = RunDocument(
        kind="try",
        id="r",
        system_name="box",
        started="",
        finished="",
        base=BootSummary(goal_ns=100 * MS),
        trials=TRIALS,
        processors=FOUR,
        quanta=found(),
    )
    table = next(t for t in tables.comparison(results).tables if t.group == "quantum")
    assert table.columns == ("title", "quantum", "goal_ns", "saved_ns", "words")
    for text in (to_text(terminal.results_view(results), width=160), markdown.render(results)):
        assert "box on 4 processors, parallel, quantum 5 us" in text or "Mode: exact, 4 processors" in text
        assert "The same with other quanta, one boot each" in text
        assert "gain or loss depends on the schedule" in text
        assert "hang: stands still" in text
    rows = page_data(results, {})["tables"]["quantum"]["rows"]
    assert [tuple(value for _text, value in row[:4]) for row in rows][3:6] == [
        ("large", "2 us", 70 * MS, 31 * MS),
        ("large", "5 us", 70 * MS, 30 * MS),
        ("large", "20 us", None, None),
    ]
    again = msgspec.json.decode(msgspec.json.encode(results), type=RunDocument)
    assert again.quanta == results.quanta
