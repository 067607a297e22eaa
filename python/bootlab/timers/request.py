# SPDX-License-Identifier: MIT
"""What a run of timerstress shall do, and the arguments that ask for it (guest/timers/options.c)."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.errors import UserError

Mode = Literal["stress", "burst", "curves", "churn", "limit"]
Receiver = Literal["sigwait", "handler", "signalfd", "thread-id", "thread", "timerfd"]
Clock = Literal["realtime", "monotonic", "boottime", "tai", "process", "thread"]


class StressRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A run. `scale` divides the classic intervals and the length; `interval_s` (least, range) replaces them."""

    populations: tuple[int, ...] = (1000,)
    mode: Mode = "stress"
    seconds: float = 60.0
    scale: float = 1.0
    interval_s: tuple[float, float] | None = None
    clock: Clock = "monotonic"
    receiver: Receiver = "sigwait"
    threads: int = 2
    absolute: bool = False
    seed: int = 1
    late_s: float = 0.001
    plants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what the program would refuse, before anything is built or booted."""
        if (
            not self.populations
            or not all(0 <= n <= 10_000_000 for n in self.populations)
            or len(self.populations) > 64
        ):
            raise UserError("populations are 1 to 64 numbers of timers, each up to 10000000", hint="--timers 1000,2000")
        if not 0.001 <= self.seconds <= 1e6 or not 0.01 <= self.scale <= 1e6:
            raise UserError("a run takes 0.001 to 1000000 s, scaled by 0.01 to 1000000", hint="--seconds 60 --scale 60")

    @property
    def run_s(self) -> float:
        """How long one population is watched, in seconds."""
        return self.seconds / self.scale if self.interval_s is None or self.mode == "churn" else self.seconds

    @property
    def total_s(self) -> float:
        """How long everything takes at least: each population, and the run without a timer."""
        return self.run_s * (len(self.populations) + 1) if self.mode in {"stress", "churn"} else 10.0

    def arguments(self) -> tuple[str, ...]:
        """Return the program's arguments."""
        words = [self.mode, "--timers", ",".join(str(n) for n in self.populations)]
        words += ["--seconds", f"{self.seconds:.9g}", "--scale", f"{self.scale:.9g}"]
        if self.interval_s is not None:
            words += ["--interval", f"{self.interval_s[0]:.9g}:{self.interval_s[1]:.9g}"]
        words += ["--clock", self.clock, "--receiver", self.receiver, "--threads", str(self.threads)]
        words += ["--seed", str(self.seed), "--late", f"{self.late_s:.9g}"]
        words += ["--absolute"] if self.absolute else []
        for plant in self.plants:
            words += ["--plant", plant]
        return tuple(words)
