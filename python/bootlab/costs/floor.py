# SPDX-License-Identifier: MIT
"""A floor by the time of a board: its parts with the board's processor, and what only the board takes time for."""

from __future__ import annotations

from bootlab.costs.prices import ANY_CONSOLE, board_row
from bootlab.model.costs import SECOND_NS, Amounts, Between, Costs
from bootlab.model.floor import BoardFloor, BoardPart, Floor, scaled


def floor_on(costs: Costs, floor: Floor, boot: Amounts) -> BoardFloor:
    """Return a floor by a board's time; `boot`: what the boot asks of it."""
    row = board_row(costs, "base", boot)
    factor: Between | None = None
    if costs.core is not None and boot.instructions is not None:
        factor = costs.core.instruction_ns.scaled(1 / boot.instruction_ns)
    longest = [part.ns for part in floor.parts] + [one.ns for one in floor.obstacles]
    exact_ns = max(longest, default=0)
    outweighs = scaled(exact_ns, factor or Between.of(1.0))
    bits = (costs.console or ANY_CONSOLE).bits_per_character
    console = BoardPart(
        title=f"the console's line: {boot.characters:,} characters",
        ns=row.console_ns,
        lever="console-quiet, a faster line",
        largest=_below(boot.characters * bits, outweighs, 1, "baud"),
    )
    images = BoardPart(
        title=f"reading kernel and initramfs: {boot.image_bytes / 1e6:.1f} MB",
        ns=row.load_ns,
        lever="smaller images, a faster medium",
        largest=_below(boot.image_bytes, outweighs, 1e6, "MB/s"),
    )
    return BoardFloor(
        factor=factor,
        goal_ns=row.board_ns,
        floor_ns=None if factor is None else scaled(floor.floor_ns, factor),
        parts=tuple(sorted((console, images), key=lambda part: -part.ns.high)),
    )


def _below(amount: float, outweighs: Between, scale: float, unit: str) -> str:
    """Say from which rate on an amount takes longer than the largest part of the exact boot."""
    if not amount or not outweighs.low:
        return ""
    rate = Between(amount * SECOND_NS / outweighs.high, amount * SECOND_NS / outweighs.low)
    return f"below {rate.text(scale)} {unit}"
