"""Reads the file that the stamp plugin maps (qemu-plugin/stamp-file.h)."""

from __future__ import annotations

import struct
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

_HEADER = struct.Struct("<8s7Q")
_MARK = struct.Struct("<3Q")
_MAGIC = b"BLSTAMP\0"
_VERSION = 1
_MAX_MARKS = 65
_MAX_STAMPS = 64 << 20
_MAX_NS = (1 << 63) - 1
_STAMPS_AT = _HEADER.size + _MAX_MARKS * _MARK.size
USER_MARK = 64


class StampedMark(msgspec.Struct, frozen=True):
    """When a marked instruction was first executed: virtual nanoseconds and instructions before it."""

    ns: int
    insns: int


class Stamps(msgspec.Struct, frozen=True):
    """Console bytes with their times. `ends[i]` bytes had been written once stamp `i`'s bytes were out."""

    ends: NDArray[np.int64]
    ns: NDArray[np.int64]
    insns: NDArray[np.int64]
    marks: dict[int, StampedMark]
    overflow: bool = False

    def at(self, offset_bytes: int) -> tuple[int, int] | None:
        """Return (ns, instructions) of the console byte at an offset, or None when nothing stamped it."""
        index = int(np.searchsorted(self.ends, offset_bytes, side="right"))
        if index >= len(self.ends):
            return None
        return int(self.ns[index]), int(self.insns[index])

    def cut(self, console_bytes: int) -> Stamps:
        """Return the stamps of the first bytes only."""
        keep = int(np.searchsorted(self.ends, console_bytes, side="left")) + 1
        return msgspec.structs.replace(self, ends=self.ends[:keep], ns=self.ns[:keep], insns=self.insns[:keep])


class Progress(msgspec.Struct, frozen=True):
    """What the mapped file says while the machine runs."""

    stamped_bytes: int
    now_ns: int


class StampFile:
    """The plugin's file, open for reading while QEMU runs and after."""

    def __init__(self, path: Path) -> None:
        """Remember the path; the file appears when QEMU has loaded the plugin."""
        self._path = path

    def progress(self) -> Progress | None:
        """Return how far the stamps are, or None when there is no valid file (yet)."""
        try:
            with self._path.open("rb") as file:
                raw = file.read(_HEADER.size)
        except OSError:
            return None
        if len(raw) < _HEADER.size or raw[:8] != _MAGIC:
            return None
        _, _, _, stamped, pending_ns, _, _, now_ns = _HEADER.unpack(raw)
        return Progress(stamped_bytes=stamped, now_ns=max(now_ns, pending_ns))

    def read(self, console_bytes: int) -> Stamps | None:
        """Return every stamp. Bytes behind the last settled one carry the pending stamp."""
        try:
            with self._path.open("rb") as file:
                raw = file.read(_STAMPS_AT)
                if len(raw) < _STAMPS_AT or raw[:8] != _MAGIC:
                    return None
                _, version, count, stamped, pending_ns, pending_insns, overflow, _ = _HEADER.unpack_from(raw)
                if version != _VERSION:
                    return None
                # The file says how many there are; it holds what it holds.
                body = file.read(min(count, _MAX_STAMPS) * _MARK.size)
        except OSError:
            return None
        table = np.frombuffer(body[: len(body) // _MARK.size * _MARK.size], dtype="<i8").reshape(-1, 3)
        if console_bytes > stamped and 0 < pending_ns <= _MAX_NS and pending_insns <= _MAX_NS:
            table = np.vstack([table, [[console_bytes, pending_ns, pending_insns]]])
        marks: dict[int, StampedMark] = {}
        for number in range(_MAX_MARKS):
            seen, ns, insns = _MARK.unpack_from(raw, _HEADER.size + number * _MARK.size)
            if seen:
                marks[number] = StampedMark(ns, insns)
        ends, times, insns_column = (np.ascontiguousarray(table[:, i], dtype=np.int64) for i in range(3))
        return Stamps(ends=ends, ns=times, insns=insns_column, marks=marks, overflow=bool(overflow))
