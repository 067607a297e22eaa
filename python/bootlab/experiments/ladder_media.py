# SPDX-License-Identifier: MIT
"""Which packing of the images wins on which medium: measured work, and the loading as a model beside it.

A better compression trades loading for unpacking. Exact mode shows the unpacking and no loading, so that which one wins
is a question of the medium.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.model.comparison import Column, Row, Table, Value
from bootlab.model.costs import Between
from bootlab.model.modelled import both_ends, load_ends_ns

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
    Column(key="base_load_least_ns", title="base loads", kind="ms", under="modelled, ms", ends="base_load_most_ns"),
    Column(key="best", title="best change"),
    Column(key="best_load_least_ns", title="loads", kind="ms", under="modelled, ms", ends="best_load_most_ns"),
    Column(
        key="total_change_least_ns",
        title="loading and boot",
        kind="signed-ms",
        under="against the base, ms",
        ends="total_change_most_ns",
    ),
)
TABLE = Table(
    title="Which packing wins on which medium (modelled)",
    columns=("title", *(column.key for column in COLUMNS)),
    group=GROUP,
)
NOTE = (
    "Which packing wins: of the proved changes that alter what is loaded, the one with the smallest sum of its change "
    "in measured time and of bytes / the bus's limit, as wide as the model was off on boards of known rates. Two "
    "names: one wins at one end, the other at the other. A card or a chip may be slower than its bus."
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
    def load(packing: Packing) -> Between:
        return load_ends_ns(packing.loaded_bytes, medium.bytes_per_s)

    def at_ends(packing: Packing) -> tuple[float, float]:
        return packing.time_ns + load(packing).low, packing.time_ns + load(packing).high

    # All packings are loaded from one medium, which is as slow for one as for the other.
    bests = [min((base, *packings), key=lambda packing: at_ends(packing)[end]) for end in (0, 1)]
    changes = sorted(at_ends(best)[end] - at_ends(base)[end] for end, best in enumerate(bests))
    loads = sorted((load(bests[0]).low, load(bests[1]).high))
    values: dict[str, Value] = {
        "group": GROUP,
        "rate": medium.bytes_per_s,
        **both_ends("base_load", load(base)),
        "best": " or ".join(dict.fromkeys(best.name for best in bests)),
        **both_ends("best_load", Between(*loads)),
        **both_ends("total_change", Between(*changes)),
    }
    return Row(id=medium.name, title=medium.name, values=values)
