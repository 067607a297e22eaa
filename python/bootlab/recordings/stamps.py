# SPDX-License-Identifier: MIT
"""Reads the file that the stamp plugin writes (qemu-plugin/stamp-file.h)."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER = struct.Struct("<8s10Q")
_MARK = struct.Struct("<3Q")
_MAGIC = b"BLSTAMP\0"
_VERSION = 3
MAX_MARKS = 160
"""Marks that the file has room for, besides that of user space."""
USER_MARK = MAX_MARKS
KERNEL_2_MARK, USER_2_MARK = MAX_MARKS + 1, MAX_MARKS + 2
"""Those of a kernel that another one started by kexec, and of its user space."""
_MAX_NS = (1 << 63) - 1
_STAMPS_AT = 4096


class StampedMark(msgspec.Struct, frozen=True):
    """When a marked instruction was first executed: virtual nanoseconds and instructions before it."""

    ns: int
    insns: int


class Written(msgspec.Struct, frozen=True):
    """What the guest's console gave to its file: bytes that it took, with those that may be under way, and the lost."""

    taken: int
    begun: int
    failed: int

    def hole(self, file_bytes: int) -> str:
        """Say what the file, which has so many bytes now, lacks; "" when it is what was written."""
        if self.failed:
            return f"{self.failed:,} bytes of the console could not be written: the disk was full, or failed"
        if not self.taken <= file_bytes <= max(self.taken, self.begun):
            return f"the console's file has {file_bytes:,} bytes, and the guest wrote {self.taken:,}"
        return ""


class Stamps(msgspec.Struct, frozen=True):
    """Console bytes with their times. `ends[i]` bytes had been written once stamp `i`'s bytes were out.

    `insns` are -1 where nothing counts them (a real board). `lost`: there was no room on the disk for more, so that
    later bytes have no time. `settled_bytes`: those behind may get another time yet. Where the UART is memory a byte is
    in the file a moment before its stamp is. `written`: None where nothing counted it.
    """

    ends: NDArray[np.int64]
    ns: NDArray[np.int64]
    insns: NDArray[np.int64]
    marks: dict[int, StampedMark]
    lost: bool = False
    settled_bytes: int = 0
    written: Written | None = None

    def at(self, offset_bytes: int) -> tuple[int, int] | None:
        """Return (ns, instructions) of the console byte at an offset, or None when nothing stamped it."""
        index = int(self.ends.searchsorted(offset_bytes, side="right"))
        if index >= len(self.ends):
            return None
        return int(self.ns[index]), int(self.insns[index])

    def cut(self, console_bytes: int) -> Stamps:
        """Return the stamps of the first bytes only."""
        keep = int(self.ends.searchsorted(console_bytes, side="left")) + 1
        return msgspec.structs.replace(self, ends=self.ends[:keep], ns=self.ns[:keep], insns=self.insns[:keep])


class StampProgress(msgspec.Struct, frozen=True):
    """What the mapped file says while the machine runs. `failed_bytes`: of the console, which its file did not take."""

    stamped_bytes: int
    now_ns: int
    failed_bytes: int = 0


class StampFile:
    """The plugin's file, open for reading while QEMU runs and after."""

    def __init__(self, path: Path) -> None:
        """Remember the path; the file appears when QEMU has loaded the plugin."""
        self._path = path

    def progress(self) -> StampProgress | None:
        """Return how far the stamps are, or None when there is no valid file (yet)."""
        try:
            # It is asked for a thousand times a boot: no object of a file, no buffer.
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            raw = os.read(handle, _HEADER.size)
        except OSError:
            return None
        finally:
            os.close(handle)
        if len(raw) < _HEADER.size or raw[:8] != _MAGIC:
            return None
        _, _, _, stamped, pending_ns, _, _, now_ns, _, _, failed = _HEADER.unpack(raw)
        return StampProgress(stamped_bytes=stamped, now_ns=max(now_ns, pending_ns), failed_bytes=failed)

    def read(self, console_bytes: int) -> Stamps | None:
        """Return every stamp. Bytes behind the last settled one carry the pending stamp."""
        import numpy as np  # noqa: PLC0415 - loaded while the machine runs, not before it starts

        try:
            with self._path.open("rb") as file:
                raw = file.read(_STAMPS_AT)
                if len(raw) < _STAMPS_AT or raw[:8] != _MAGIC:
                    return None
                _, version, count, stamped, pending_ns, pending_insns, lost, _, *counted = _HEADER.unpack_from(raw)
                if version != _VERSION:
                    return None
                # The file says how many there are; it holds what it holds.
                room = (file.seek(0, os.SEEK_END) - _STAMPS_AT) // _MARK.size
                file.seek(_STAMPS_AT)
                table = np.fromfile(file, dtype="<i8", count=3 * min(count, room)).reshape(-1, 3)
        except OSError:
            return None
        columns = [np.ascontiguousarray(table[:, i], dtype=np.int64) for i in range(3)]
        # A pending stamp that is the last one's own is not that of the bytes behind it.
        newer = pending_ns > (int(columns[1][-1]) if len(columns[1]) else 0)
        settled = console_bytes if newer else min(stamped, console_bytes)
        if not lost and console_bytes > stamped and 0 < pending_ns <= _MAX_NS and pending_insns <= _MAX_NS:
            last = (console_bytes, pending_ns, pending_insns)
            columns = [np.append(column, value) for column, value in zip(columns, last, strict=True)]
        marks: dict[int, StampedMark] = {}
        for number in range(USER_2_MARK + 1):
            seen, ns, insns = _MARK.unpack_from(raw, _HEADER.size + number * _MARK.size)
            if seen:
                marks[number] = StampedMark(ns, insns)
        return Stamps(
            ends=columns[0],
            ns=columns[1],
            insns=columns[2],
            marks=marks,
            lost=bool(lost),
            settled_bytes=settled,
            written=Written(taken=counted[1], begun=counted[0], failed=counted[2]) if counted[0] else None,
        )
