# SPDX-License-Identifier: MIT
"""How many processors a boot had, and whose time its clock is."""

from __future__ import annotations

from typing import Literal

import msgspec

ProcessorMode = Literal["parallel", "shared"]
"""`parallel`: each processor has a time of its own, at most a quantum apart from the others'. `shared`: virtual time is
the sum of what all of them execute."""

_ONE_UP = ", one brought up"
DEFAULT_QUANTUM_NS = 5000
QUANTUM_RANGE_NS = (100, 1_000_000_000)


class Processors(msgspec.Struct, frozen=True, kw_only=True):
    """The processors of one boot. `mode` is None with one processor, and where the host's clock counts.

    `quantum_ns`: how far the processors' times may be apart (parallel mode). `alone`: the kernel's command line leaves
    all but one off, so that both modes and every quantum are one clock.
    """

    count: int = 1
    mode: ProcessorMode | None = None
    quantum_ns: int | None = None
    alone: bool = False

    @property
    def parallel(self) -> bool:
        """Whether several of them execute at once: the instructions of a boot are then more than its time holds."""
        return self.count > 1 and self.mode == "parallel" and not self.alone

    @property
    def text(self) -> str:
        """How a report names them; empty for one processor."""
        if self.count == 1:
            return ""
        if self.alone:
            return f"{self.count} processors{_ONE_UP}"
        mode = "" if self.mode is None else f", {self.mode}"
        quantum = "" if self.quantum_ns is None else f", quantum {self.quantum_ns / 1000:g} us"
        return f"{self.count} processors{mode}{quantum}"

    @property
    def not_modelled(self) -> str:
        """What exact mode leaves out because of how the processors run, in a sentence."""
        if self.alone:
            return (
                f"The {self.count - 1} processors that the command line leaves off: bring them up after the goal only, "
                "or take their words off the command line."
            )
        if self.mode == "parallel":
            return (
                f"The competition of {self.count} processors for caches, memory bandwidth and the bus: parallel work "
                f"scales better than on a chip. Their times may be {(self.quantum_ns or 0) / 1000:g} us apart (the "
                "quantum): handing work to a running processor takes up to that, and races that are shorter have one "
                "fixed outcome. Compare boots of one quantum only."
            )
        if self.mode == "shared":
            return (
                f"Running in parallel: virtual time is the sum of what all {self.count} processors execute, so work "
                "that runs in parallel takes as long as one after the other."
            )
        return "More than one processor: this machine has one, so gains from parallel work do not show."

    def other_quanta_ns(self) -> tuple[int, ...]:
        """Return two quanta to look at beside this one: a shorter and a longer; () outside parallel mode."""
        if self.mode != "parallel" or self.quantum_ns is None or self.alone:
            return ()
        low, high = QUANTUM_RANGE_NS
        near = (max(low, self.quantum_ns * 2 // 5), min(high, self.quantum_ns * 4))
        return tuple(quantum_ns for quantum_ns in near if quantum_ns != self.quantum_ns)


class QuantumGoal(msgspec.Struct, frozen=True, kw_only=True):
    """Where the goal of one system came with one quantum, in one boot without dithers.

    `subject`: `base`, the id of a change, or `stacked`. `reason`: why it has no goal; `key`: of its recording.
    """

    subject: str
    quantum_ns: int
    goal_ns: int | None
    reason: str = ""
    key: str = ""


def saved_at(goals: tuple[QuantumGoal, ...], subject: str, quantum_ns: int) -> int | None:
    """Return what a subject saves against the base with the same quantum, nanoseconds; None where one is missing."""
    at = {(goal.subject, goal.quantum_ns): goal.goal_ns for goal in goals}
    base, own = at.get(("base", quantum_ns)), at.get((subject, quantum_ns))
    return None if base is None or own is None else base - own


def turned_at(goals: tuple[QuantumGoal, ...], subject: str, own_ns: int) -> tuple[int, ...]:
    """Return the quanta with which a subject's gain has another sign than with its own quantum."""
    own = saved_at(goals, subject, own_ns)
    others = dict.fromkeys(goal.quantum_ns for goal in goals if goal.subject == subject)
    return tuple(q for q in others if own is not None and own * (saved_at(goals, subject, q) or 0) < 0)


def why_not_compared(first: Processors, other: Processors) -> str:
    """Return why times of two boots must not be compared, because their clocks are those of different processors; "".

    A boot in which one processor runs alone has one clock in every mode: it is compared with any of as many processors.
    """
    if first == other:
        return ""
    return why_texts_differ(first.text, other.text)


def why_texts_differ(first: str, other: str) -> str:
    """Return the same for two boots of which only the texts of their processors are kept."""
    count, other_count = (text.partition(" ")[0] for text in (first, other))
    if first == other or (count == other_count and any(text.endswith(_ONE_UP) for text in (first, other))):
        return ""
    return f"boots on different processors are not compared: {first or '1 processor'} and {other or '1 processor'}"
