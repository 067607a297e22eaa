# SPDX-License-Identifier: MIT
"""What is said of a document: sentences, costs in words, tables.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class CostWords(msgspec.Struct, frozen=True, kw_only=True):
    """A cost in the words of a list of costs. What was found, its evidence and what to do are the cost's own."""

    gain: str
    """What it may gain, and how sure that is: `may gain at most 3.000 ms; the log says so`."""
    helps: bool
    """Whether there may be something to gain, so that what to do is said."""
    place: str
    """The lines that show it: `lines 3, 6`; empty where none does."""
    spent: str
    """What it takes: `≥ 12.500 ms`."""


class EndRow(msgspec.Struct, frozen=True, kw_only=True):
    """Where a boot ends."""

    at: str
    """When, with the sign of a bound."""
    at_on_page: str
    """The same as pages group it."""
    name: str
    """How that end is called."""
    ns: int | None = None
    """When, ns."""
    on_axis: bool
    """Whether it belongs to the boot, so that the axis reaches to it."""
    text: str
    """The last line."""


class StageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One event, with how long it is to the next one that has a time."""

    at: str
    """When, with the sign of a bound."""
    at_on_page: str
    """The same as pages group it."""
    basis: str
    """The line that shows it, or why none does."""
    event: str
    """Its name."""
    length: str
    """How long, with the sign of a bound; empty where that is not known."""
    length_ns: int | None = None
    """How long, ns."""
    ns: int | None = None
    """When, ns; absent where no clock tells."""
    seen: bool
    """Whether the log shows it."""


Only = Literal["both", "terminal", "page"]
"""For whom a table is."""


class TableCell(msgspec.Struct, frozen=True, kw_only=True):
    """A cell. A number is sorted by its value, an absent one last; a text by itself."""

    is_number: bool
    """Whether it is sorted by `value`."""
    limit: int
    """So many characters stand on the terminal."""
    on_page: str
    """What a page shows."""
    style: str = ""
    """Its style on the terminal."""
    text: str
    """What the terminal shows."""
    value: int | None = None
    """The number."""


class TableListing(msgspec.Struct, frozen=True, kw_only=True):
    """A table. A column `>name` is set to the right, `~name` takes what room the others leave on the terminal."""

    below: list[str] = []
    """What the terminal says below it."""
    beside_goal: str = ""
    """Its title where a recording knows when the goal came, where that is another."""
    columns: list[str] = []
    """Its columns."""
    lead: str = ""
    """What a page says above it."""
    least: int
    """So many rows are shown however few are asked for."""
    narrow: list[int] = []
    """Columns, by their number, that only a page has room for."""
    only: Only
    """For whom it is."""
    rows: list[list[TableCell]] = []
    """Its rows."""
    terminal: str = ""
    """Its title on the terminal, where that says more than a page's."""
    title: str
    """Its title."""


class ToldPart(msgspec.Struct, frozen=True, kw_only=True):
    """What one part tells."""

    beside_goal: list[str] = []
    """Those that stand behind the sentence of a recording that knows when the goal came."""
    bound: str | None = None
    """How long the boot was, where its log only bounds that."""
    costs: list[CostWords] = []
    """Its costs, in their order."""
    end: EndRow | None = None
    """Where it ends."""
    failures: list[str] = []
    """What went wrong, one line each."""
    headline: list[str] = []
    """The sentences that a person reads first."""
    name: str
    """What the part is called."""
    notes: list[str] = []
    """How sure the places of clocks on the axis are."""
    stages: list[StageRow] = []
    """Its events."""
    tables: list[TableListing] = []
    """Its tables."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a document tells, part by part."""

    parts: list[ToldPart] = []
    """Of each part of the document, in its order. Empty for a trace and the like, which others show."""
