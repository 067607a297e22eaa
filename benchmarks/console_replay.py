#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""The simplest term of a board's time held against logs: a console that prints all earlier messages at once.

    python benchmarks/console_replay.py FOLDER... --keep benchmarks/published/console-replay.json
    python benchmarks/console_replay.py --show benchmarks/published/console-replay.json \
        --page docs/explanation/board-time.md

A serial console that is registered late prints everything that was said before (kernel/printk/printk.c,
register_console(): CON_PRINTBUFFER), and the kernel stands still meanwhile. The forecast is the characters up to the
line `console [ttyX] enabled` x 10 / the rate that the command line names, by the model of `bootlab.costs`. It is made
before the pause is looked at. Up to Linux 6.1 that line is written when the others have been sent: the pause is the
time since the port announced itself. Later kernels write it first, and with several processors another one may go on
printing: there is no pause to measure.

Left out, with the reason: logs without a rate; an emulator's or a hypervisor's console; a boot console that had printed
already (then nothing is printed again); a clock that did not run yet; `quiet`, where the log does not have the levels;
a log of which characters are lost.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

import page_part

from bootlab.costs.prices import board_row
from bootlab.errors import BootlabError
from bootlab.logs.analysis import analyze
from bootlab.logs.line import LogLine
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import Amounts, Between, BoardConsole, BoardMedium, Costs

_ENABLED = re.compile(r"console \[(tty(?:[A-Z][A-Za-z]*|mxc)\d+)\] enabled")
_BOOT_CONSOLE = re.compile(r"(?:bootconsole|earlycon\d*) \[?\w+\]? enabled|^earlycon: ")
_QUIET = re.compile(r"(?:^| )(?:quiet|loglevel=[0-6])(?: |$)")
_GONE = re.compile(r"(?:bootconsole|earlycon\d*) \[\w+\] disabled")
_COMMAND_LINE = re.compile(r"Kernel command line: (.*)")
_EMULATED = re.compile(
    r"QEMU|Hypervisor detected|paravirtualized kernel on|linux,dummy-virt|VirtualBox|VMware|DMI: .*KVM"
)
# mm/page_alloc.c, mm/percpu.c: KERN_DEBUG, which no console shows unless asked; a dmesg without levels hides that.
_DEBUG = re.compile(r"\s*(?:(?:DMA|DMA32|Normal|HighMem) zone: |On node \d+ totalpages|free_area_init|pcpu-alloc: )")
_VERSION = re.compile(r"Linux version (\d+)\.(\d+)")
_WRITTEN_FIRST = (6, 2)
_NEAR = 60
MARKS = ("<!-- console replay -->\n", "<!-- end of console replay -->\n")
_STAMP = 15
"""`[    0.000000] `, which the console prints too."""


class Row(NamedTuple):
    """One console of one log."""

    log: str
    port: str
    baud: int
    characters: int
    forecast_ns: float
    measured_ns: int

    @property
    def error(self) -> float:
        return self.forecast_ns / self.measured_ns - 1


def forecast_ns(characters: int, baud: int) -> float:
    nothing = BoardMedium(name="none", bytes_per_s=Between(1e9, 1e9))
    costs = Costs(name="console", console=BoardConsole(baud=Between(baud, baud)), medium=nothing)
    return board_row(costs, "replay", Amounts(exact_ns=0, characters=characters)).console_ns.high


def rows_of(path: Path, name: str) -> tuple[list[Row], str]:
    """Return the forecasts and pauses of a log, or why there are none."""
    try:
        boots = analyze(path, keep_lines=True).boots
    except BootlabError as fault:
        return [], f"not read: {fault.message[:80]}"
    lines = [line for boot in boots for line in boot.lines or ()]
    return of_lines(name, lines)


def _unusable(baud: int | None, boot_console: bool, quiet: bool, before: list[LogLine]) -> str:
    """Return why the characters of a console cannot be counted, or an empty string."""
    if boot_console:
        return "a boot console had printed already"
    if baud is None:
        return "the command line names no rate"
    if any("\ufffd" in one.text for one in before):
        return "characters of the log are lost"
    if quiet and not any(one.level for one in before):
        return "quiet: a log without levels does not say which messages the console shows"
    return ""


