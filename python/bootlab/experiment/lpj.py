"""Preset loops per jiffy on a bench: the base's value, the five tests of the original patch, the saving by tick rate.

The patch (2004, "preset LPJ") came with five tests: no preset; on the command line; compiled in; both, where the
command line must win; both with `lpj=0` on the command line, which must calibrate. Each is a boot whose log is read.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.errors import MeasurementError, UserError
from bootlab.experiment.bench import Bench
from bootlab.experiment.evidence import BaseFailedError
from bootlab.logs.delay_loop import DelayLoop, read_console
from bootlab.model.change import SetKernelOptions
from bootlab.model.cmdline import CommandLine
from bootlab.model.compiled_cmdline import WAYS, CompiledWay, compiled_in
from bootlab.model.recording import Recording
from bootlab.model.system import System

_HIDING = ("quiet", "loglevel", "lpj")
# The two presets must differ, or the log could not tell which one was taken; one loop more changes no delay.
_OTHER = 1

TESTS = ("no preset", "command line only", "compiled in only", "both", "both, lpj=0 on the command line")
"""The five tests, in their order."""


class Booted(msgspec.Struct, frozen=True, kw_only=True):
    """One boot and what its log says of the delay loop."""

    goal_ns: int | None
    found: DelayLoop
    text: str
    path: str | None = None


class LpjTest(msgspec.Struct, frozen=True, kw_only=True):
    """One of the five tests. `expected` and `got` are in words; `line` is the kernel's own."""

    number: int
    name: str
    command_line: str
    compiled_in: str
    expected: str
    got: str
    passed: bool
    line: str
    goal_ns: int | None
    saved_ns: int | None


class LpjMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """The five tests on one system."""

    format: str = "bootlab-lpj-tests"
    version: int = 1
    system: str
    way: CompiledWay
    lpj: int
    hz: int | None
    tests: tuple[LpjTest, ...]

    @property
    def passed(self) -> bool:
        """Tell whether all did."""
        return all(test.passed for test in self.tests)


class RateSaving(msgspec.Struct, frozen=True, kw_only=True):
    """What a preset saves at one tick rate, by two boots of a kernel built for it.

    `cost_ns`: from the calibration's line to the next, on the kernel's clock. `saved_ns`: goal without minus goal with.
    """

    hz: int
    lpj: int
    cost_ns: int | None
    goal_ns: int
    preset_goal_ns: int
    line: str
    preset_line: str

    @property
    def saved_ns(self) -> int:
        """Return what the preset saves."""
        return self.goal_ns - self.preset_goal_ns


class RateSweep(msgspec.Struct, frozen=True, kw_only=True):
    """The saving by tick rate."""

    format: str = "bootlab-lpj-rates"
    version: int = 1
    system: str
    rates: tuple[RateSaving, ...]


def plain(system: System) -> System:
    """Return the system without a preset and with the kernel's messages on its console."""
    line = system.cmdline
    for word in _HIDING:
        line = line.without(word)
    return msgspec.structs.replace(system, cmdline=line)


def boot(bench: Bench, system: System, label: str) -> Booted:
    """Boot and read the delay loop's line. Raise BaseFailedError, or UserError when the log holds no such line."""
    return _booted(bench.boot(system, label), label)


def recalibrated(bench: Bench, system: System) -> Booted:
    """Boot with `lpj=0` as the last word on it, so that also a kernel with a compiled-in preset calibrates."""
    asked = plain(system)
    return boot(bench, msgspec.structs.replace(asked, cmdline=asked.cmdline.with_param("lpj", "0")), "recalibration")


def base_value(bench: Bench, system: System) -> Booted:
    """Boot without a preset. Raise MeasurementError when this kernel does not calibrate."""
    base = boot(bench, plain(system), "no preset")
    if base.found.source == "measured":
        return base
    if base.found.source == "preset":
        raise MeasurementError(
            f"the kernel takes a preset without one on its command line: {base.text}",
            hint="it is compiled in (CONFIG_CMDLINE); `bootlab lpj validate` recalibrates with lpj=0",
        )
    raise MeasurementError(
        f"this kernel calibrates nothing: {base.text}",
        hint="it knows its timer's frequency, so a preset has nothing to save",
    )


