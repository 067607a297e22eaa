# SPDX-License-Identifier: MIT
"""The one model of what a board adds: board's time = exact time + characters + images read + processor's difference.

The sum is linear in each price, so that over intervals of prices its ends lie where each price is at one of its own.
Two boots pay the same prices: the interval of a saving is that of the difference, not the difference of intervals.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import msgspec

from bootlab.model.costs import SECOND_NS, Amounts, Between, BoardConsole, BoardMedium, BoardRow, Costs, TurningPoint

ANY_CONSOLE = BoardConsole(baud=Between(9600, 4_000_000), source="not known: any usual rate")
ANY_MEDIUM = BoardMedium(name="any", bytes_per_s=Between(500_000, 1_000_000_000), source="not known: SPI NOR to NVMe")


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """One value for everything that a board charges. Nanoseconds, and shares between 0 and 1.

    `late_share`: of what user space prints that the boot waits for; `loaded_share`: of what exact mode counted for its
    emulated medium that the board's own reading replaces. `instruction_ns` None: as exact mode counts it.
    """

    character_ns: float
    late_share: float
    byte_ns: float
    request_ns: float
    loaded_share: float
    instruction_ns: float | None
    request_bytes: int = 0

    def added_ns(self, boot: Amounts) -> float:
        """Return what the board adds to a boot's exact time (negative: it is faster), nanoseconds."""
        return self.console_ns(boot) + self.load_ns(boot) + self.processor_ns(boot)

    def console_ns(self, boot: Amounts) -> float:
        """Return what the characters take."""
        printed = boot.characters - boot.late_characters + self.late_share * boot.late_characters
        return printed * self.character_ns

    def load_ns(self, boot: Amounts) -> float:
        """Return what reading the images takes, beyond what exact mode counted for it."""
        requests = -(-boot.image_bytes // self.request_bytes) if self.request_bytes else boot.images
        read = boot.image_bytes * self.byte_ns + requests * self.request_ns
        # What the load executed costs what the core's price makes of it, and goes with it: not twice.
        loaded_ns = boot.loaded_ns + boot.loaded_instructions * self._instruction_ns(boot)
        return read - self.loaded_share * loaded_ns

    def processor_ns(self, boot: Amounts) -> float:
        """Return how much longer the instructions take than exact mode counts."""
        return (boot.instructions or 0) * self._instruction_ns(boot)

    def _instruction_ns(self, boot: Amounts) -> float:
        """Return how much longer one instruction takes than exact mode counts."""
        if self.instruction_ns is None or boot.instructions is None:
            return 0.0
        return self.instruction_ns - boot.instruction_ns


def corners(costs: Costs) -> tuple[Prices, ...]:
    """Return the prices of a board with each at one end of its interval, in every combination."""
    console, medium = costs.console or ANY_CONSOLE, costs.medium or ANY_MEDIUM
    instruction: tuple[float | None, ...] = (None,)
    if costs.core is not None:
        instruction = _ends(costs.core.instruction_ns)
    return tuple(
        Prices(
            character_ns=character_ns,
            late_share=late_share,
            byte_ns=byte_ns,
            request_ns=request_ns,
            loaded_share=loaded_share,
            instruction_ns=instruction_ns,
            request_bytes=medium.request_bytes,
        )
        for character_ns, late_share, byte_ns, request_ns, loaded_share, instruction_ns in itertools.product(
            _ends(console.character_ns), (0.0, 1.0), _ends(medium.byte_ns), _ends(medium.request_ns), (0.0, 1.0),
            instruction,
        )
    )  # fmt: skip


def board_row(costs: Costs, subject: str, boot: Amounts) -> BoardRow:
    """Return the board's time of a boot, and what it is made of."""
    known = corners(costs)

    def ends(part: Callable[[Prices], float]) -> Between:
        values = [part(prices) for prices in known]
        return Between(min(values), max(values))

    return BoardRow(
        subject=subject,
        amounts=boot,
        console_ns=ends(lambda prices: prices.console_ns(boot)),
        load_ns=ends(lambda prices: prices.load_ns(boot)),
        processor_ns=ends(lambda prices: prices.processor_ns(boot)),
        board_ns=ends(lambda prices: boot.exact_ns + prices.added_ns(boot)),
    )


def times_as_fast(costs: Costs, base: Amounts, new: Amounts) -> Between:
    """Return how many times as fast the new boot is on a board: both pay the same prices."""
    times = [
        (base.exact_ns + prices.added_ns(base)) / max(1.0, new.exact_ns + prices.added_ns(new))
        for prices in corners(costs)
    ]
    return Between(min(times), max(times))


def saving_ends(costs: Costs, base: Amounts, new: Amounts) -> tuple[Prices, Prices]:
    """Return the prices at which a change saves least, and those at which it saves most."""
    known = sorted(corners(costs), key=lambda prices: prices.added_ns(base) - prices.added_ns(new))
    return known[0], known[-1]


def turning_points(costs: Costs, base: Amounts, new: Amounts) -> tuple[TurningPoint, ...]:
    """Return where the sign of a saving turns, for each thing that the two boots pay a different amount of."""
    return tuple(_turns(costs, base, new))


def _turns(costs: Costs, base: Amounts, new: Amounts) -> Iterator[TurningPoint]:
    exact_ns = base.exact_ns - new.exact_ns
    known = corners(costs)
    kinds = ["medium", "console"]
    kinds += ["processor"] if base.instructions is not None and new.instructions is not None else []
    for of in kinds:
        # Amounts saved of each; what is left of the saving must be as large with the other sign where it turns.
        saved = [_amount(of, prices, base) - _amount(of, prices, new) for prices in known]
        if min(saved) * max(saved) <= 0:
            continue
        rest = [exact_ns + _without(of, prices, base) - _without(of, prices, new) for prices in known]
        turns = [-ns / amount for ns, amount in zip(rest, saved, strict=True)]
        if min(turns) <= 0:
            continue
        # A price is the inverse of a rate: dearer is slower.
        price, less = Between(min(turns), max(turns)), saved[0] > 0
        if of == "processor":
            yield TurningPoint(of=of, at=price, faster="above" if less else "below")
            continue
        unit = SECOND_NS if of == "medium" else SECOND_NS * (costs.console or ANY_CONSOLE).bits_per_character
        rate = Between(unit / price.high, unit / price.low)
        yield TurningPoint(of=of, at=rate, faster="below" if less else "above")


def _amount(of: str, prices: Prices, boot: Amounts) -> float:
    """Return what a price is multiplied with: bytes, characters, or instructions that the medium does not replace."""
    if of == "medium":
        return boot.image_bytes
    if of == "console":
        return boot.characters
    return (boot.instructions or 0) - prices.loaded_share * boot.loaded_instructions


def _without(of: str, prices: Prices, boot: Amounts) -> float:
    """Return what a board adds but for one thing; without the processor its whole time is left out."""
    if of == "medium":
        without = msgspec.structs.replace(prices, byte_ns=0.0)
    elif of == "console":
        # Late characters are asked for whole: the line's rate is what turns it.
        without = msgspec.structs.replace(prices, character_ns=0.0)
    else:
        exact = msgspec.structs.replace(prices, instruction_ns=None)
        return exact.added_ns(boot) - _amount(of, prices, boot) * boot.instruction_ns
    return without.added_ns(boot)


def _ends(value: Between) -> tuple[float, ...]:
    return (value.low,) if value.known else (value.low, value.high)
