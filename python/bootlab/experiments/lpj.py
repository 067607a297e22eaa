# SPDX-License-Identifier: MIT
"""Preset loops per jiffy on a bench: the base's value, the five tests of the original patch, the saving by tick rate.

The patch (2004, "preset LPJ") came with five tests: no preset; on the command line; compiled in; both, where the
command line must win; both with `lpj=0` on the command line, which must calibrate. Each is a boot whose log is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

import msgspec

from bootlab.errors import MeasurementError
from bootlab.experiments.base import require_goal
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import SINGLE_BOOTS, Experiment
from bootlab.logs.delay_loop import DelayLoop, read_console
from bootlab.logs.lpj_value import StoredLpj, stored_from
from bootlab.model.cmdline import CommandLine
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Value
from bootlab.model.compiled_cmdline import WAYS, CompiledWay, compiled_in
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription

_HIDING = ("quiet", "loglevel", "lpj")
# The two presets must differ, or the log could not tell which one was taken; one loop more changes no delay.
_OTHER = 1

TESTS = ("no preset", "command line only", "compiled in only", "both", "both, lpj=0 on the command line")
"""The five tests, in their order."""


class LpjBoot(msgspec.Struct, frozen=True, kw_only=True):
    """One boot and what its log says of the delay loop."""

    goal_ns: int | None
    found: DelayLoop
    text: str
    path: str | None = None

    def stored(self, system: SystemDescription) -> StoredLpj:
        """Return the value as it is stored, with the emulated machine that it belongs to."""
        shift = system.clock.shift if system.clock.mode == "exact" else None
        machine = f"QEMU {system.machine.type} {system.machine.cpu}"
        return stored_from(self.found, origin=system.name, machine=machine, shift=shift)


def plain(system: SystemDescription) -> SystemDescription:
    """Return the system without a preset and with the kernel's messages on its console."""
    line = system.cmdline
    for word in _HIDING:
        line = line.without(word)
    return msgspec.structs.replace(system, cmdline=line)


def boot(bench: Bench, system: SystemDescription, label: str) -> LpjBoot:
    """Boot and read the delay loop's line. Raise BaseFailedError, or UserError when the log holds no such line."""
    return _booted(bench.boot(system, label), label)


def recalibrated(bench: Bench, system: SystemDescription) -> LpjBoot:
    """Boot with `lpj=0` as the last word on it, so that also a kernel with a compiled-in preset calibrates."""
    asked = plain(system)
    return boot(bench, msgspec.structs.replace(asked, cmdline=asked.cmdline.with_param("lpj", "0")), "recalibration")


def base_value(bench: Bench, system: SystemDescription) -> LpjBoot:
    """Boot without a preset. Raise MeasurementError when this kernel does not calibrate."""
    base = boot(bench, plain(system), "no preset")
    if base.found.source == "measured":
        return base
    if base.found.source == "preset":
        raise MeasurementError(
            f"the kernel uses a preset, although its command line has none: {base.text}",
            hint="it is compiled in (CONFIG_CMDLINE); `bootlab lpj validate` recalibrates with lpj=0",
        )
    raise MeasurementError(
        f"this kernel does not calibrate: {base.text}",
        hint="it knows its timer's frequency, so a preset has nothing to save",
    )


class LpjTests(Experiment):
    """The five tests of a preset: kernels built, booted, and each result checked in its log."""

    kind: ClassVar[str] = "lpj-tests"
    phase: ClassVar[str] = "preset tests"
    needs_source: ClassVar[bool] = True
    most_boots: int = len(TESTS)
    columns = (
        Column(key="title", title="test"),
        Column(key="command_line", title="command line"),
        Column(key="compiled_in", title="compiled in"),
        Column(key="expected", title="expected"),
        Column(key="got", title="got"),
        Column(key="verdict", title="verdict"),
        Column(key="saved_ns", title="saved", kind="signed-ms", under="ms"),
    )

    def __init__(self, way: CompiledWay | None = None) -> None:
        """Take how the preset is compiled in; None: so that the boot loader's command line wins."""
        self._way = way

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot the tests. Raise MeasurementError when this kernel does not calibrate."""
        way = self._way_of(system)
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
        pending = []
        for case in cases:
            changed = msgspec.structs.replace(case[1], cmdline=case[2])
            pending.append((case, bench.submit(changed, f"test {case[0]}: {TESTS[case[0] - 1]}")))
        yield _test(1, line, "", None, first, first)
        for (number, _, passed, compiled, expected), future in pending:
            booted = _booted(bench.wait(future), f"test {number}")
            yield _test(number, passed, compiled, expected, booted, first)

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return the way, the value that the kernel calibrated, and its tick rate."""
        del bench
        first = rows[0].values if rows else {}
        return {"way": self._way_of(system), "lpj": first.get("lpj"), "hz": first.get("hz")}

    def headline(self, found: Comparison) -> str:
        """Say how many passed."""
        facts = found.facts
        return (
            f"{found.system}: {sum(row.ok for row in found.rows)} of {len(TESTS)} tests passed "
            f"(lpj={facts['lpj']}, HZ={facts['hz']}, compiled in {facts['way']})"
        )

    def _way_of(self, system: SystemDescription) -> CompiledWay:
        return self._way or WAYS[system.machine.arch][0]


