"""What hardware would add and exact mode cannot see: simple models, kept apart from everything measured.

console time = characters x bits per character / baud; load time = image bytes / bandwidth. Nanoseconds, rounded down.
"""

from __future__ import annotations

import msgspec

_SECOND_NS = 1_000_000_000
DEFAULT_BANDWIDTH = 20_000_000
"""Bytes a second that load times assume: an SD card in default-speed mode. Never a part of a measured time."""


def load_ns(count_bytes: int, bandwidth_bytes_per_s: int) -> int:
    """Return how long a medium takes to give so many bytes."""
    return count_bytes * _SECOND_NS // bandwidth_bytes_per_s


def line_ns(characters: int, baud: int, bits_per_character: int = 10) -> int:
    """Return how long a serial line takes for so many characters: start bit, eight data bits, stop bit."""
    return characters * bits_per_character * _SECOND_NS // baud


class ModelledRow(msgspec.Struct, frozen=True, kw_only=True):
    """Modelled costs of one boot. Never add them to a measured time without saying so."""

    subject: str
    """`base`, `stack` or a change's id."""
    console_bytes: int
    console_ns: int
    image_bytes: int
    image_ns: int | None
    """None when no bandwidth was given."""


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
