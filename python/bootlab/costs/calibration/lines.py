# SPDX-License-Identifier: MIT
"""The lines that guest/calibrate prints, found among whatever else a console shows: each with a number and a CRC-32."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from urllib.parse import unquote

import msgspec

from bootlab.errors import UserError
from bootlab.model.costs import Between

_LINE = re.compile(
    rb"(bootlab-calibrate ([0-9a-f]{8}) (\d{1,6}) ([a-z_]{1,40})"
    rb"((?: [a-z_]{1,40}=[!-)+-~]{0,400}){0,12})) \*([0-9a-f]{8})"
)
INPUT_MAX_BYTES = 32 << 20
_LINES_MAX = 5000
_RUNS_MAX = 64
_PS_MAX = 10**18
_HINT = "run the program again and keep all of its output: bootlab board calibrate --help"


class PrintedRow(msgspec.Struct, frozen=True):
    """One line: its name, and its values as they were printed."""

    name: str
    values: Mapping[str, str]

    def number(self, key: str) -> int:
        """Return a value as a number; 0 where it is none."""
        text = self.values.get(key, "")
        return min(int(text), _PS_MAX) if text.isascii() and text.isdigit() and len(text) < 20 else 0

    @property
    def spread(self) -> Between:
        """The least and the median of its repeats, picoseconds: what disturbed a repeat made it longer."""
        least = self.number("least")
        return Between(least, max(least, self.number("median")))


class PrintedLines(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of the program printed. `lost`: lines of it that never came whole. `ended`: its last line came."""

    run: str
    rows: tuple[PrintedRow, ...]
    lost: int
    ended: bool

    def all(self, name: str) -> tuple[PrintedRow, ...]:
        """Return the measurements of a name, without those that say that there is none."""
        return tuple(row for row in self.rows if row.name == name and "unknown" not in row.values)

    def one(self, name: str, **wanted: int) -> PrintedRow | None:
        """Return the first measurement of a name with such numbers."""
        found = (row for row in self.all(name) if all(row.number(key) == value for key, value in wanted.items()))
        return next(found, None)

    def curve(self, name: str, key: str) -> dict[int, Between]:
        """Return the measurements of a name by a number that they have, in its order; picoseconds."""
        rows = sorted(self.all(name), key=lambda row: row.number(key))
        return {row.number(key): row.spread for row in rows if row.spread.low > 0}

    def why_not(self, name: str) -> str:
        """Say why there is no measurement of a name."""
        said = (row.values["unknown"] for row in self.rows if row.name == name and "unknown" in row.values)
        return next(said, "its line was lost" if self.lost or not self.ended else "it was not measured")

    def says(self, key: str) -> str:
        """Return what the board says of itself, or an empty text."""
        return next((row.values[key] for row in self.all("says") if key in row.values), "")


def read_lines(data: bytes) -> PrintedLines:
    """Return the newest run that a text holds; a line that was printed twice counts once.

    Raise UserError where there is none.
    """
    runs: dict[str, dict[int, PrintedRow]] = {}
    for match in _LINE.finditer(data[:INPUT_MAX_BYTES]):
        body, run, number, name, words, crc = match.groups()
        if zlib.crc32(body) != int(crc, 16):
            continue
        if run.decode() not in runs and len(runs) == _RUNS_MAX:
            break
        rows = runs.setdefault(run.decode(), {})
        if len(rows) < _LINES_MAX:
            rows[int(number)] = PrintedRow(name.decode(), _values(words))
    if not runs:
        raise UserError("there is no whole line of bootlab-calibrate in it", hint=_HINT)
    run, rows = list(runs.items())[-1]
    last = max(rows)
    end = rows[last] if rows[last].name == "end" else None
    wanted = end.number("lines") if end is not None else last + 1
    begin = rows.get(0)
    if begin is not None and begin.name == "begin" and begin.number("version") != 1:
        raise UserError(
            f"the lines are of version {begin.number('version')} of the program, and this bootlab reads version 1",
            hint="run the program of this bootlab: bootlab board calibrate --print-program",
        )
    return PrintedLines(
        run=run, rows=tuple(rows[n] for n in sorted(rows)), lost=max(0, wanted - len(rows)), ended=end is not None
    )


def _values(words: bytes) -> dict[str, str]:
    pairs = (word.partition("=") for word in words.decode("ascii").split())
    return {key: unquote(value, errors="replace") for key, _, value in pairs}
