"""`bootlab lpj`: preset loops per jiffy: read the value, test that presets work, see what they save, validate one."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from bootlab.cli.comparison import CsvOption, HtmlOption, MarkdownOption, show
from bootlab.cli.open_system import opened
from bootlab.cli.session import DEFAULT_STORE, JobsOption, JsonOption, StoreOption, out, print_json
from bootlab.errors import Found, MeasurementError, UserError

if TYPE_CHECKING:
    from bootlab.logs.delay_loop import DelayLoop
    from bootlab.logs.lpj_value import StoredLpj


class Action(enum.StrEnum):
    """What `bootlab lpj` does."""

    READ = "read"
    TEST = "test"
    RATES = "rates"
    VALIDATE = "validate"


class Way(enum.StrEnum):
    """How a preset is compiled in."""

    IN_FRONT = "in-front"
    FALLBACK = "fallback"
    APPENDED = "appended"


def lpj(
    action: Annotated[
        Action,
        typer.Argument(
            help="read: show the value of a boot. test: run the five tests of a preset. rates: show what a preset "
            "saves at each tick rate. validate: check that a stored value still fits."
        ),
    ],
    system_file: Annotated[
        Path | None, typer.Argument(metavar="[SYSTEM.toml]", help="The system file.", show_default=False)
    ] = None,
    *,
    log: Annotated[
        Path | None,
        typer.Option(help="read, validate: use this boot log instead of booting, for example of a real board."),
    ] = None,
    number: Annotated[int | None, typer.Option("--boot", min=1, help="Use boot number N of the log.")] = None,
    stored: Annotated[Path | None, typer.Option(help="validate: the file that `read --output` wrote.")] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=50.0,
            help="validate: accept a difference of this many percent. Default: 0.78, the precision of the calibration "
            "itself.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="read, validate: write the calibrated value to this file.")
    ] = None,
    way: Annotated[
        Way | None,
        typer.Option(help="test: how the preset is compiled in. Default: in a way that the command line overrides."),
    ] = None,
    rates_hz: Annotated[
        list[int] | None,
        typer.Option(
            "--hz", help="rates: try this tick rate, in Hz. May be given more than once. Default: 100, 250, 1000."
        ),
    ] = None,
    markdown: MarkdownOption = None,
    csv: CsvOption = None,
    html: HtmlOption = None,
    jobs: JobsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Read the kernel's loops per jiffy, test presetting it, see what that saves, or validate a stored value.

    The tests: without a preset the kernel calibrates; it takes a preset from the command line; it takes a compiled-in
    preset; the command line overrides the compiled-in one; lpj=0 on the command line makes it calibrate. Exit code 12:
    a test failed, or the stored value does not fit.

    Example: bootlab lpj validate --log boot.log --stored lpj.json
    """
    if action in {Action.READ, Action.VALIDATE}:
        _read_or_validate(
            action,
            system_file,
            log=(log, number),
            stored=stored,
            tolerance=tolerance,
            output=output,
            bench=(store, jobs),
            as_json=as_json,
        )
        return
    if system_file is None or log is not None:
        raise UserError(f"`bootlab lpj {action.value}` boots a system", hint=f"bootlab lpj {action.value} SYSTEM.toml")
    from bootlab.experiments.lpj import LpjRates, LpjTests  # noqa: PLC0415 - `--help` must not wait for it

    testing = action is Action.TEST
    experiment = LpjTests(way.value if way else None) if testing else LpjRates(*(rates_hz or ()))
    with opened(system_file, store=store, jobs=jobs, quiet=as_json) as system:
        results = system.compare(experiment)
    found = results.comparison
    show(found, results, markdown=markdown, section=found.kind, csv=csv, html=html, as_json=as_json)
    if testing and not found.sound:
        raise typer.Exit(Found.NOT_SO)


def _read_or_validate(
    action: Action,
    system_file: Path | None,
    *,
    log: tuple[Path | None, int | None],
    stored: Path | None,
    tolerance: float | None,
    output: Path | None,
    bench: tuple[Path, int | None],
    as_json: bool,
) -> None:
    from bootlab.logs import lpj_value  # noqa: PLC0415
    from bootlab.store import lpj_file  # noqa: PLC0415
    from bootlab.views.run import lpj_text  # noqa: PLC0415

    if (log[0] is None) == (system_file is None):
        raise UserError("give either a system file or --log", hint=f"bootlab lpj {action.value} --log boot.log")
    if action is Action.VALIDATE and stored is None:
        raise UserError(
            "there is nothing to validate", hint="--stored lpj.json   (bootlab lpj read SYSTEM.toml --output lpj.json)"
        )
    known = lpj_file.load(stored) if stored is not None else None
    found, fresh = _look(action, system_file, log, bench, as_json=as_json)
    if output is not None and found.source == "measured":
        lpj_file.save(fresh, output)
        sys.stderr.write(f"wrote {output}\n")
    if known is None:
        if output is not None and found.source != "measured":
            raise MeasurementError(
                f"lpj={found.lpj} was not measured in this boot, so it is not stored",
                hint="boot without lpj= on the command line, or with lpj=0",
            )
        if as_json:
            print_json({"lpj": found.lpj, "source": found.source, "cost_ns": found.cost_ns, "stored": fresh})
        else:
            out().print(lpj_text.value(found))
        return
    said = lpj_value.validate(
        known,
        found,
        machine=fresh.machine,
        shift=fresh.shift,
        tolerance=lpj_value.TOLERANCE if tolerance is None else tolerance / 100,
    )
    if said.judgement == "cannot-tell":
        raise MeasurementError(
            f"whether lpj={known.lpj} fits is unknown: {said.reason}",
            hint="boot with lpj=0 at the end of the command line, and give that log",
        )
    if as_json:
        print_json({"format": "bootlab-lpj-validation", "version": 1, "fits": said.fits, **msgspec.to_builtins(said)})
    else:
        out().print(lpj_text.validation(said))
    if not said.fits:
        raise typer.Exit(Found.NOT_SO)


def _look(
    action: Action,
    system_file: Path | None,
    log: tuple[Path | None, int | None],
    bench: tuple[Path, int | None],
    *,
    as_json: bool,
) -> tuple[DelayLoop, StoredLpj]:
    from bootlab.logs.delay_loop import read_log  # noqa: PLC0415
    from bootlab.logs.lpj_value import stored_from  # noqa: PLC0415

    if log[0] is not None:
        found = read_log(log[0], log[1])
        return found, stored_from(found, origin=log[0].name)
    if system_file is None:
        raise UserError("no system file", hint="bootlab lpj read SYSTEM.toml")
    with opened(system_file, store=bench[0], jobs=bench[1], quiet=as_json) as system:
        booted = system.delay_loop(anew=action is Action.VALIDATE)
        return booted.found, booted.stored(system.value)
