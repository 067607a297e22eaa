# SPDX-License-Identifier: MIT
"""`bootlab lpj`: preset loops per jiffy: read the value, test that presets work, see what they save, validate one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from bootlab.cli.comparison import TableFiles, compare
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option
from bootlab.cli.session import Booting, out, print_json
from bootlab.errors import Found, MeasurementError, UserError

if TYPE_CHECKING:
    from bootlab.api.loops_per_jiffy import DelayLoop, StoredLpj


Action = Literal["read", "test", "rates", "validate"]


def lpj(
    action: Annotated[
        Action,
        Argument(
            help="read: show the value of a boot. test: run the five tests of a preset. rates: show what a preset "
            "saves at each tick rate. validate: check that a stored value still fits."
        ),
    ],
    system_file: Annotated[
        Path | None, Argument(metavar="[SYSTEM.toml]", help="The system file.", show_default=False)
    ] = None,
    *,
    log: Annotated[
        Path | None,
        Option(help="read, validate: use this boot log instead of booting, for example of a real board."),
    ] = None,
    number: Annotated[int | None, Option(names=("--boot",), least=1, help="Use boot number N of the log.")] = None,
    stored: Annotated[Path | None, Option(help="validate: the file that `read --output` wrote.")] = None,
    tolerance: Annotated[
        float | None,
        Option(
            least=0.01,
            most=50.0,
            help="validate: accept a difference of this many percent. Default: 0.78, the precision of the calibration "
            "itself.",
        ),
    ] = None,
    output: Annotated[Path | None, Option(help="read, validate: write the calibrated value to this file.")] = None,
    way: Annotated[
        Literal["in-front", "fallback", "appended"] | None,
        Option(help="test: how the preset is compiled in. Default: in a way that the command line overrides."),
    ] = None,
    rates_hz: Annotated[
        list[int] | None,
        Option(
            names=("--hz",),
            help="rates: try this tick rate, in Hz. May be given more than once. Default: 100, 250, 1000.",
        ),
    ] = None,
    files: TableFiles,
    asked: Booting,
) -> None:
    """Read the kernel's loops per jiffy, test presetting it, see what that saves, or validate a stored value.

    The tests: without a preset the kernel calibrates; it takes a preset from the command line; it takes a compiled-in
    preset; the command line overrides the compiled-in one; lpj=0 on the command line makes it calibrate. Exit code 12:
    a test failed, or the stored value does not fit.

    Example: bootlab lpj validate --log boot.log --stored lpj.json
    """
    if action in {"read", "validate"}:
        _read_or_validate(action, system_file, (log, number), asked, stored=stored, tolerance=tolerance, output=output)
        return
    if system_file is None or log is not None:
        raise UserError(f"`bootlab lpj {action}` boots a system", hint=f"bootlab lpj {action} SYSTEM.toml")
    from bootlab.api.comparisons import LpjRates, LpjTests  # noqa: PLC0415 - `--help` must not wait for it

    experiment = LpjTests(way) if action == "test" else LpjRates(*(rates_hz or ()))
    found = compare(system_file, experiment, files, asked, section=experiment.kind)
    if action == "test" and not found.sound:
        raise SystemExit(Found.NOT_SO)


def _read_or_validate(
    action: Action,
    system_file: Path | None,
    log: tuple[Path | None, int | None],
    asked: Booting,
    *,
    stored: Path | None,
    tolerance: float | None,
    output: Path | None,
) -> None:
    from bootlab.api import loops_per_jiffy as values  # noqa: PLC0415
    from bootlab.views.run import lpj_text  # noqa: PLC0415

    if (log[0] is None) == (system_file is None):
        raise UserError("give either a system file or --log", hint=f"bootlab lpj {action} --log boot.log")
    if action == "validate" and stored is None:
        raise UserError(
            "there is nothing to validate", hint="--stored lpj.json   (bootlab lpj read SYSTEM.toml --output lpj.json)"
        )
    known = values.load(stored) if stored is not None else None
    found, fresh = _look(action, system_file, log, asked)
    if output is not None and found.source == "measured":
        values.save(fresh, output)
        sys.stderr.write(f"wrote {output}\n")
    if known is None:
        if output is not None and found.source != "measured":
            raise MeasurementError(
                f"lpj={found.lpj} was not measured in this boot, so it is not stored",
                hint="boot without lpj= on the command line, or with lpj=0",
            )
        if asked.as_json:
            print_json({"lpj": found.lpj, "source": found.source, "cost_ns": found.cost_ns, "stored": fresh})
        else:
            out().print(lpj_text.value(found))
        return
    said = values.validate(
        known,
        found,
        machine=fresh.machine,
        shift=fresh.shift,
        tolerance=values.TOLERANCE if tolerance is None else tolerance / 100,
    )
    if said.judgement == "cannot-tell":
        raise MeasurementError(
            f"whether lpj={known.lpj} fits is unknown: {said.reason}",
            hint="boot with lpj=0 at the end of the command line, and give that log",
        )
    if asked.as_json:
        print_json({"format": "bootlab-lpj-validation", "version": 1, "fits": said.fits, **msgspec.to_builtins(said)})
    else:
        out().print(lpj_text.validation(said))
    if not said.fits:
        raise SystemExit(Found.NOT_SO)


def _look(
    action: Action,
    system_file: Path | None,
    log: tuple[Path | None, int | None],
    asked: Booting,
) -> tuple[DelayLoop, StoredLpj]:
    from bootlab.api.loops_per_jiffy import read_log, stored_from  # noqa: PLC0415

    if log[0] is not None:
        found = read_log(log[0], log[1])
        return found, stored_from(found, origin=log[0].name)
    if system_file is None:
        raise UserError("no system file", hint="bootlab lpj read SYSTEM.toml")
    with opened(system_file, asked) as system:
        booted = system.delay_loop(anew=action == "validate")
        return booted.found, booted.stored(system.value)
