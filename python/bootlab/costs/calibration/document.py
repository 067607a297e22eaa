# SPDX-License-Identifier: MIT
"""The file of costs that a board's lines become: console, medium and processor, each with where it comes from."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from bootlab.costs.calibration.board import MeasuredMachine, machine_of
from bootlab.costs.calibration.figures import Figures
from bootlab.costs.calibration.lines import PrintedLines, PrintedRow
from bootlab.costs.calibration.shape import ShapeFound
from bootlab.costs.cores import CoreFile, cores
from bootlab.costs.named import FORMAT, VERSION
from bootlab.errors import UserError
from bootlab.model.costs import Between

_MIB = 1 << 20
_FASTEST_LINE_PS = 1_000_000
"""A character on a line of 10 million baud: what takes less is no serial line."""
_TOLD = (
    ("getppid", "a system call", 1e3), ("open", "open and close", 1e3), ("fault", "a page at its first use", 1e3),
    ("fork", "fork, exit and wait", 1e6), ("exec", "fork, execute and wait", 1e6),
    ("pipe", "there and back through two pipes", 1e6), ("unaligned_many", "a load across two lines", 1),
)  # fmt: skip


class Calibrated(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured, ready to be written. `console`, `medium`: tables of the file; None: see `unknown`."""

    machine: MeasuredMachine
    core: CoreFile
    console: dict[str, object] | None
    medium: dict[str, object] | None
    unknown: tuple[str, ...]
    told: tuple[str, ...]
    lost: int
    quick: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of it."""
        said = [self.machine.warning] if self.machine.warning else []
        said += [f"{self.lost} lines were lost on the way"] if self.lost else []
        return (*said, "a quick run: its figures are rough") if self.quick else tuple(said)

    def text(self) -> str:
        """Write it as `--costs` and `--costing` take it."""
        parts = [
            "# Written by `bootlab board calibrate`, of what its program measured on the machine named below.",
            *(f"# {note}" for note in (*self.notes, *self.told, *(f"unknown: {one}" for one in self.unknown))),
            f'format = "{FORMAT}"',
            f"version = {VERSION}",
        ]
        for name, table in (("console", self.console), ("medium", self.medium)):
            if table is not None:
                parts += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
        core: dict[str, Any] = msgspec.to_builtins(self.core)
        tables: dict[str, dict[str, object]] = {key: core.pop(key) for key in ("sources", "shape", "figures")}
        parts += ["", "[processor]", *(f"{key} = {_toml(value)}" for key, value in core.items())]
        for key, rows in tables.items():
            told = [f"{name} = {_toml(value)}" for name, value in rows.items() if value != ""]
            parts += ["", f"[processor.{key}]", *told]
        return "\n".join(parts) + "\n"


def calibrated(lines: PrintedLines) -> Calibrated:
    """Return what a run's lines say. Raise UserError where the clock or the machine cannot be told."""
    machine = machine_of(lines)
    adds = [row.spread for row in lines.all("add_chain") if row.spread.low > 0]
    if not adds:
        raise UserError(
            f"the time of a cycle is not in the lines: {lines.why_not('add_chain')}",
            hint="run the program again: everything else is in cycles",
        )
    cycle_ps = min(one.low for one in adds)
    known = tuple(core for core in cores().values() if machine.arch in core.arch)
    found = ShapeFound(lines, cycle_ps, known)
    figures = Figures(lines, cycle_ps, found, known)
    title = f"{machine.title} ({machine.warning})" if machine.warning else machine.title
    core = CoreFile(
        title=f"NO BOARD: {title}" if machine.emulated else title,
        arch=(machine.arch,),
        ghz=(max(0.001, round(1000 / max(one.high for one in adds), 4)), round(1000 / cycle_ps, 4)),
        sources={**figures.sources, "shape": "; ".join(found.said)},
        shape=found.shape,
        figures=figures.all,
    )
    console, no_console = _console(lines, machine)
    medium, no_medium = _medium(lines, machine)
    unknown = [f"{name}: {core.sources[one.source]}" for name, one in figures.all.items() if _is_unknown(one.source)]
    return Calibrated(
        machine=machine,
        core=core,
        console=console,
        medium=medium,
        unknown=(*no_console, *no_medium, *unknown),
        told=tuple(_told(lines)),
        lost=lines.lost + (0 if lines.ended else 1),
        quick=any(row.number("quick") for row in lines.all("begin")),
    )


def _is_unknown(source: str) -> bool:
    return source.startswith("unknown")


def _console(lines: PrintedLines, machine: MeasuredMachine) -> tuple[dict[str, object] | None, list[str]]:
    rows = sorted(lines.all("line"), key=lambda row: row.number("characters"))
    if len(rows) < 2:
        return None, [f"console: {lines.why_not('line')}"]
    more = rows[-1].number("characters") - rows[0].number("characters")
    took = [rows[-1].number(key) - rows[0].number(other) for key, other in (("least", "most"), ("most", "least"))]
    likely = (rows[-1].number("least") - rows[0].number("least")) / max(1, more)
    if likely < _FASTEST_LINE_PS:
        return None, ["console: the line takes characters faster than any serial line sends them"]
    ps = Between(max(took[0] / more, likely * 0.9), max(took[1] / more, likely))
    source = _source(machine, f"{more} characters more took {likely * more / 1e9:.1f} ms more until they were sent")
    return {"baud": [round(10e12 / ps.high), round(10e12 / ps.low)], "source": source}, []


def _medium(lines: PrintedLines, machine: MeasuredMachine) -> tuple[dict[str, object] | None, list[str]]:
    file = lines.one("medium_file")
    runs = [row for row in lines.all("medium") if row.spread.low > 0]
    large = [row for row in runs if row.number("bytes") == _MIB]
    small = [row for row in runs if row.number("bytes") == 4096 and row.number("random")]
    if file is None or not large or not small:
        return None, [f"medium: {lines.why_not('medium')}"]
    request = small[0].spread
    byte_ps = [_byte_ps(row, request) for row in large]
    rate = Between(1e6 / max(one.high for one in byte_ps), 1e6 / min(one.low for one in byte_ps))
    how = "past the page cache" if file.number("past_cache") else "THROUGH the page cache, so at most this fast"
    source = f"{file.values.get('path', '')[:60]} as Linux reads it, {how}: requests of 1 MiB and 4 KiB"
    table: dict[str, object] = {
        "name": "measured",
        "megabytes_per_s": [float(f"{rate.low:.4g}"), float(f"{rate.high:.4g}")],
        "request_us": [float(f"{ps / 1e6:.3g}") for ps in (request.low, request.high)],
        "request_kib": _MIB >> 10,
        "source": _source(machine, source),
    }
    return table, []


def _byte_ps(row: PrintedRow, request: Between) -> Between:
    """Return what a byte of a large request takes, less what a small one takes anyway."""
    low, high = (max(row.number(key), 1) for key in ("least", "median"))
    return Between(max(low - request.high, low / 2) / _MIB, max(high - request.low, low / 2, 1) / _MIB)


def _source(machine: MeasuredMachine, text: str) -> str:
    return f"{machine.warning}: {text}" if machine.warning else f"bootlab board calibrate: {text}"


def _told(lines: PrintedLines) -> list[str]:
    """Say what no price has a place for yet."""
    said = []
    for name, words, scale in _TOLD:
        row = lines.one(name)
        if row is not None and row.spread.low:
            unit = {1: "ps", 1e3: "ns", 1e6: "us"}[scale]
            said.append(f"{words}: {row.spread.scaled(1 / scale).text()} {unit}")
    return said


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=True)
