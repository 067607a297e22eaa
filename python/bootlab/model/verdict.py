"""What an experiment decided about one variant."""

from __future__ import annotations

import enum

import msgspec

from bootlab.model.change import Change
from bootlab.model.recording import Outcome


class Verdict(enum.StrEnum):
    """The answer of one experiment."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNKNOWN = "unknown"
    NO_EFFECT = "no effect shown"
    BROKEN = "broken"
    NOT_APPLICABLE = "not applicable"
    NOT_BOOTED = "not booted"


class Effect(msgspec.Struct, frozen=True):
    """Proof out of the recordings that a change was active in the booted system, or why there is none."""

    shown: bool
    evidence: str


class StageDelta(msgspec.Struct, frozen=True):
    """One stage's length before and after, in virtual nanoseconds."""

    stage: str
    before_ns: int | None
    after_ns: int | None


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One variant against its base: numbers, proof, verdict. `key` leads to the recording."""

    change: Change
    verdict: Verdict
    base_key: str
    key: str | None = None
    outcome: Outcome | None = None
    base_ns: int | None = None
    goal_ns: int | None = None
    base_insns: int | None = None
    goal_insns: int | None = None
    effect: Effect | None = None
    reason: str = ""
    stages: tuple[StageDelta, ...] = ()
    console_bytes: int = 0
    base_console_bytes: int = 0
    artefact_bytes: dict[str, int] = {}
    samples_ns: tuple[int, ...] = ()
    base_samples_ns: tuple[int, ...] = ()
    p_value: float | None = None
    interval_ns: tuple[int, int] | None = None

    @property
    def saved_ns(self) -> int | None:
        """Time saved against the base (negative: lost); None when one of the two never came."""
        if self.base_ns is None or self.goal_ns is None:
            return None
        return self.base_ns - self.goal_ns
