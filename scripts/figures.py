#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists every published figure of README and docs with its page, its line and the command that makes it.

Without an option: one line for each row of scripts/figures.toml, and what has no command. A row speaks of the figures
of one page, or of some of its headings. `--make ROW` runs its command and prints each figure then and now.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import msgspec

REPOSITORY = Path(__file__).resolve().parents[1]
TABLE = REPOSITORY / "scripts" / "figures.toml"

_NUMBER = r"(?<![\w.,])[-+\N{MINUS SIGN}]?\d(?:[\d,]*\d)?"
FIGURE = re.compile(
    rf"{_NUMBER}(?:\.\d+)?(?=(?: (?:virtual|wall))? ?(?:ms|\N{{MICRO SIGN}}s|us|s|min|%|times)(?![\w/]))"
    rf"|{_NUMBER}\.\d{{2,}}(?![\w.])"
)
"""A number with a unit of time, a share or a ratio; in tables a number with two decimals or more."""

_SELECTED = re.compile(r"(\w+)\[(\w+)=([^\]]+)\]")


_SAME = 1e-9

NOT_SAID = "not in what the command says"
"""A sentence of the page has it in another unit, or it is another now: a person looks."""


class WrongTable(Exception):
    """The table does not fit the pages."""


class Figure(msgspec.Struct, frozen=True):
    """A figure as a page has it."""

    page: str
    line: int
    heading: str
    text: str


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What makes the figures of a page, or of those of its headings. `values`: a figure to its place in the JSON.

    `why`: what stands in for a command: why there is none. `needs`: what is set up first. `minutes`: how long it takes
    on two cores, about. `holds`: the command compares the page itself, and succeeds where it holds.
    """

    name: str
    page: str
    headings: tuple[str, ...] = ()
    command: str = ""
    why: str = ""
    needs: str = ""
    minutes: float = 0
    writes: str = ""
    holds: bool = False
    values: dict[str, str] = {}

    def speaks_of(self, figure: Figure) -> bool:
        """Tell whether a figure is one of its own."""
        named = not self.headings or any(fnmatch(figure.heading, one) for one in self.headings)
        return fnmatch(figure.page, self.page) and named

    @property
    def special(self) -> tuple[bool, int]:
        """Order rows: what names headings goes before what takes the rest, a page before a folder."""
        return bool(self.headings), len(self.page)


def rows(table: Path = TABLE) -> list[Row]:
    """Read the table. Raise WrongTable for a row that says neither how nor why not."""
    with table.open("rb") as file:
        found = [msgspec.convert({"name": name, **one}, Row) for name, one in tomllib.load(file).items()]
    if wrong := [row.name for row in found if bool(row.command) == bool(row.why)]:
        raise WrongTable(f"say `command` or `why`, and only one of both: {', '.join(wrong)}")
    return sorted(found, key=lambda row: row.special, reverse=True)


def figures(folder: Path = REPOSITORY) -> Iterator[Figure]:
    """Yield the figures of README and docs, page by page."""
    for path in (folder / "README.md", *sorted((folder / "docs").rglob("*.md"))):
        page, heading, fenced = str(path.relative_to(folder)), "", False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.startswith("```")
            if not fenced and line.startswith("#"):
                heading = line.lstrip("# ")
            for one in FIGURE.finditer(line):
                yield Figure(page, number, heading, one[0])


def owned(table: Iterable[Row], all_figures: Iterable[Figure]) -> tuple[dict[str, list[Figure]], list[Figure]]:
    """Return the figures of each row by its name, and those that no row speaks of."""
    ordered = list(table)
    found: dict[str, list[Figure]] = {row.name: [] for row in ordered}
    orphans: list[Figure] = []
    for figure in all_figures:
        row = next((row for row in ordered if row.speaks_of(figure)), None)
        (orphans if row is None else found[row.name]).append(figure)
    return found, orphans


def faults(folder: Path = REPOSITORY, table: Path | None = None) -> list[str]:
    """Return what is wrong: a figure without a row, a row without a figure, a value that its page does not have."""
    ordered = rows(table or folder / "scripts" / "figures.toml")
    found, orphans = owned(ordered, figures(folder))
    said = [f"{one.page}:{one.line}: {one.text}: no row says what makes it" for one in orphans]
    for row in ordered:
        own = {one.text for one in found[row.name]}
        if not own:
            said.append(f"{row.name}: {row.page} has no such figure any more")
        said += [f"{row.name}: {row.page} does not say {value}" for value in row.values if value not in own]
    return said


def at(document: Any, place: str) -> Any:
    """Return a value of a document: `a.b.0.c`; `a[key=value]` is the element of a list whose key is, or holds, it."""
    for part in re.findall(r"\w+\[[^\]]+\]|[^.]+", place):
        if chosen := _SELECTED.fullmatch(part):
            document = next(
                one for one in document[chosen[1]] if chosen[3] == (own := one[chosen[2]]) or own == [chosen[3]]
            )
        else:
            document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def now(document: Any, place: str, then: str) -> str:
    """Return a value as its page writes it: what ends in `_ns` in ms, with as many decimals."""
    value = at(document, place)
    if value is None:
        return "none"
    decimals = len(then.partition(".")[2])
    number = value / 1e6 if place.endswith("_ns") else value
    return f"{number:,.{decimals}f}" if "," in then else f"{number:.{decimals}f}"


def made(row: Row, own: list[Figure]) -> Iterator[tuple[str, str]]:
    """Run a row's command and yield each figure with what it is now. Raise CalledProcessError."""
    done = subprocess.run(shlex.split(row.command), cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    if row.holds:
        yield from ((one.text, one.text) for one in own)
        return
    if row.values:
        document = json.loads(done.stdout)
        yield from ((then, now(document, place, then)) for then, place in row.values.items())
        return
    text = (REPOSITORY / row.writes).read_text(encoding="utf-8") if row.writes else done.stdout
    there = [_number(one) for one in re.findall(r"[-+\N{MINUS SIGN}]?\d[\d,]*(?:\.\d+)?", text)]
    for then in dict.fromkeys(one.text for one in own):
        # A page may say it shorter than the command does.
        short = (abs(round(one, len(then.partition(".")[2])) - _number(then)) < _SAME for one in there)
        yield then, then if any(short) else NOT_SAID


def _number(text: str) -> float:
    return abs(float(text.replace(",", "").replace("\N{MINUS SIGN}", "-")))


def listing(*, each: bool) -> Iterator[str]:
    """Yield lines of text: the rows with their commands, then those without; `each`: every figure too."""
    ordered = rows()
    found, _ = owned(ordered, figures())
    for with_command in (True, False):
        yield "Made by a command:" if with_command else "Not made by a command:"
        for row in sorted(ordered, key=lambda row: row.name):
            if bool(row.command) != with_command:
                continue
            took = f", about {row.minutes:g} min" if row.minutes else ""
            yield f"  {row.name}: {len(found[row.name])} figures of {row.page}{took}: {row.command or row.why}"
            if row.needs:
                yield f"      first: {row.needs}"
            for one in found[row.name] if each else ():
                yield f"      {one.page}:{one.line}: {one.text}"
    total = sum(map(len, found.values()))
    by_command = sum(len(found[row.name]) for row in ordered if row.command)
    yield f"{total} figures in {len(ordered)} rows; a command makes {by_command} of them"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Do what the options say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="list every figure with its page and line")
    parser.add_argument("--check", action="store_true", help="fail where a figure has no row, or a row no figure")
    parser.add_argument("--make", metavar="ROW", help="run this row's command; print each figure then and now")
    asked = parser.parse_args()
    if asked.check:
        wrong = faults()
        _say("\n".join(wrong) or "every published figure has its row")
        return bool(wrong)
    if asked.make is None:
        _say("\n".join(listing(each=asked.all)))
        return 0
    ordered = rows()
    row = next((row for row in ordered if row.name == asked.make), None)
    if row is None or not row.command:
        parser.error(f"{asked.make}: {row.why if row is not None else 'no such row'}")
    _say(f"$ {row.command}")
    others, unsaid = 0, 0
    try:
        for then, is_now in made(row, owned(ordered, figures())[0][row.name]):
            others += is_now not in {then, NOT_SAID}
            unsaid += is_now == NOT_SAID
            _say(f"{'=' if then == is_now else '!'} then {then:>14}   now {is_now}")
    except (OSError, subprocess.CalledProcessError, ValueError, LookupError, StopIteration) as fault:
        _say(f"not made: {type(fault).__name__}: {fault}" + (f"; first: {row.needs}" if row.needs else ""))
        return 1
    _say(f"{others} figures are others now, {unsaid} are {NOT_SAID}: look" if others + unsaid else "all as published")
    return bool(others + unsaid)


if __name__ == "__main__":
    sys.exit(main())
