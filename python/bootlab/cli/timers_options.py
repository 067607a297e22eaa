# SPDX-License-Identifier: MIT
"""Options that the verbs of the timer laboratory share, and what they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from bootlab.cli.options import Argument, Group, Option
from bootlab.errors import UserError
from bootlab.timers.classic import POPULATIONS
from bootlab.timers.request import Clock, Receiver, StressRequest

SystemOption = Annotated[
    Path | None,
    Argument(
        metavar="[SYSTEM.toml]",
        help="Boot this system and run inside it. Default: run on this machine.",
        show_default=False,
    ),
]


class TimerRun(Group):
    """How many timers run, for how long, and how their expirations are received."""

    timers: Annotated[
        str,
        Option(
            metavar="N[,N]...",
            help="Number of timers in each population. `classic`: the 13 populations of 2003, 1000 to 16000 timers.",
        ),
    ] = "1000"
    seconds: Annotated[float, Option(help="Length of each population's run, in seconds.")] = 60
    scale: Annotated[
        float,
        Option(help="Divide the classic intervals and the length of the run by this. The expected counts stay valid."),
    ] = 1
    interval: Annotated[
        str | None,
        Option(
            metavar="MIN:RANGE",
            help="Use random intervals of MIN to MIN+RANGE seconds instead of the classic ones.",
        ),
    ] = None
    clock: Annotated[Clock, Option(help="The clock of the timers.")] = "monotonic"
    receiver: Annotated[
        Receiver,
        Option(
            help="How expirations are received. With handler and thread, only totals are checked, because the program "
            "cannot tell when the kernel delivered each one.",
        ),
    ] = "sigwait"
    absolute: Annotated[bool, Option(help="Arm the timers with TIMER_ABSTIME.")] = False
    seed: Annotated[int, Option(least=0, most=2**53, help="Seed of the random intervals.")] = 1

    def request(self, **more: Any) -> StressRequest:
        """Return what the options ask for; `more`: further fields of the request. Raise UserError."""
        return StressRequest(
            populations=populations(self.timers),
            seconds=self.seconds,
            scale=self.scale,
            interval_s=interval_s(self.interval),
            clock=self.clock,
            receiver=self.receiver,
            absolute=self.absolute,
            seed=self.seed,
            **more,
        )


def populations(text: str) -> tuple[int, ...]:
    """Read `--timers`. Raise UserError."""
    if text == "classic":
        return POPULATIONS
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UserError(f"--timers {text!r}: not numbers", hint="--timers 1000,2000, or --timers classic") from None


def interval_s(text: str | None) -> tuple[float, float] | None:
    """Read `--interval`. Raise UserError."""
    if text is None:
        return None
    least, _, span = text.partition(":")
    try:
        found = float(least), float(span or 0)
    except ValueError:
        found = (0.0, 0.0)
    if not 1e-9 <= found[0] <= 1e6 or not 0 <= found[1] <= 1e6:
        raise UserError(f"--interval {text!r}: not MIN:RANGE in seconds", hint="--interval 0.005:0.065")
    return found
