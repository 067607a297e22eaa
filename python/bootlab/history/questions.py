# SPDX-License-Identifier: MIT
"""What is asked of a history, as SQL that SQLite and PostgreSQL understand, and boots out of the answers.

As text: SQLAlchemy sends it to both, and SQLite's file is asked without that library, which takes longer to import than
thousands of boots to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bootlab.history.rows import VALUE_COLUMNS, Row, Value

COLUMNS = (
    "id", "uid", "system", "revision", "variant", "session", "at", "host", "outcome", "clock", "exact", "insns",
    "recording_key", "object", "facts", "digest",
)  # fmt: skip
SYSTEMS = "SELECT boots.system, COUNT(*) FROM boots GROUP BY boots.system"


def _of(table: str, names: Iterable[str]) -> str:
    """Name columns of a table: SQLite takes a lone word in quotes that is no column, of a damaged file, for a text."""
    return ", ".join(f"{table}.{name}" for name in names)


class BootsWanted:
    """Boots of a history: those in which columns have a value, made since a date, only so many of the newest."""

    def __init__(self, *, since: str | None = None, newest: int | None = None, **wanted: str | int | None) -> None:
        """Choose; None chooses everything."""
        parts = [f"boots.{column} = :{column}" for column, value in wanted.items() if value is not None]
        if since is not None:
            parts.append("boots.at >= :since")
        given = wanted | {"since": since, "newest": newest}
        self.parameters: dict[str, str | int] = {name: value for name, value in given.items() if value is not None}
        self._which = f"FROM boots{' WHERE ' if parts else ''}{' AND '.join(parts)}"
        self._newest_first = (
            f"{self._which} ORDER BY boots.at DESC, boots.id DESC{'' if newest is None else ' LIMIT :newest'}"
        )
        self._all = not parts and newest is None

    @property
    def boots(self) -> str:
        """Ask for their rows, the newest first."""
        return f"SELECT {_of('boots', COLUMNS)} {self._newest_first}"

    @property
    def values(self) -> str:
        """Ask for their values, those of a boot together and by name."""
        limited = self._newest_first if "newest" in self.parameters else self._which
        which = "" if self._all else f" WHERE boot_values.boot IN (SELECT boots.id {limited})"
        columns = _of("boot_values", ("boot", *VALUE_COLUMNS))
        # Made of constants: whatever somebody wrote is a parameter.
        return f"SELECT {columns} FROM boot_values{which} ORDER BY boot_values.boot, boot_values.name"  # noqa: S608


def rows_of(boots: Sequence[Sequence[Any]], values: Iterable[Sequence[Any]]) -> Iterator[tuple[Row, list[Value]]]:
    """Give each row with its values, the oldest first, out of both answers of a choice."""
    of_boot: dict[int, list[Value]] = {}
    for boot, name, ns, why_not in values:
        of_boot.setdefault(boot, []).append((name, ns, why_not))
    for found in reversed(boots):
        row = dict(zip(COLUMNS, found, strict=True))
        # SQLite keeps a truth as a number.
        row["exact"] = bool(row["exact"])
        yield row, of_boot.get(row["id"], [])


def by_name(counted: Iterable[Sequence[Any]]) -> list[tuple[str, int]]:
    """Return systems and how many boots each has, by name: a server's order of text depends on how it was set up."""
    return sorted((str(name), int(count)) for name, count in counted)
