# SPDX-License-Identifier: MIT
"""One bit of a file turned over: what a bad cell of a disk, or of a memory, does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path


def flipped(raw: bytes, bit: int) -> bytes:
    """Return bytes with one bit turned over."""
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def every(raw: bytes) -> Iterator[bytes]:
    """Return the bytes with each of their bits turned over, one after the other."""
    return (flipped(raw, bit) for bit in range(len(raw) * 8))


def some(raw: bytes, number: int) -> Iterator[bytes]:
    """Return samples of `every`, the same ones each time."""
    bits = random.Random(1).sample(range(len(raw) * 8), min(number, len(raw) * 8))
    return (flipped(raw, bit) for bit in bits)


def put(path: Path, raw: bytes) -> None:
    """Write bytes over a file of the same length: ext4 waits for the disk when a file is cut to nothing and closed."""
    with path.open("r+b" if path.exists() else "wb") as file:
        file.write(raw)
        file.truncate()
