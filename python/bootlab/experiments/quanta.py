# SPDX-License-Identifier: MIT
"""Whether a result depends on the quantum: one system on several processors, booted with more than one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from bootlab.errors import UserError
from bootlab.experiments.base import require_goal
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import Experiment
from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, LeftOut, Row
from bootlab.model.processors import QUANTUM_RANGE_NS
from bootlab.model.system import SystemDescription


class Quanta(Experiment):
    """The system with each quantum, one boot each; then with the sum of all work as its time."""

    kind: ClassVar[str] = "quanta"
    phase: ClassVar[str] = "quanta"
    exact_only: ClassVar[str] = "only exact mode has a quantum"
    note: ClassVar[str] = (
        "Each quantum is one schedule of the same system, exact by itself. A gain that is smaller than the goals' "
        "distance may be the schedule's, not the system's. Shared: virtual time is the sum of what all execute."
    )
    columns = (
        Column(key="title", title="processors"),
        Column(key="goal_ns", title="goal", kind="ms", under="ms"),
        Column(key="apart_ns", title="from the first", kind="signed-ms", under="ms"),
        Column(key="insns", title="instructions of all", kind="count"),
    )

    def __init__(self, *quanta_ns: int) -> None:
        """Take the quanta in nanoseconds. Raise UserError for one that is out of range or there twice."""
        low, high = QUANTUM_RANGE_NS
        wrong = next((q for q in quanta_ns if not low <= q <= high), None)
        if wrong is not None or not quanta_ns or len(set(quanta_ns)) < len(quanta_ns):
            said = (
                f"{wrong} ns is not a valid quantum"
                if wrong is not None
                else "give at least one quantum, and each only once"
            )
            raise UserError(said, hint=f"nanoseconds between {low} and {high}: --quantum 2000,5000,20000")
        self._quanta_ns = quanta_ns
        self.most_boots = len(quanta_ns) + 1

    def check(self, system: SystemDescription) -> None:
        """Refuse free mode and one processor."""
        super().check(system)
        if system.processors.count == 1:
            raise UserError(
                "a machine with one processor has no quantum", hint="set machine.cpus to the board's number"
            )

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot each. Raise BaseFailedError if the first has no goal."""
        clocks = [
            msgspec.structs.replace(system.clock, processors="parallel", quantum_ns=quantum_ns)
            for quantum_ns in self._quanta_ns
        ]
        clocks.append(msgspec.structs.replace(system.clock, processors="shared"))
        systems = [msgspec.structs.replace(system, clock=clock) for clock in clocks]
        flying = [(other, bench.submit(other, other.processors.text)) for other in systems]
        first = bench.wait(flying[0][1])
        require_goal(first)
        for other, future in flying:
            boot = bench.wait(future)
            goal_ns = boot.meta.goal_ns
            yield Row(
                id=other.processors.text,
                title=other.processors.text,
                ok=boot.ok,
                reason="" if boot.ok else boot.meta.reason,
                key=boot.meta.key,
                values={
                    "goal_ns": goal_ns,
                    "apart_ns": None if goal_ns is None else goal_ns - (first.meta.goal_ns or 0),
                    "insns": boot.meta.goal_insns,
                },
            )

    def headline(self, found: Comparison) -> str:
        """Say how far the goals of the quanta are apart."""
        goals = [goal for row in found.rows if "quantum" in row.id and (goal := row.ns("goal_ns")) is not None]
        if len(goals) < 2:
            return f"goal at {figures.ms(goals[0])} ms" if goals else "no boot reached the goal"
        apart = max(goals) - min(goals)
        return (
            f"the goals of {len(goals)} quanta are {figures.ms(apart)} ms apart ({figures.percent(apart, min(goals))})"
        )