class LpjRates(Experiment):
    """What a preset saves by tick rate: two boots of a kernel built for each, without a preset and with its own."""

    kind: ClassVar[str] = "lpj-rates"
    phase: ClassVar[str] = "tick rates"
    needs_source: ClassVar[bool] = True
    columns = (
        Column(key="title", title="HZ"),
        Column(key="lpj", title="lpj"),
        Column(key="cost_ns", title="calibration", kind="ms", under="ms"),
        Column(key="goal_ns", title="goal", kind="ms", under="ms"),
        Column(key="preset_goal_ns", title="with preset", kind="ms", under="ms"),
        Column(key="saved_ns", title="saved", kind="signed-ms", under="ms"),
    )

    def __init__(self, *rates_hz: int) -> None:
        """Take the tick rates; none: 100, 250 and 1000."""
        self._rates_hz = rates_hz or (100, 250, 1000)
        self.most_boots = 2 * len(self._rates_hz)

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot each rate. Raise MeasurementError where a kernel calibrates nothing, or does not take the preset."""
        rates = [(hz, SetKernelOptions(((f"HZ_{hz}", "y"),)).apply(plain(system))) for hz in self._rates_hz]
        # Where the first does not calibrate, no other kernel need be built.
        bases = [_base(bench.boot(rates[0][1], _label(rates[0][0])), rates[0][0])]
        bench.build_ahead(at for _, at in rates[1:])
        flying = [(hz, bench.submit(at, _label(hz))) for hz, at in rates[1:]]
        bases += [_base(bench.wait(future), hz) for hz, future in flying]
        presets = [
            bench.submit(
                msgspec.structs.replace(at, cmdline=at.cmdline.with_param("lpj", str(base.found.lpj))),
                f"HZ={hz}, lpj={base.found.lpj}",
            )
            for (hz, at), base in zip(rates, bases, strict=True)
        ]
        for hz, base, future in zip(self._rates_hz, bases, presets, strict=True):
            yield _rate(hz, base, _booted(bench.wait(future), f"HZ={hz}, lpj={base.found.lpj}"))

    def headline(self, found: Comparison) -> str:
        """Say what the table holds."""
        return f"{found.system}: what a preset saves at each tick rate"

    def footnote(self, found: Comparison) -> str:
        """Say what the two times are."""
        return (
            "Calibration: from its line to the next, on the kernel's own clock. Goal: from reset, on the "
            f"{found.clock} clock; saved is the difference of the two boots."
            + (f"\n{SINGLE_BOOTS}" if found.clock == "virtual" else "")
        )


def _label(hz: int) -> str:
    return f"HZ={hz}, no preset"


def _base(recording: Recording, hz: int) -> LpjBoot:
    """Read the boot without a preset. Raise MeasurementError where it does not show what a preset could save."""
    base = _booted(recording, _label(hz))
    if base.found.source != "measured":
        raise MeasurementError(f"this kernel does not calibrate: {base.text}", hint="so a preset has nothing to save")
    if base.found.hz != hz:
        raise MeasurementError(
            f"the kernel was built for HZ={hz}, and its log says {base.found.hz}: {base.text}",
            hint="is the emulated machine's timer right? try another shift",
        )
    return base


def _rate(hz: int, base: LpjBoot, after: LpjBoot) -> Row:
    if after.found.source != "preset" or base.goal_ns is None or after.goal_ns is None:
        raise MeasurementError(f"the kernel did not use the preset: {after.text}", hint=f"look at {after.path}")
    return Row(
        id=f"hz-{hz}",
        title=str(hz),
        proof=after.text,
        values={
            "hz": hz,
            "lpj": base.found.lpj,
            "cost_ns": base.found.cost_ns,
            "goal_ns": base.goal_ns,
            "preset_goal_ns": after.goal_ns,
            "saved_ns": base.goal_ns - after.goal_ns,
            "line": base.text,
        },
    )


def _booted(recording: Recording, label: str) -> LpjBoot:
    require_goal(recording)
    readings = read_console(recording.console, f"{label} ({recording.path})")
    texts = [line.text for line in recording.lines if "Calibrating delay " in line.text]
    return LpjBoot(
        goal_ns=recording.meta.goal_ns, found=readings, text=texts[0][:200] if texts else "", path=recording.path
    )


def _test(
    number: int, command_line: CommandLine, compiled: str, expected: int | None, booted: LpjBoot, base: LpjBoot
) -> Row:
    found = booted.found
    wanted: tuple[Literal["measured", "preset"], int | None]
    wanted = ("measured", None) if expected is None else ("preset", expected)
    passed = found.source == wanted[0] and wanted[1] in {None, found.lpj}
    got = f"{'calibrates' if found.source == 'measured' else found.source} {found.lpj}"
    in_words = "calibrates" if expected is None else f"preset {expected}"
    known = booted.goal_ns is not None and base.goal_ns is not None
    return Row(
        id=f"test-{number}",
        title=f"{number} {TESTS[number - 1]}",
        ok=passed,
        verdict="pass" if passed else "FAIL",
        reason="" if passed else f"expected: {in_words}; got: {got}",
        proof=booted.text,
        cmdline=str(command_line),
        values={
            "command_line": str(command_line) or "(none)",
            "compiled_in": compiled or "(none)",
            "expected": in_words,
            "got": got,
            "lpj": found.lpj,
            "hz": found.hz,
            "goal_ns": booted.goal_ns,
            "saved_ns": (base.goal_ns or 0) - (booted.goal_ns or 0) if known else None,
        },
    )
