# SPDX-License-Identifier: MIT
"""Where a tree's functions, initcalls and drivers are defined: an index made once, kept until a source file changes."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import weakref
from collections.abc import Iterable
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.errors import cannot_write
from bootlab.recordings import seal

_RULES = 1
"""Counted up whenever what is read out of source files changes."""
_BATCH = 500
FUNCTION, LOCAL, INITCALL, DRIVER, COMPATIBLE, INCLUDE = "F", "L", "I", "D", "C", "N"


class Defined(msgspec.Struct, frozen=True):
    """A place in a source file. `kind`: F function, L static one, I initcall, D driver, C compatible, N include."""

    kind: str
    name: str
    file: str
    line: int
    detail: str


class FunctionIndex:
    """Definitions by name, in a file of SQLite's."""

    def __init__(self, path: Path) -> None:
        """Open an index that `function_index` made."""
        # It is only read, and whichever thread drops the index last closes it.
        self._base = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)
        self._close = weakref.finalize(self, self._base.close)

    def close(self) -> None:
        """Close the file. An index that nobody holds any more is closed by itself."""
        self._close()

    def named(self, names: Iterable[str], kinds: str = FUNCTION + LOCAL) -> dict[str, list[Defined]]:
        """Return the definitions of each of the names that has one."""
        found: dict[str, list[Defined]] = {}
        wanted = list(dict.fromkeys(names))
        letters = ",".join("?" * len(kinds))
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(part))
            rows = self._base.execute(
                "SELECT d.kind, d.name, f.path, d.line, d.detail FROM defined d JOIN file f ON f.id = d.file "  # noqa: S608
                f"WHERE d.name IN ({marks}) AND d.kind IN ({letters}) ORDER BY f.path, d.line",
                (*part, *kinds),
            )
            for row in rows:
                found.setdefault(row[1], []).append(Defined(*row))
        return found

    def in_file(self, path: str, kinds: str) -> list[Defined]:
        """Return what one file defines."""
        letters = ",".join("?" * len(kinds))
        rows = self._base.execute(
            "SELECT d.kind, d.name, f.path, d.line, d.detail FROM defined d JOIN file f ON f.id = d.file "  # noqa: S608
            f"WHERE f.path = ? AND d.kind IN ({letters}) ORDER BY d.line",
            (path, *kinds),
        )
        return [Defined(*row) for row in rows]

    def with_detail(self, detail: str, kinds: str) -> list[Defined]:
        """Return definitions by their detail: drivers by the driver's name."""
        letters = ",".join("?" * len(kinds))
        rows = self._base.execute(
            "SELECT d.kind, d.name, f.path, d.line, d.detail FROM defined d JOIN file f ON f.id = d.file "  # noqa: S608
            f"WHERE d.detail = ? AND d.kind IN ({letters}) ORDER BY f.path",
            (detail, *kinds),
        )
        return [Defined(*row) for row in rows]

    def including(self, ending: str) -> dict[str, list[str]]:
        """Return which files include sources whose name ends so: the name as written, to the files."""
        rows = self._base.execute(
            "SELECT d.name, f.path FROM defined d JOIN file f ON f.id = d.file WHERE d.kind = 'N' AND d.name LIKE ?",
            (f"%{ending}",),
        )
        found: dict[str, list[str]] = {}
        for name, path in rows:
            found.setdefault(name, []).append(path)
        return found


def function_index(tree: Path, srcarch: str, folder: Path) -> FunctionIndex:
    """Return the index of a tree for one architecture; it is made when there is none, or only a damaged one.

    Raise EnvironmentFault when `folder`, where indexes are kept, cannot be written.
    """
    files = _core.source_files(str(tree), srcarch)
    facts = hashlib.sha256(f"{_RULES} {srcarch}".encode())
    for path, size, changed_ns in files:
        facts.update(f"{path}\0{size}\0{changed_ns}\n".encode("utf-8", "surrogateescape"))
    place = folder / f"{facts.hexdigest()[:32]}.functions"
    if not seal.holds(place):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            fresh = place.with_suffix(f".{id(files)}.new")
            fresh.unlink(missing_ok=True)
            _write(fresh, files, _core.source_definitions(str(tree), files))
            seal.put_in_place(fresh, place)
        except (OSError, sqlite3.Error) as fault:
            raise cannot_write(f"the index {place} cannot be written", fault, folder) from fault
    return FunctionIndex(place)


def _write(path: Path, files: list[tuple[str, int, int]], defined: list[list[tuple[str, str, int, str]]]) -> None:
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        base.execute("CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT)")
        base.execute("CREATE TABLE defined (file INTEGER, kind TEXT, name TEXT, line INTEGER, detail TEXT)")
        base.executemany("INSERT INTO file VALUES (?, ?)", ((n, path) for n, (path, _, _) in enumerate(files)))
        wanted = (
            (number, kind, name, line, detail)
            for number, rows in enumerate(defined)
            for kind, name, line, detail in rows
            if kind != INCLUDE or name.endswith((".c", ".S"))
        )
        base.executemany("INSERT INTO defined VALUES (?, ?, ?, ?, ?)", wanted)
        for column in ("name", "detail", "file"):
            base.execute(f"CREATE INDEX by_{column} ON defined ({column})")
        base.commit()