def run_tests(bench: Bench, system: System, way: CompiledWay | None = None) -> LpjMatrix:
    """Build the kernels, boot the five tests, check each in its log.

    Raise UserError when the kernel is not built from source, MeasurementError when it does not calibrate.
    """
    _need_source(system)
    way = way or WAYS[system.machine.arch][0]
    asked = plain(system)
    first = base_value(bench, system)
    preset = first.found.lpj
    other = preset + _OTHER
    line = asked.cmdline
    by_line = line.with_param("lpj", str(other))
    by_nought = line.with_param("lpj", "0")
    inside = f"{line} lpj={preset}".strip() if way == "fallback" else f"lpj={preset}"
    built = compiled_in(system.machine.arch, way, inside).apply(asked)
    # A fallback is taken only when the boot loader passes nothing at all.
    without = CommandLine() if way == "fallback" else line
    cases = (
        (2, asked, by_line, "", other),
        (3, built, without, inside, preset),
        (4, built, by_line, inside, other),
        (5, built, by_nought, inside, None),
    )
    pending = [
        (case, bench.submit(msgspec.structs.replace(case[1], cmdline=case[2]), f"test {case[0]}: {TESTS[case[0] - 1]}"))
        for case in cases
    ]
    tests = [_test(1, line, "", None, first, first.goal_ns)]
    for (number, _, passed, compiled, expected), future in pending:
        booted = _booted(bench.wait(future), f"test {number}")
        tests.append(_test(number, passed, compiled, expected, booted, first.goal_ns))
    return LpjMatrix(system=system.name, way=way, lpj=preset, hz=first.found.hz, tests=tuple(tests))


def savings(bench: Bench, system: System, rates_hz: tuple[int, ...]) -> RateSweep:
    """Build a kernel for each tick rate and boot it without a preset and with its own value."""
    _need_source(system)
    rows = []
    for hz in rates_hz:
        at = SetKernelOptions(((f"HZ_{hz}", "y"),)).apply(plain(system))
        base = boot(bench, at, f"HZ={hz}, no preset")
        if base.found.source != "measured":
            raise MeasurementError(
                f"this kernel calibrates nothing: {base.text}", hint="a preset has nothing to save there"
            )
        if base.found.hz != hz:
            raise MeasurementError(
                f"the kernel was built for HZ={hz}, and its log says {base.found.hz}: {base.text}",
                hint="is the emulated machine's timer right? try another shift",
            )
        preset = msgspec.structs.replace(at, cmdline=at.cmdline.with_param("lpj", str(base.found.lpj)))
        after = boot(bench, preset, f"HZ={hz}, lpj={base.found.lpj}")
        if after.found.source != "preset" or base.goal_ns is None or after.goal_ns is None:
            raise MeasurementError(f"the preset was not taken: {after.text}", hint=f"look at {after.path}")
        rows.append(
            RateSaving(
                hz=hz,
                lpj=base.found.lpj,
                cost_ns=base.found.cost_ns,
                goal_ns=base.goal_ns,
                preset_goal_ns=after.goal_ns,
                line=base.text,
                preset_line=after.text,
            )
        )
    return RateSweep(system=system.name, rates=tuple(rows))


def _booted(recording: Recording, label: str) -> Booted:
    if not recording.ok:
        raise BaseFailedError(recording)
    found = read_console(recording.console, f"{label} ({recording.path})")
    texts = [line.text for line in recording.lines if "Calibrating delay " in line.text]
    return Booted(
        goal_ns=recording.meta.goal_ns, found=found, text=texts[0][:200] if texts else "", path=recording.path
    )


def _test(
    number: int, command_line: CommandLine, compiled: str, expected: int | None, booted: Booted, base_ns: int | None
) -> LpjTest:
    found = booted.found
    wanted: tuple[Literal["measured", "preset"], int | None]
    wanted = ("measured", None) if expected is None else ("preset", expected)
    passed = found.source == wanted[0] and wanted[1] in {None, found.lpj}
    known = booted.goal_ns is not None and base_ns is not None
    return LpjTest(
        number=number,
        name=TESTS[number - 1],
        command_line=str(command_line),
        compiled_in=compiled,
        expected="calibrates" if expected is None else f"preset {expected}",
        got=f"{'calibrates' if found.source == 'measured' else found.source} {found.lpj}",
        passed=passed,
        line=booted.text,
        goal_ns=booted.goal_ns,
        saved_ns=(base_ns or 0) - (booted.goal_ns or 0) if known else None,
    )


def _need_source(system: System) -> None:
    if system.kernel.build is None:
        raise UserError(
            f"the kernel of {system.name} is not built: its system file names an image",
            hint='these boots need kernels of their own: [kernel] source = "debian" (docs/how-to/build-kernels.md)',
        )
