# SPDX-License-Identifier: MIT
"""Where the programs run: on this machine, or inside a booted system with nothing else in it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bootlab.builders.guest_program import host_arch
from bootlab.errors import EnvironmentFault, MeasurementError, TargetError
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import Check, Goal, Initramfs, Limits, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.timers.programs import TIMER_INIT, TimerProgram
from bootlab.timers.stress import StressPlace

_END = re.compile(rb"@timers end (\d{1,3})\r*$", re.MULTILINE)
_FACT = re.compile(rb"^@timers fact (clocksources?|clockevent) ([ -~]{1,200}?)\s*$", re.MULTILINE)
_CLOCKS = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
_CLOCKEVENT = Path("/sys/devices/system/clockevents/clockevent0/current_device")
_ROOT_PARAMETERS = ("init", "rdinit", "root", "rootwait", "rootfstype", "rootflags", "initrd")


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What a program printed, and where."""

    text: bytes
    place: StressPlace


def on_host(program: TimerProgram, arguments: Sequence[str], *, line: Callable[[], None] | None = None) -> Output:
    """Run a program here; `line` is called after each line that it prints. Raise EnvironmentFault when it fails."""
    command = [str(program.built(host_arch())), *arguments]
    facts = host_facts()
    chunks = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        if process.stdout is None or process.stderr is None:
            raise EnvironmentFault("the program's output cannot be read")
        try:
            for printed in process.stdout:
                chunks.append(printed)
                if line is not None:
                    line()
            said = process.stderr.read(64 << 10).decode("utf-8", "replace").strip().splitlines()
        except KeyboardInterrupt:
            process.terminate()
            raise
    if process.returncode == 124:
        raise MeasurementError(said[-1] if said else f"{program.name} hung", hint="is the machine overloaded? uptime")
    if process.returncode != 0:
        words = [text.removeprefix(f"{program.name}: ") for text in said]
        raise EnvironmentFault(
            f"{program.name}: {words[0] if words else f'ended with status {process.returncode}'}",
            hint=words[1] if len(words) > 1 else f"{program.name} --help shows its options",
        )
    return Output(text=b"".join(chunks), place=StressPlace(name="this machine", clock="wall", facts=facts))


def host_facts() -> dict[str, str]:
    """Return what of this machine bears on its timers."""
    one, five, fifteen = os.getloadavg()
    facts = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "processors": str(os.cpu_count() or 0),
        "load average before": f"{one:.1f} {five:.1f} {fifteen:.1f}",
    }
    for name, path in (("clocksource", _CLOCKS), ("clockevent", _CLOCKEVENT)):
        if path.is_file():
            facts[name] = path.read_text(encoding="utf-8", errors="replace").strip()
    return facts


def system_for(
    system: SystemDescription,
    program: TimerProgram,
    arguments: Sequence[str],
    *,
    seconds: float,
    raise_limits: bool = True,
) -> SystemDescription:
    """Return a system that boots, runs the program, and powers off. Its kernel, machine and parameters stay.

    `seconds`: how long the run takes. `raise_limits`: as many timers as there is memory for, not as many as the kernel
    grants a process.
    """
    arch = system.machine.arch
    inside = f"/bin/{program.name}"
    tree = {
        "/init": Entry(kind="file", source=str(TIMER_INIT.built(arch))),
        inside: Entry(kind="file", source=str(program.built(arch))),
        "/etc/timers": Entry(
            kind="file", mode=0o644, text="raise-limits\n" * raise_limits + " ".join([inside, *arguments]) + "\n"
        ),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        "/dev/null": Entry(kind="char", mode=0o666, major=1, minor=3),
        "/proc": Entry(kind="dir"),
        "/sys": Entry(kind="dir"),
    }
    cmdline = system.cmdline
    for parameter in _ROOT_PARAMETERS:
        cmdline = cmdline.without(parameter)
    virtual_s = seconds * 2 + 600
    wall_s = max(system.limits.wall_s, 300.0) + seconds * (2 if system.clock.mode == "free" else 5)
    return msgspec.structs.replace(
        system,
        initramfs=Initramfs(tree=FileTree.of(tree)),
        storage=None,
        cmdline=cmdline,
        goal=Goal(console=r"@timers end \d+", name="timers done"),
        check=Check(),
        marks=(),
        application=None,
        limits=Limits(virtual_s=virtual_s, stall_virtual_s=virtual_s, wall_s=wall_s, stall_wall_s=wall_s),
    )


def output_of(recording: Recording, name: str) -> Output:
    """Return what the program printed in a booted system. Raise TargetError when it did not end well."""
    if recording.meta.outcome is not Outcome.GOAL:
        raise TargetError(
            f"{name}: the system did not run the timers: {recording.meta.reason or recording.meta.outcome.value}",
            hint=f"its console: {recording.path}/console.log   ({recording.meta.outcome.hint})",
        )
    found = _END.search(recording.console)
    status = int(found[1]) if found else 0
    if status:
        lines = [x.text for x in recording.lines if x.text.startswith(("timerstress:", "timerconform:"))]
        raise TargetError(
            f"{name}: {lines[0] if lines else f'the program ended with status {status}'}",
            hint=f"its console: {recording.path}/console.log",
        )
    facts = {key.decode(): value.decode() for key, value in _FACT.findall(recording.console)}
    exact = recording.meta.goal_clock == "virtual"
    place = StressPlace(
        name=name,
        clock="virtual" if exact else "wall",
        facts=facts,
        recording=recording.path,
        instructions=recording.meta.goal_insns if exact else None,
    )
    return Output(text=recording.console, place=place)
