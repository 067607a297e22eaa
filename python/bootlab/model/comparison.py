# SPDX-License-Identifier: MIT
"""A comparison: several boots of one system side by side, as plain data that every view can draw.

An experiment (:mod:`bootlab.experiments`) fills it, the run's results carry it, a view (:mod:`bootlab.views.table`)
draws it without knowing what was compared.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Value = int | float | str | bool | None

Kind = Literal["text", "ms", "signed-ms", "us", "bytes", "count", "percent", "rate", "hex"]
"""How a value is shown. `ms`, `signed-ms`, `us`: nanoseconds. `bytes`: bytes. `percent`: a share, 0.5 is half.
`rate`: bytes per second, shown as MB/s."""

ROW_FIELDS = ("id", "title", "verdict", "reason", "proof", "cmdline", "key")
"""Fields of a row that a column may name besides its values."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column. `key`: a row's value or one of ROW_FIELDS. `under`: what stands below the title (clock, unit).

    `note`: the key of a value that stands behind the cell (`31.2 MiB in 4 files`). `wide`: not on a terminal.
    `unsure`: the key of the value, in nanoseconds, that says how far this one is unsure; a time's digits follow it.
    `ends`: the key of the interval's other end, for a modelled value; `key` has the low one, and the cell shows both.
    """

    key: str
    title: str
    kind: Kind = "text"
    under: str = ""
    note: str = ""
    wide: bool = False
    unsure: str = ""
    ends: str = ""

    @property
    def is_text(self) -> bool:
        """Tell whether it holds words, which stand on the left."""
        return self.kind == "text"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One variant: what its boots show. Values by column key, None where nothing shows them; times in nanoseconds.

    `ok`: it reached its goal and works. `proved`: its boot shows that it was what the row says; `proof` says by what.
    `key`: its recording. `each_ns`: what each boot of a board took, in their order, to be drawn beside `exact_ns`.
    """

    id: str
    title: str
    ok: bool = True
    proved: bool = True
    verdict: str = ""
    reason: str = ""
    proof: str = ""
    cmdline: str = ""
    key: str = ""
    values: dict[str, Value] = {}
    each_ns: tuple[int, ...] = ()

    def value(self, key: str) -> Value:
        """Return a value, or a field of the row that a column may name."""
        if key in self.values:
            return self.values[key]
        return getattr(self, key) if key in ROW_FIELDS else None

    def ns(self, key: str) -> int | None:
        """Return a time in nanoseconds, or None."""
        found = self.values.get(key)
        return found if isinstance(found, int) else None


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A variant that was not booted, and why."""

    id: str
    title: str
    reason: str


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One table of a comparison: some of its columns, for all rows or for those whose `group` value is this one.

    `wide`: columns that a terminal leaves out of this table.
    """

    title: str = ""
    columns: tuple[str, ...]
    group: Value = None
    wide: tuple[str, ...] = ()


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of one system side by side. `facts`: what holds for all rows. `tables`: how they are shown.

    `clock` is that of every time in it: two clocks never share a column.
    """

    kind: str
    system: str
    clock: str
    headline: str = ""
    footnote: str = ""
    facts: dict[str, Value] = {}
    columns: tuple[Column, ...] = ()
    tables: tuple[Table, ...] = ()
    rows: tuple[Row, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def sound(self) -> bool:
        """Tell whether every row works and shows what it says."""
        return all(row.ok and row.proved for row in self.rows)

    def column(self, key: str) -> Column:
        """Return a column by its key."""
        return next(column for column in self.columns if column.key == key)

    def rows_of(self, table: Table) -> tuple[Row, ...]:
        """Return the rows of one table."""
        return tuple(row for row in self.rows if table.group is None or row.values.get("group") == table.group)

    def document(self) -> dict[str, Any]:
        """Return it as JSON prints it: facts beside the head, each row's values beside its fields."""
        fields = ("id", "title", "ok", "proved", "verdict", "reason", "proof", "cmdline", "key")
        return {
            "format": f"bootlab-{self.kind}",
            "version": 2,
            "system": self.system,
            "clock": self.clock,
            **self.facts,
            "rows": [{**{name: getattr(row, name) for name in fields}, **row.values} for row in self.rows],
            "left_out": [msgspec.structs.asdict(row) for row in self.left_out],
        }
