# SPDX-License-Identifier: MIT
"""Whether a gain on several processors stands with another quantum too: the same systems, booted with two more."""

from __future__ import annotations

import msgspec

from bootlab.experiments.bench import Bench
from bootlab.model.processors import Processors, QuantumGoal
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Trial, Verdict

BASE = "base"
STACKED = "stacked"
_MOST = 12
"""Winners that are booted so, the largest savings first: each takes two boots more."""


def goals_at_other_quanta(
    bench: Bench, processors: Processors, systems: tuple[tuple[str, SystemDescription], ...]
) -> tuple[QuantumGoal, ...]:
    """Boot each system once with its own quantum, which the store has, and with a shorter and a longer one.

    `processors`: the base's. () where they have no quantum, or the target is a replay.
    """
    others = processors.other_quanta_ns()
    if not others or not systems or systems[0][1].target == "replay":
        return ()
    bench.phase("other quanta", len(others) * len(systems))
    quanta_ns = sorted((*others, processors.quantum_ns or 0))
    flying = [
        (subject, quantum_ns, bench.submit(_with(system, quantum_ns), f"{subject} (quantum {quantum_ns / 1000:g} us)"))
        for subject, system in systems
        for quantum_ns in quanta_ns
    ]
    goals = []
    for subject, quantum_ns, future in flying:
        boot = bench.wait(future)
        meta = boot.meta
        goals.append(
            QuantumGoal(
                subject=subject,
                quantum_ns=quantum_ns,
                goal_ns=meta.goal_ns if boot.ok else None,
                reason="" if boot.ok else f"{meta.outcome.value}: {meta.reason}",
                key=meta.key,
            )
        )
    return tuple(goals)


def winning_systems(base: SystemDescription, trials: tuple[Trial, ...]) -> tuple[tuple[str, SystemDescription], ...]:
    """Return the base and the variants that were called faster, the largest saving first."""
    faster = sorted((t for t in trials if t.verdict is Verdict.FASTER), key=lambda t: -(t.saved_ns or 0))
    return ((BASE, base), *((t.change.id, t.change.apply(base)) for t in faster[:_MOST]))


def _with(system: SystemDescription, quantum_ns: int) -> SystemDescription:
    clock = msgspec.structs.replace(system.clock, quantum_ns=quantum_ns)
    return msgspec.structs.replace(system, clock=clock)
