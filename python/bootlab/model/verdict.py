# SPDX-License-Identifier: MIT
"""What an experiment decided about one variant."""

from __future__ import annotations

import enum
from typing import Literal

import msgspec

from bootlab.model.change import Change
from bootlab.model.costs import TurningPoint
from bootlab.model.recording import ONE_NOISY_BOOT_NS, Outcome
from bootlab.model.sample import Spread


class Verdict(enum.StrEnum):
    """The answer of one experiment."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    DEPENDS = "depends on the board"
    UNKNOWN = "unknown"
    NO_EFFECT = "no effect shown"
    BROKEN = "broken"
    NOT_APPLICABLE = "not applicable"
    NOT_BOOTED = "not booted"


class Effect(msgspec.Struct, frozen=True):
    """Proof from the recordings that a change was active in the booted system, or why there is none.

    `each`: of several changes that were tried together, the evidence of each, by its id.
    """

    shown: bool
    evidence: str
    each: dict[str, str] = {}


class StageDelta(msgspec.Struct, frozen=True):
    """One stage's length before and after, in virtual nanoseconds."""

    stage: str
    before_ns: int | None
    after_ns: int | None


class StageVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One stage, judged alone by its lengths in several boots of both sides (virtual nanoseconds)."""

    stage: str
    verdict: Verdict
    saved_ns: int
    """Median of the base minus median of the variant."""
    base_ns: tuple[int, ...]
    variant_ns: tuple[int, ...]


class Steady(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the boot in which both sides do the same things in the same order, judged at its last event.

    `until`: what ended it. "goal": nothing, it is the whole boot; "order": the events came in another order behind
    `event`; "dithers": the boots of one side already differ at `following`. Values are the times and instruction
    counts at which each boot reached `event`.
    """

    event: str
    until: Literal["goal", "order", "dithers"]
    following: str = ""
    verdict: Verdict
    insns_verdict: Verdict
    base_ns: tuple[int, ...]
    variant_ns: tuple[int, ...]
    base_insns: tuple[int, ...]
    variant_insns: tuple[int, ...]

    @property
    def saved_ns(self) -> int:
        """Time saved by then, median against median."""
        return _middle(self.base_ns) - _middle(self.variant_ns)

    @property
    def saved_insns(self) -> int:
        """Instructions saved by then, median against median."""
        return _middle(self.base_insns) - _middle(self.variant_insns)


HoldKind = Literal["jumps", "absorbs", "turns", "shorter"]


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """A wait that decides when the goal comes, and what comes before it judged instead.

    `after`, `before`: the console lines or marks around it. `kind`: "jumps" where the wait's length differs between
    boots that differ in nothing that matters, "absorbs" where it takes back what the change saved before it, "turns"
    where the variant comes later and leaves earlier (or the other way round); these three decide nothing about the
    change. "shorter": the wait itself differs, which may be the change's doing.
    `idle_ns`: the shortest and the longest that the machine stood still there. `period_ns`: of the grid that its end
    lies on, where the jumps show one. `base_ns`, `variant_ns`: when each boot came to the wait.
    """

    after: str
    before: str
    kind: HoldKind
    idle_ns: tuple[int, int]
    idle_saved_ns: int = 0
    """How much shorter the machine stood still there, median against median."""
    period_ns: int | None = None
    base_ns: tuple[int, ...]
    variant_ns: tuple[int, ...] = ()
    verdict: Verdict = Verdict.UNKNOWN
    """Of what comes before the wait."""

    @property
    def decides(self) -> bool:
        """Tell whether the goal's time says nothing about the change, so that what comes before the wait is judged."""
        return self.kind != "shorter"

    @property
    def saved_ns(self) -> int | None:
        """Time saved before the wait, median against median; None without a variant."""
        return _middle(self.base_ns) - _middle(self.variant_ns) if self.variant_ns else None


def _middle(values: tuple[int, ...]) -> int:
    import statistics  # noqa: PLC0415 - its import delays the start of verbs that judge nothing

    return round(statistics.median(values))


