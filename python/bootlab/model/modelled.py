# SPDX-License-Identifier: MIT
"""What hardware would add and exact mode cannot see, at one known rate of its line and of its medium.

By the prices of :mod:`bootlab.model.costs`, in whole nanoseconds, and kept apart from everything measured. A rate is
known; what is waited at it is an interval, as wide as the model was off on boards whose rates were known.
"""

from __future__ import annotations

import msgspec

from bootlab.model.comparison import Value
from bootlab.model.costs import LINE_TIMES, READ_TIMES, Between, BoardConsole, BoardMedium

DEFAULT_BANDWIDTH = 20_000_000
"""Bytes a second that load times assume: an SD card in default-speed mode. Never a part of a measured time."""

LOADED = ("kernel", "initramfs")
"""What a boot loader reads whole; a root file system is read as it is used."""

BOARDS = tuple((line, read) for line in (LINE_TIMES.low, LINE_TIMES.high) for read in (READ_TIMES.low, READ_TIMES.high))
"""How many times as long as their rates say a board's line and its medium take: every pair of extremes."""


def load_ns(count_bytes: int, bandwidth_bytes_per_s: int) -> int:
    """Return how long a medium takes to give so many bytes, if it keeps to its rate."""
    return round(count_bytes * BoardMedium(name="", bytes_per_s=Between.of(bandwidth_bytes_per_s)).byte_ns.low)


def line_ns(characters: int, baud: int, bits_per_character: int = 10) -> int:
    """Return how long a serial line takes for so many characters, if it keeps to its rate.

    A character is a start bit, eight data bits and a stop bit.
    """
    console = BoardConsole(baud=Between.of(baud), bits_per_character=bits_per_character)
    return round(characters * console.character_ns.low)


def load_ends_ns(count_bytes: int, bandwidth_bytes_per_s: int) -> Between:
    """Return how long a medium of that rate takes on boards, at least and at most."""
    return READ_TIMES.scaled(load_ns(count_bytes, bandwidth_bytes_per_s))


def line_ends_ns(characters: int, baud: int) -> Between:
    """Return how long a kernel waits on boards for a line of that rate, at least and at most."""
    return LINE_TIMES.scaled(line_ns(characters, baud))


def both_ends(key: str, between: Between | None) -> dict[str, Value]:
    """Return the values of a comparison's row for an interval: `KEY_least_ns` and `KEY_most_ns`; None: not known."""
    return {
        f"{key}_least_ns": None if between is None else round(between.low),
        f"{key}_most_ns": None if between is None else round(between.high),
    }


class ModelledRow(msgspec.Struct, frozen=True, kw_only=True):
    """Modelled costs of one boot. Never add them to a measured time without saying so."""

    subject: str
    """`base`, `stack` or a change's id."""
    console_bytes: int
    console_ns: int
    image_bytes: int
    image_ns: int | None
    """None when no bandwidth was given."""

    @property
    def console(self) -> Between:
        """What the line is waited for, at least and at most."""
        return LINE_TIMES.scaled(self.console_ns)

    @property
    def images(self) -> Between | None:
        """What the images are waited for, at least and at most."""
        return None if self.image_ns is None else READ_TIMES.scaled(self.image_ns)

    def added_ns(self, line_times: float, read_times: float) -> float:
        """Return the sum on a board whose line and medium take so many times as long as their rates say."""
        return self.console_ns * line_times + (self.image_ns or 0) * read_times


class Modelled(msgspec.Struct, frozen=True, kw_only=True):
    """The models' parameters and one row a boot."""

    baud: int = 115200
    bits_per_character: int = 10
    """Start bit, eight data bits, stop bit."""
    bandwidth_bytes_per_s: int | None = None
    """Bandwidth of the medium that the images are read from."""
    rows: tuple[ModelledRow, ...] = ()

    def with_boot(self, subject: str, *, console_bytes: int, image_bytes: int) -> Modelled:
        """Return the table with one more boot."""
        row = ModelledRow(
            subject=subject,
            console_bytes=console_bytes,
            console_ns=line_ns(console_bytes, self.baud, self.bits_per_character),
            image_bytes=image_bytes,
            image_ns=load_ns(image_bytes, self.bandwidth_bytes_per_s) if self.bandwidth_bytes_per_s else None,
        )
        return msgspec.structs.replace(self, rows=(*self.rows, row))
