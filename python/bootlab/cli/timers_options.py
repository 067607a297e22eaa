"""Options that the verbs of the timer laboratory share, and what they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bootlab.errors import UserError
from bootlab.timers.classic import POPULATIONS
from bootlab.timers.request import Clock, Mode, Receiver

TimersOption = Annotated[
    str,
    typer.Option(
        "--timers",
        metavar="N[,N]...",
        help="Number of timers in each population. `classic`: the 13 populations of 2003, 1000 to 16000 timers.",
    ),
]
ModeOption = Annotated[
    Mode,
    typer.Option(
        "--mode",
        help="stress: periodic timers. burst: all timers expire at one instant. curves: cost of each call. churn: "
        "timers are created, rearmed and deleted during the run. limit: how many timers the system allows.",
    ),
]
SecondsOption = Annotated[float, typer.Option("--seconds", help="Length of each population's run, in seconds.")]
ScaleOption = Annotated[
    float,
    typer.Option(
        "--scale",
        help="Divide the classic intervals and the length of the run by this. The expected counts stay valid.",
    ),
]
IntervalOption = Annotated[
    str | None,
    typer.Option(
        "--interval",
        metavar="MIN:RANGE",
        help="Use random intervals of MIN to MIN+RANGE seconds instead of the classic ones.",
    ),
]
ClockOption = Annotated[Clock, typer.Option("--clock", help="The clock of the timers.")]
ReceiverOption = Annotated[
    Receiver,
    typer.Option(
        "--receiver",
        help="How expirations are received. With handler and thread, only totals are checked, because the program "
        "cannot tell when the kernel delivered each one.",
    ),
]
ThreadsOption = Annotated[
    int, typer.Option("--threads", min=1, max=64, help="Number of receiving threads for --receiver thread-id.")
]
AbsoluteOption = Annotated[bool, typer.Option("--absolute", help="Arm the timers with TIMER_ABSTIME.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, max=2**53, help="Seed of the random intervals.")]
SystemOption = Annotated[
    Path | None,
    typer.Argument(metavar="[SYSTEM.toml]", help="Boot this system and run inside it. Default: run on this machine.",
                   show_default=False),
]  # fmt: skip


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
