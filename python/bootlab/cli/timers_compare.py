# SPDX-License-Identifier: MIT
"""`bootlab timers compare`: two systems, kernels or saved results under the same timers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab.cli.comparison import TableFiles, show
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option
from bootlab.cli.session import Kept, say
from bootlab.cli.timers_options import TimerRun
from bootlab.errors import MeasurementError, UserError

if TYPE_CHECKING:
    from bootlab.api import Results
    from bootlab.timers.comparison import TimerConfiguration


def compare(
    first: Annotated[
        Path,
        Argument(metavar="A", help="A system file, or a result saved with `timers stress --save`.", show_default=False),
    ],
    second: Annotated[
        Path | None,
        Argument(metavar="[B]", help="The system file or result to compare A with.", show_default=False),
    ] = None,
    *,
    with_: Annotated[
        list[str] | None,
        Option(
            names=("--with",),
            metavar="WORDS",
            help="Compare with A plus these kernel parameters (highres=off clocksource=hpet) or, if the kernel is "
            "built from source, kernel options (CONFIG_HZ_100=y). May be given more than once.",
        ),
    ] = None,
    repeat: Annotated[
        int,
        Option(least=1, most=50, help="Runs of each configuration. On a wall clock, a verdict needs at least 3."),
    ] = 2,
    run: TimerRun,
    files: TableFiles,
    asked: Kept,
) -> None:
    """Run the same timers in two or more configurations and compare the figures.

    In exact mode each is booted --repeat times, at least twice, and must give the same output every time. On a wall
    clock the runs alternate, and a rank test gives the verdict. Boots are kept: after an interruption the same command
    continues, and a rerun only prints.

    Example: bootlab timers compare system.toml --with highres=off --with nohz=off --scale 60
    """
    from bootlab.api import System  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.timers import booted, comparison, saved  # noqa: PLC0415

    if second is None and not with_:
        raise UserError("nothing to compare with", hint="name a second system or result, or --with highres=off")
    changes = [comparison.change_of(words) for words in with_ or ()]
    if changes and first.suffix != ".toml":
        raise UserError(f"{first} is a saved result: nothing in it can be changed", hint="--with needs a SYSTEM.toml")
    ends = [
        None
        if path is None or path.suffix == ".toml"
        else comparison.TimerConfiguration(name=path.name, results=(saved.load(path),))
        for path in (first, second)
    ]
    system_files = [path for path in (first, second) if path is not None and path.suffix == ".toml"]
    results: Results | None = None
    sides: list[TimerConfiguration] = []
    if system_files:
        with opened(system_files[0], asked) as system:
            others = [system.like(System.load(path).value) for path in system_files[1:]]
            groups = [[(one.name, one)] for one in (system, *others)]
            groups[0] += [(change.label, system.changed(change)) for change in changes]
            keep = system.begin_run("timers")

            def sink(made: list[TimerConfiguration]) -> None:
                nonlocal results
                if len(there := _in_order(ends, made)) > 1:
                    results = keep(comparison.compare(there))

            sides = booted.configurations(groups, run.request(), repeat, unequal=say, sink=sink)
    sides = _in_order(ends, sides)
    show(comparison.compare(sides), files, asked, results)
    unequal = [side.name for side in sides if side.equal is False]
    if unequal:
        raise MeasurementError(
            f"exact boots of {', '.join(unequal)} differ", hint="bootlab boot SYSTEM.toml --repeat 2 names the cause"
        )


def _in_order(ends: list[TimerConfiguration | None], made: list[TimerConfiguration]) -> list[TimerConfiguration]:
    """Return the sides in the order of the command: what was saved stands before or behind what was booted."""
    first, second = ends
    return [*([first] if first is not None else []), *made, *([second] if second is not None else [])]