class OnBoard(msgspec.Struct, frozen=True, kw_only=True):
    """A change by the board's time: exact time plus what the board's costs add, with an interval. Nanoseconds.

    The first of two values is where the change saves least. `verdict`: faster or slower only where it is so at both.
    """

    verdict: Verdict
    saved_ns: tuple[int, int]
    base_ns: tuple[int, int]
    goal_ns: tuple[int, int]
    turns: tuple[TurningPoint, ...] = ()
    """From where on it pays, each with all else as the board has it."""

    def turns_text(self, subject: str) -> str:
        """Say where the sign turns; "" where it does not."""
        return "; ".join(point.text(subject) for point in self.turns)


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One variant compared with its base: numbers, proof, verdict. `key` names the recording."""

    change: Change
    """The change that makes the base into the variant."""
    verdict: Verdict
    base_key: str
    """The base's recording."""
    key: str | None = None
    """The variant's recording; null if it was not booted."""
    outcome: Outcome | None = None
    """How the variant's boot ended."""
    base_ns: int | None = None
    """Power-on to goal of the base, nanoseconds; null if the goal was not reached."""
    goal_ns: int | None = None
    """The same of the variant."""
    base_insns: int | None = None
    """Instructions that the base executed up to its goal."""
    goal_insns: int | None = None
    """The same of the variant."""
    effect: Effect | None = None
    """The proof that the change was active; null if it was not looked for."""
    reason: str = ""
    """Why this verdict, in a sentence."""
    stages: tuple[StageDelta, ...] = ()
    """The length of each stage on both sides."""
    console_bytes: int = 0
    """Characters that the variant printed up to its goal."""
    base_console_bytes: int = 0
    """The same of the base."""
    artefact_bytes: dict[str, int] = {}
    """Size of each artefact of the variant (`kernel`, `initramfs`), bytes."""
    samples_ns: tuple[int, ...] = ()
    """Every goal time of the variant, nanoseconds."""
    base_samples_ns: tuple[int, ...] = ()
    """Every goal time of the base, nanoseconds."""
    base_spread: Spread | None = None
    """The times of the base's goal under dithers (exact mode); `base_ns` is the median."""
    spread: Spread | None = None
    """The times of the variant's goal; `goal_ns` is the median. `boots`: how many boots the verdict rests on."""
    error_rate: float | None = None
    """The highest rate at which the rule calls a change without meaning faster or slower (exact mode)."""
    p_value: float | None = None
    """Of the rank test (free mode)."""
    interval_ns: tuple[int, int] | None = None
    """95 % interval of the time saved, nanoseconds (free mode); null of fewer than six blocks, which carry none."""
    stage_verdicts: tuple[StageVerdict, ...] = ()
    """The verdict of each stage alone, if base and variant were booted under several dithers."""
    steady: Steady | None = None
    """What was saved up to the point where the schedules first differ."""
    hold: Hold | None = None
    """The wait that decides when the goal comes, if there is one."""
    board: OnBoard | None = None
    """The same by the board's time; null without costs of a board."""

    @property
    def decision(self) -> Verdict:
        """The verdict that decides: by the board's time where its costs are given."""
        return self.verdict if self.board is None else self.board.verdict

    @property
    def before_wait(self) -> bool:
        """Whether it is faster or slower up to a wait that decides when the goal comes: the goal's time is no gain."""
        told = self.verdict in {Verdict.FASTER, Verdict.SLOWER}
        return told and self.hold is not None and self.hold.decides

    @property
    def decided_ns(self) -> int | None:
        """What the deciding time says is saved at least; None when one of the two never came."""
        return self.saved_ns if self.board is None else self.board.saved_ns[0]

    @property
    def saved_ns(self) -> int | None:
        """Time saved against the base (negative: lost); None when one of the two never came."""
        if self.base_ns is None or self.goal_ns is None:
            return None
        return self.base_ns - self.goal_ns

    @property
    def unsure_ns(self) -> int:
        """How far the time saved is unsure on a clock that does not repeat: its interval, else how far boots range."""
        if self.interval_ns is not None:
            return self.interval_ns[1] - self.interval_ns[0]
        several = (side for side in (self.base_samples_ns, self.samples_ns) if len(side) > 1)
        return max((max(side) - min(side) for side in several), default=ONE_NOISY_BOOT_NS)
