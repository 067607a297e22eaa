# SPDX-License-Identifier: MIT
"""`bootlab timers conform`: 90 assertions about the timer functions, each judged by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from bootlab.cli.files import write_files
from bootlab.cli.open_system import opened
from bootlab.cli.options import Option
from bootlab.cli.session import Kept, out, print_json, say
from bootlab.cli.timers_options import SystemOption
from bootlab.errors import UserError


def conform(
    system_file: SystemOption = None,
    *,
    set_clock: Annotated[
        bool,
        Option(help="Also run the checks that set this machine's CLOCK_REALTIME. Needs root."),
    ] = False,
    plants: Annotated[
        bool,
        Option(help="Test the checks themselves: inject a bug for each check, which must then fail."),
    ] = False,
    only: Annotated[
        str | None, Option(metavar="N[,N]...", help="Check only the assertions with these numbers.")
    ] = None,
    everything: Annotated[bool, Option(names=("--all",), help="Also show the checks that passed.")] = False,
    opts: Annotated[
        Path | None,
        Option(
            metavar="DIR", help="Source of the Open POSIX Test Suite: build it, run it too, and compare its verdicts."
        ),
    ] = None,
    tap: Annotated[Path | None, Option(help="Write the verdicts as TAP 14.")] = None,
    junit: Annotated[Path | None, Option(help="Write the verdicts as JUnit XML.")] = None,
    asked: Kept,
) -> None:
    """Check 90 assertions of POSIX and Linux about timers, clocks and sleeps, on this machine or in a booted system.

    In a booted system the checks that set the clock run too. Exit code 4: an assertion does not hold.

    Example: bootlab timers conform --junit timers.xml
    """
    # `--help` must not wait for it.
    from bootlab.timers import booted, conform_export, here, open_posix, text  # noqa: PLC0415

    if opts is not None and system_file is not None:
        raise UserError("--opts runs on this machine only", hint="leave SYSTEM.toml out")
    if opts is not None:
        open_posix.check_folder(opts)
    chosen = _numbers(only)
    if system_file is None:
        result = here.conform_here(set_clock=set_clock, plants=plants, only=chosen)
    else:
        with opened(system_file, asked) as system:
            result = booted.conform(system, plants=plants, only=chosen)
    others = open_posix.run(opts) if opts is not None else ()
    write_files((tap, lambda: conform_export.tap(result)), (junit, lambda: conform_export.junit(result)))
    if asked.as_json:
        print_json({"result": result, "open_posix": others} if others else result)
    else:
        for view in text.conform(result, everything=everything or plants):
            out().print(view)
        if others:
            out().print(text.open_posix(open_posix.beside(result, others)))
    if plants:
        missed = [c.number for c in result.checks if c.verdict in {"pass", "deviation"}]
        if missed:
            raise here.TimersFailed(f"planted bugs were not found: {', '.join(map(str, missed))}")
        say("every planted bug was found")
    elif result.wrong:
        numbers = ", ".join(str(c.number) for c in result.wrong)
        raise here.TimersFailed(f"assertions that do not hold: {numbers}", hint="the evidence is above")


def _numbers(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UserError(f"--only {text!r}: not numbers", hint="--only 37,67,70,88") from None
