# SPDX-License-Identifier: MIT
"""What a screen costs as a second console: a PC with serial line and VGA, loud and quiet, by instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

import msgspec

from bootlab.errors import UserError
from bootlab.experiments.base import require_goal
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import Experiment
from bootlab.model import figures
from bootlab.model.cmdline import CommandLine
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Value
from bootlab.model.modelled import both_ends, line_ends_ns
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.techniques.console_lines import kernel_lines

_DEVICE = "VGA"
_ENABLED = re.compile(r"console \[tty0\] enabled")
_KIND = re.compile(r"Console: (?:colour|switching to colour) .{1,80}")
_BAUD = 115_200

_WAYS = (
    ("serial", "serial alone, no VGA", False, False),
    ("unused", "serial alone, VGA there", True, False),
    ("screen", "serial and VGA", True, True),
)


class ConsoleScreen(Experiment):
    """A PC without VGA, with VGA but no console on it, and with both consoles; each as it is and with `quiet`.

    `kernel_ns`: from start_kernel() to user space. `screen_ns`: how much longer that takes than with the console on
    the serial line alone, on the same machine. `kernel_lines`: lines that the kernel printed on the serial line.
    """

    kind: ClassVar[str] = "console-screen"
    phase: ClassVar[str] = "consoles"
    exact_only: ClassVar[str] = "a screen's cost is compared by instructions"
    most_boots: int = 2 * len(_WAYS)
    note: ClassVar[str] = (
        "Instructions of the drivers: text, scrolling, cursor. A store to the screen counts as one to memory; on a "
        "board it waits for its bus. The serial line's column is the model, characters x 10 / baud and what "
        "boards took longer than that: in exact mode the port is never busy. Each row is one boot without dithers: "
        "it repeats to the instruction, but a difference no larger than what neutral changes cause proves no gain."
    )
    columns = (
        Column(key="title", title="kernel's console"),
        Column(key="goal_ns", title="goal", kind="ms", under="ms"),
        Column(key="kernel_ns", title="kernel", kind="ms", under="ms"),
        Column(key="screen_ns", title="screen adds", kind="signed-ms", under="ms"),
        Column(key="kernel_lines", title="kernel lines", kind="count"),
        Column(key="characters", title="characters", kind="count"),
        Column(key="a_line_ns", title="a line on the screen", kind="us", under="µs"),
        Column(
            key="model_least_ns",
            title=f"serial, {_BAUD} baud",
            kind="ms",
            under="modelled, ms",
            ends="model_most_ns",
        ),
        Column(key="proof", title="shown by", wide=True),
    )

    def check(self, system: SystemDescription) -> None:
        """Raise UserError for what is no PC: VGA text is a PC's."""
        super().check(system)
        if system.machine.arch != "x86_64":
            raise UserError(
                f"{system.name} is not a PC, so it has no VGA", hint="bootlab console SYSTEM.toml without --screen"
            )
        if not system.cmdline.all("console"):
            raise UserError(f"{system.name} has no console=", hint='add it: [kernel] cmdline = "console=ttyS0"')

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot the six. Raise BaseFailedError for one that does not reach the goal."""
        flying = [
            (way, quiet, bench.submit(made, f"{way}{' quiet' if quiet else ''}"))
            for quiet in (False, True)
            for way, _, vga, screen in _WAYS
            for made in (_with(system, vga=vga, screen=screen, quiet=quiet),)
        ]
        unused: dict[bool, int | None] = {}
        for way, quiet, future in flying:
            boot = bench.wait(future)
            require_goal(boot)
            kernel = _kernel_ns(boot)
            if way == "unused":
                unused[quiet] = kernel
            title = next(words for name, words, _, _ in _WAYS if name == way) + (", quiet" if quiet else "")
            yield _row(way, title, boot, kernel, unused.get(quiet) if way == "screen" else None)

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return the shift and the rate of the modelled line."""
        del bench, rows
        return {"shift": system.clock.shift, "baud": _BAUD}

    def headline(self, found: Comparison) -> str:
        """Say what the screen adds."""
        told = [
            f"{row.title}: {figures.ms(row.ns('screen_ns'))}" for row in found.rows if row.ns("screen_ns") is not None
        ]
        added = "; ".join(told) or "no boot shows it"
        return f"{found.system}: what the screen adds to the kernel's part ({found.clock} ms): {added}"


def _with(system: SystemDescription, *, vga: bool, screen: bool, quiet: bool) -> SystemDescription:
    words = [
        str(p) for p in system.cmdline.params if p.key != "quiet" and not (p.key == "console" and _is_tty(p.value))
    ]
    # Without a screen, the kernel's set-up code would wait 30 s for somebody to choose another mode.
    words = [word for word in words if vga or not word.startswith("vga=")]
    words = [*(["console=tty0"] if screen else []), *words, *(["quiet"] if quiet else [])]
    devices = tuple(device for device in system.machine.devices if device.partition(",")[0] != _DEVICE)
    machine = msgspec.structs.replace(system.machine, devices=(*devices, *([_DEVICE] if vga else [])))
    return msgspec.structs.replace(system, machine=machine, cmdline=CommandLine.parse(" ".join(words)))


def _is_tty(value: str | None) -> bool:
    return re.fullmatch(r"tty\d{0,2}", value or "") is not None


def _kernel_ns(boot: Recording) -> int | None:
    times = {mark.name: mark.ns for mark in boot.marks}
    if "start-kernel" not in times or "user-space" not in times:
        return None
    return times["user-space"] - times["start-kernel"]


def _row(way: str, title: str, boot: Recording, kernel: int | None, unused: int | None) -> Row:
    added = kernel - unused if kernel is not None and unused is not None else None
    lines = len(kernel_lines(boot))
    quiet = boot.meta.cmdline.split().count("quiet") > 0
    # The last kind is the one that counts: a dummy makes way for a frame buffer.
    kinds = [match.group(0) for line in boot.lines if (match := _KIND.search(line.text[:400]))]
    enabled = _found(boot, _ENABLED)
    evidence = [*kinds[-1:], *([enabled.group(0)] if enabled is not None else [])]
    # A quiet kernel prints neither; its command line is all there is.
    shown = quiet or (enabled is not None) == (way == "screen")
    return Row(
        id=f"{way}{'-quiet' if quiet else ''}",
        title=title,
        proved=shown,
        proof="; ".join(evidence) or boot.meta.cmdline,
        cmdline=boot.meta.cmdline,
        key=boot.meta.key,
        values={
            "goal_ns": boot.meta.goal_ns,
            "kernel_ns": kernel,
            "screen_ns": added,
            "kernel_lines": lines,
            "characters": boot.meta.console_bytes,
            "a_line_ns": round(added / lines) if added is not None and lines else None,
            **both_ends("model", line_ends_ns(boot.meta.console_bytes, _BAUD)),
        },
    )


def _found(boot: Recording, pattern: re.Pattern[str]) -> re.Match[str] | None:
    return next((match for line in boot.lines if (match := pattern.search(line.text[:400]))), None)
