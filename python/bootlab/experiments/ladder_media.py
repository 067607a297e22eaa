# SPDX-License-Identifier: MIT
"""Which packing of the images wins on which medium: measured work, and the loading as a model beside it.

A better compression trades loading for unpacking. Exact mode shows the unpacking and no loading, so that which one wins
is a question of the medium.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.model.comparison import Column, Row, Table, Value
from bootlab.model.modelled import load_ns

GROUP = "medium"
CHANGE = "change"
"""Values of `group`: of these rows, and of a ladder's own."""


class LadderMedium(msgspec.Struct, frozen=True):
    """A medium, and how many bytes a second its bus carries at most."""

    name: str
    bytes_per_s: int


MEDIA = (
    LadderMedium("SPI NOR, 1 bit at 25 MHz", 3_125_000),
    LadderMedium("SD, default speed", 12_500_000),
    LadderMedium("SD, high speed; SPI NOR, 4 bits at 50 MHz", 25_000_000),
    LadderMedium("SD, UHS-I SDR50", 50_000_000),
    LadderMedium("SD, UHS-I SDR104", 104_000_000),
    LadderMedium("eMMC, HS200", 200_000_000),
    LadderMedium("eMMC, HS400", 400_000_000),
)
"""Limits of the buses (SD Association: bus speed modes; JEDEC JESD84-B51), which a card or a chip may not reach."""

COLUMNS = (
    Column(key="rate", title="bus", kind="rate", under="MB/s"),
    Column(key="base_load_ns", title="base loads", kind="ms", under="modelled, ms"),
    Column(key="best", title="best change"),
    Column(key="best_load_ns", title="loads", kind="ms", under="modelled, ms"),
    Column(key="total_change_ns", title="loading and boot", kind="signed-ms", under="against the base, ms"),
)
TABLE = Table(
    title="Which packing wins on which medium (modelled)",
    columns=("title", *(column.key for column in COLUMNS)),
    group=GROUP,
)
NOTE = (
    "Which packing wins: of the proved changes that alter what is loaded, the one with the smallest sum of its change "
    "in measured time and of bytes / the bus's limit. A card or a chip may be slower than its bus."
)


class Packing(msgspec.Struct, frozen=True, kw_only=True):
    """What one change loads, and by how much its measured time differs from the base (negative: faster)."""

    name: str
    loaded_bytes: int
    time_ns: int


def rows(base_bytes: int | None, packings: Sequence[Packing]) -> tuple[Row, ...]:
    """Return a row for each medium; none where nothing changes what is loaded."""
    if base_bytes is None or not packings:
        return ()
    base = Packing(name="none: the base", loaded_bytes=base_bytes, time_ns=0)
    return tuple(_row(medium, base, packings) for medium in MEDIA)


def _row(medium: LadderMedium, base: Packing, packings: Sequence[Packing]) -> Row:
    def total_ns(one: Packing) -> int:
        return one.time_ns + load_ns(one.loaded_bytes, medium.bytes_per_s)

    best = min((base, *packings), key=total_ns)
    values: dict[str, Value] = {
        "group": GROUP,
        "rate": medium.bytes_per_s,
        "base_load_ns": load_ns(base.loaded_bytes, medium.bytes_per_s),
        "best": best.name,
        "best_load_ns": load_ns(best.loaded_bytes, medium.bytes_per_s),
        "total_change_ns": total_ns(best) - total_ns(base),
    }
    return Row(id=medium.name, title=medium.name, values=values)