def of_lines(name: str, lines: list[LogLine]) -> tuple[list[Row], str]:
    found: list[Row] = []
    quiet = False
    why, characters, baud, boot_console = "no serial console is enabled", 0, None, False
    if any(_EMULATED.search(line.text) for line in lines):
        return [], "an emulator or a hypervisor"
    kernel = [line for line in lines if line.printk_ns is not None]
    version = (0, 0)
    for index, line in enumerate(kernel):
        if index and line.printk_ns < kernel[index - 1].printk_ns - 1_000_000_000:
            characters, baud, boot_console = 0, None, False
        if match := _VERSION.search(line.text):
            version = (int(match[1]), int(match[2]))
        if match := _COMMAND_LINE.search(line.text):
            baud = CommandLine.parse(match[1][:4000]).console_baud
            quiet = bool(_QUIET.search(match[1]))
        boot_console = (boot_console or bool(_BOOT_CONSOLE.search(line.text))) and not _GONE.search(line.text)
        if (line.level is None or line.level < 7) and not _DEBUG.match(line.text):
            characters += len(line.text) + _STAMP + 2
        match = _ENABLED.search(line.text)
        if match is None or "bootconsole" in line.text:
            continue
        if reason := _unusable(baud, boot_console, quiet, kernel[:index]):
            why = reason
        else:
            near = kernel[max(0, index - _NEAR) : index]
            told = next((one for one in reversed(near) if f"{match[1]} at " in one.text), None)
            if version >= _WRITTEN_FIRST:
                why = f"Linux {version[0]}.{version[1]} writes the line first"
                continue
            if told is None or told.printk_ns == 0:
                why = "the clock did not run yet" if line.printk_ns == 0 else "the port did not announce itself"
                continue
            pause_ns = line.printk_ns - told.printk_ns
            found.append(Row(name, match[1], baud, characters, forecast_ns(characters, baud or 0), pause_ns))
            characters = 0
    return found, "" if found else why


def page(rows: list[Row]) -> str:
    """Return a table, the largest error of each repository first: NAME+REPOSITORY+FILE is how logs are named here."""
    worst: dict[str, Row] = {}
    for row in sorted(rows, key=lambda one: -abs(one.error)):
        worst.setdefault("/".join(row.log.split("+")[:2]), row)
    lines = ["| log | port | characters | rate | forecast ms | log ms | error |", "|---|---|--:|--:|--:|--:|--:|"]
    lines += [
        f"| {name} | {row.port} | {row.characters:,} | {row.baud} | {row.forecast_ns / 1e6:.1f} | "
        f"{row.measured_ns / 1e6:.1f} | {100 * row.error:+.1f} % |"
        for name, row in worst.items()
    ]
    for what, of in (("logs", rows), ("rows above", list(worst.values()))):
        errors = [abs(row.error) for row in of]
        within = sum(error <= 0.05 for error in errors)
        said = f"median error {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %"
        lines += ["", f"Of {len(of)} {what}, {within} are within 5 %; {said}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--keep", type=Path, help="write the rows to a file")
    parser.add_argument("--show", type=Path, help="rows that were kept")
    parser.add_argument("--page", type=Path, help="write the table into a page")
    asked = parser.parse_args()
    rows = [Row(**one) for one in json.loads(asked.show.read_text())] if asked.show else []
    for folder in asked.folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            found, why = rows_of(path, str(path.relative_to(folder)))
            rows += found
            if why:
                print(f"left out: {path.relative_to(folder)}: {why}", file=sys.stderr)
    if asked.keep:
        asked.keep.write_text(json.dumps([row._asdict() for row in rows], indent=1) + "\n")
    page_part.put_or_print(asked.page, MARKS, page(rows))


if __name__ == "__main__":
    main()
