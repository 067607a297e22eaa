# SPDX-License-Identifier: MIT
"""What a boot log says about the delay loop (init/calibrate.c), and of the machine that it was measured on."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis, analyze
from bootlab.logs.boot import LogBoot
from bootlab.model.cmdline import CommandLine

Source = Literal["measured", "preset", "computed"]
"""`measured`: by counting loops. `preset`: by `lpj=`. `computed`: from a timer's frequency, or known already."""

RATES_HZ = (24, 32, 48, 64, 100, 128, 200, 250, 256, 300, 500, 512, 1000, 1024)
"""Values that CONFIG_HZ can have (kernel/Kconfig.hz, arch/*/Kconfig)."""

_MEASURED = frozenset({"measured", "timer-routine"})
_MAX_CHARS = 200


class LogMachine(msgspec.Struct, frozen=True, kw_only=True):
    """What a log says about the machine, in the kernel's own words; "" where it says nothing."""

    model: str = ""
    cpu: str = ""
    clock: str = ""


class DelayLoop(msgspec.Struct, frozen=True, kw_only=True):
    """One boot's delay loop. `cost_ns`: gap from the line to the next, known only where a calibration was stamped.

    `hz`: the kernel's tick rate, by the ratio of BogoMIPS to lpj that it printed; None when that names no rate.
    `asked`: the value of `lpj=` on the command line as printed, None without one.
    """

    source: Source
    lpj: int
    hz: int | None
    cost_ns: int | None
    line: int
    kernel: str
    board: LogMachine
    asked: str | None = None


def read_log(path: Path, number: int | None = None) -> DelayLoop:
    """Read the delay loop out of a log of any kind (`number`: which boot, from 1; default: the first that has one).

    Raise UserError when the log holds none: a console at a low level does not show it.
    """
    return _chosen(analyze(path), number, str(path))


def read_console(console: bytes, name: str) -> DelayLoop:
    """Read the delay loop out of one boot's console. Raise UserError when it holds none."""
    return _chosen(analyze(console, name=name), None, name)


def find_in_console(console: bytes) -> DelayLoop | None:
    """Return the delay loop that one boot's console shows; None where it shows none."""
    boots = analyze(console, name="console").boots if console else ()
    shown = (_of(boot) for boot in boots)
    return next((loop for loop in shown if loop is not None), None)


def rate_hz(lpj: int, bogomips: float) -> int | None:
    """Return CONFIG_HZ: the one with which calibrate_delay() prints this number for this lpj.

    It prints lpj / (500000 / HZ) and, behind the point, lpj / (5000 / HZ), all of it in whole numbers. None: no rate
    does, or more than one.
    """
    text = f"{bogomips:.2f}"
    fits = [hz for hz in RATES_HZ if f"{lpj // (500000 // hz)}.{lpj // (5000 // hz) % 100:02d}" == text]
    return fits[0] if lpj > 0 and len(fits) == 1 else None


def _chosen(analysis: Analysis, number: int | None, name: str) -> DelayLoop:
    boots = analysis.boots if number is None else [analysis.boot(number)]
    for boot in boots:
        if (found := _of(boot)) is not None:
            return found
    raise UserError(
        f"{name}: no line shows the loops per jiffy",
        hint="take a log with the kernel's messages of level info (dmesg, or a console without `quiet`)",
    )


def _of(boot: LogBoot) -> DelayLoop | None:
    calibration = next((c for c in boot.kernel.calibrations if c.lpj), None)
    if calibration is None or calibration.lpj is None:
        return None
    source: Source = "preset" if calibration.form == "preset" else "computed"
    if calibration.form in _MEASURED:
        source = "measured"
    kernel = boot.kernel
    line = kernel.command_line.text if kernel.command_line else ""
    return DelayLoop(
        source=source,
        lpj=calibration.lpj,
        hz=None if calibration.bogomips is None else rate_hz(calibration.lpj, calibration.bogomips),
        cost_ns=calibration.cost_ns if source == "measured" else None,
        line=calibration.line,
        kernel=kernel.banner.release if kernel.banner else "",
        board=_board(boot),
        asked=_asked(line),
    )


def _asked(line: str) -> str | None:
    """Return the last `lpj=` of a command line, which is the one that counts."""
    try:
        return CommandLine.parse(line).value("lpj")
    except UserError:
        return None


def _board(boot: LogBoot) -> LogMachine:
    hardware = boot.kernel.hardware
    return LogMachine(
        model=(boot.kernel.machine or "")[:_MAX_CHARS],
        cpu=hardware.processor.text[:_MAX_CHARS] if hardware.processor else "",
        clock=hardware.clock.text[:_MAX_CHARS] if hardware.clock else "",
    )
