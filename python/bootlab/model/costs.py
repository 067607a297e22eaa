# SPDX-License-Identifier: MIT
"""What a board adds to an exact boot: its console, its boot medium, its processor. Every value is an interval."""

from __future__ import annotations

import msgspec

SECOND_NS = 1_000_000_000


class Between(msgspec.Struct, frozen=True):
    """An interval: the true value lies between its ends. Both alike: it is known."""

    low: float
    high: float

    @classmethod
    def of(cls, value: float) -> Between:
        """Return a value that is known."""
        return cls(value, value)

    @property
    def known(self) -> bool:
        """Tell whether it is one value."""
        return self.low == self.high

    def scaled(self, factor: float) -> Between:
        """Return it in another unit."""
        return Between(self.low * factor, self.high * factor)

    def text(self, scale: float = 1.0) -> str:
        """Write it in multiples of `scale`: `20`, or `17 to 24`."""
        low, high = (f"{v:,.0f}" if abs(v) >= 1000 else f"{v:.4g}" for v in (self.low / scale, self.high / scale))
        return low if low == high else f"{low} to {high}"


LINE_TIMES = Between(0.967, 1.096)
"""How many times as long as characters / rate a kernel waits for its line: benchmarks/console_replay.py, 28 logs."""
READ_TIMES = Between(0.973, 1.027)
"""How many times as long as bytes / rate a load takes at a known rate: benchmarks/board_forecast.py, 16 loads."""


class BoardConsole(msgspec.Struct, frozen=True, kw_only=True):
    """A serial line. `baud`: bits a second; `bits_per_character`: start bit, eight data bits, stop bit."""

    baud: Between
    bits_per_character: int = 10
    source: str = ""

    @property
    def character_ns(self) -> Between:
        """How long a character takes, nanoseconds."""
        bits = self.bits_per_character * SECOND_NS
        return Between(bits / self.baud.high, bits / self.baud.low)


class BoardMedium(msgspec.Struct, frozen=True, kw_only=True):
    """What the loader reads kernel and initramfs from. `request_ns`: latency of each request; 0 bytes: one a file."""

    name: str
    bytes_per_s: Between
    request_ns: Between = Between(0, 0)
    request_bytes: int = 0
    source: str = ""

    @property
    def byte_ns(self) -> Between:
        """How long a byte takes, nanoseconds."""
        return Between(SECOND_NS / self.bytes_per_s.high, SECOND_NS / self.bytes_per_s.low)


class Core(msgspec.Struct, frozen=True, kw_only=True):
    """A processor: what an instruction takes on average in a boot, its waits for caches and memory included."""

    name: str
    instruction_ns: Between
    source: str = ""


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """A board's costs. `console` or `medium` None: not known, which widens every answer that depends on it.

    `core` None: the processor's time stays as exact mode counts it. `name`: as the user gave them.
    """

    name: str
    console: BoardConsole | None = None
    medium: BoardMedium | None = None
    core: Core | None = None
    modelled: str = ""
    """A core by name (`cortex-a53@1.2GHz`), whose time an instruction a costing boot has yet to tell; else empty."""

    @property
    def unknown(self) -> tuple[str, ...]:
        """What is not known of the board, in words."""
        said = ["console's rate"] if self.console is None else []
        said += ["medium"] if self.medium is None else []
        return (*said, "processor") if self.core is None else tuple(said)

    def lines(self) -> tuple[str, ...]:
        """Say in a line each what is known, and where from."""
        said = []
        if self.console is not None:
            said.append(f"console: {self.console.baud.text()} baud{_from(self.console.source)}")
        if self.medium is not None:
            rate = f"{self.medium.bytes_per_s.text(1e6)} MB/s"
            late = "" if not self.medium.request_ns.high else f", {self.medium.request_ns.text(1e3)} us a request"
            said.append(f"medium: {self.medium.name}, {rate}{late}{_from(self.medium.source)}")
        if self.core is not None:
            ns = self.core.instruction_ns.text()
            said.append(f"processor: {self.core.name}, {ns} ns an instruction{_from(self.core.source)}")
        elif self.modelled:
            said.append(f"processor: {self.modelled}; a costing boot of the base tells its time")
        else:
            said.append("processor: not given; its time stays as exact mode counts it")
        return tuple(said)


class Amounts(msgspec.Struct, frozen=True, kw_only=True):
    """What one boot asks of a board. Nanoseconds on the exact clock, bytes, characters.

    `late_characters`: printed once user space runs, and not by the kernel: the line may carry them while the processor
    computes. `loaded_ns`: what exact mode counted already for its emulated medium; `loaded_instructions`: what was
    executed meanwhile. `instructions` None: not counted.
    """

    exact_ns: int
    instructions: int | None = None
    instruction_ns: int = 1
    characters: int = 0
    late_characters: int = 0
    image_bytes: int = 0
    images: int = 0
    loaded_ns: int = 0
    loaded_instructions: int = 0


class TurningPoint(msgspec.Struct, frozen=True, kw_only=True):
    """From where on a change pays: the rate of a medium or a line, or the time of an instruction.

    `faster`: on which side of it the new system is faster. `at`: bytes a second, baud, or nanoseconds.
    """

    of: str
    at: Between
    faster: str

    def text(self, subject: str) -> str:
        """Say it: `lz4 wins above 31 MB/s`."""
        unit, scale = {"medium": ("MB/s", 1e6), "console": ("baud", 1), "processor": ("ns an instruction", 1)}[self.of]
        return f"{subject} wins {self.faster} {self.at.text(scale)} {unit}"


class BoardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One boot on a board: the exact part beside what the board adds, and their sum. Nanoseconds."""

    subject: str
    """`base`, `stack` or a change's id."""
    amounts: Amounts
    console_ns: Between
    load_ns: Between
    processor_ns: Between
    """How much longer the instructions take than exact mode counts; 0 where no processor was given."""
    board_ns: Between
    """Everything together: not the sum of the ends where they exclude each other."""


def _from(source: str) -> str:
    return f" ({source})" if source else ""
