"""`bootlab timers compare`: two systems, kernels or saved results under the same timers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bootlab.cli.comparison import CsvOption, HtmlOption, MarkdownOption, show
from bootlab.cli.open_system import opened
from bootlab.cli.session import DEFAULT_STORE, JsonOption, StoreOption, err
from bootlab.cli.timers_options import (
    AbsoluteOption,
    ClockOption,
    IntervalOption,
    Receiver,
    ReceiverOption,
    ScaleOption,
    SecondsOption,
    SeedOption,
    TimerClock,
    TimersOption,
    request,
)
from bootlab.errors import MeasurementError, UserError

if TYPE_CHECKING:
    from bootlab.api import System
    from bootlab.timers.comparison import Configuration
    from bootlab.timers.request import StressRequest


def compare(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="A", help="A system file, or a result saved with `timers stress --save`.", show_default=False
        ),
    ],
    second: Annotated[
        Path | None,
        typer.Argument(metavar="[B]", help="The system file or result to compare A with.", show_default=False),
    ] = None,
    *,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="WORDS",
            help="Compare with A plus these kernel parameters (highres=off clocksource=hpet) or, if the kernel is "
            "built from source, kernel options (CONFIG_HZ_100=y). May be given more than once.",
        ),
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat", min=1, max=50, help="Runs of each configuration. On a wall clock, a verdict needs at least 3."
        ),
    ] = 2,
    timers: TimersOption = "1000",
    seconds: SecondsOption = 60,
    scale: ScaleOption = 1,
    interval: IntervalOption = None,
    clock: ClockOption = TimerClock.MONOTONIC,
    receiver: ReceiverOption = Receiver.SIGWAIT,
    absolute: AbsoluteOption = False,
    seed: SeedOption = 1,
    markdown: MarkdownOption = None,
    csv: CsvOption = None,
    html: HtmlOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Run the same timers in two or more configurations and compare the figures.

    In exact mode each is booted --repeat times, at least twice, and must give the same output every time. On a wall
    clock the runs alternate, and a rank test gives the verdict.

    Example: bootlab timers compare system.toml --with highres=off --with nohz=off --scale 60
    """
    from bootlab.timers import comparison, saved  # noqa: PLC0415 - `--help` must not wait for it

    if second is None and not with_:
        raise UserError("nothing to compare with", hint="name a second system or result, or --with highres=off")
    changes = [comparison.change_of(words) for words in with_ or ()]
    wanted = request(
        timers, seconds=seconds, scale=scale, between=interval, clock=clock, receiver=receiver, absolute=absolute,
        seed=seed,
    )  # fmt: skip
    sides: list[Configuration] = []
    for path in (first, second):
        if path is None:
            continue
        if path.suffix != ".toml":
            sides.append(comparison.Configuration(name=path.name, results=(saved.load(path),)))
            continue
        with opened(path, store=store, quiet=as_json) as system:
            variants = [(system.name, system)]
            if path == first:
                variants += [(change.label, system.changed(change)) for change in changes]
            sides += _booted(variants, wanted, repeat)
    show(comparison.compare(sides), markdown=markdown, csv=csv, html=html, as_json=as_json)
    unequal = [side.name for side in sides if side.equal is False]
    if unequal:
        raise MeasurementError(
            f"exact boots of {', '.join(unequal)} differ", hint="bootlab boot SYSTEM.toml --repeat 2 names the cause"
        )


def _booted(variants: list[tuple[str, System]], wanted: StressRequest, repeat: int) -> list[Configuration]:
    from bootlab.timers import booted  # noqa: PLC0415
    from bootlab.timers.comparison import Configuration  # noqa: PLC0415

    exact = all(system.value.clock.mode == "exact" for _, system in variants)
    if exact:
        made = []
        for name, system in variants:
            # Never once: a system that does not boot alike twice has no figures to compare.
            results, equality = booted.repeat(system, wanted, max(repeat, 2))
            if not equality.equal:
                causes = "; ".join(equality.causes) or "none of the known causes is there"
                err().print(f"{name}: {equality.difference}; likely cause: {causes}", markup=False, soft_wrap=True)
            made.append(Configuration(name=name, results=results, equal=equality.equal))
        return made
    # Blocks: a drift of the machine hits all alike.
    rows = [[booted.stress(system, wanted, fresh=True) for _, system in variants] for _ in range(repeat)]
    return [
        Configuration(name=name, results=tuple(row[column] for row in rows))
        for column, (name, _) in enumerate(variants)
    ]
