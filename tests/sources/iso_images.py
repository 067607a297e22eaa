# SPDX-License-Identifier: MIT
"""ISO images that tests make: a volume's descriptor, folders, files; names by Rock Ridge, by Joliet, or bare."""

from __future__ import annotations

import itertools
import struct
from pathlib import Path

SECTOR = 2048


def _both(value: int) -> bytes:
    return struct.pack("<I", value) + struct.pack(">I", value)


def _record(name: bytes, place: tuple[int, int], *, folder: bool, used: bytes = b"") -> bytes:
    body = bytes(1) + _both(place[0]) + _both(place[1]) + bytes(7) + bytes([2 if folder else 0]) + bytes(2)
    body += struct.pack("<H", 1) + struct.pack(">H", 1) + bytes([len(name)]) + name
    body += bytes((len(body) + 1) % 2)
    body += used + bytes((len(body) + len(used) + 1) % 2)
    return bytes([len(body) + 1]) + body


class _Names:
    """How a volume writes names."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._numbers = itertools.count()

    def of(self, name: str, *, folder: bool, target: str = "") -> tuple[bytes, bytes]:
        """Return the name in the record, and what is said behind it."""
        if self.kind == "joliet":
            return name.encode("utf-16-be"), b""
        if self.kind == "bare":
            return (name.upper() + ("" if folder else ";1")).encode(), b""
        mode = 0o040755 if folder else 0o120777 if target else 0o100644
        used = b"PX" + bytes([36, 1]) + b"".join(_both(value) for value in (mode, 1, 0, 0))
        data = name.encode()
        used += b"NM" + bytes([5 + len(data), 1, 0]) + data
        if target:
            parts = [(0x08, b"")] if target.startswith("/") else []
            parts += [(0x04, b"") if part == ".." else (0, part.encode()) for part in target.strip("/").split("/")]
            listed = b"".join(bytes([flags, len(text)]) + text for flags, text in parts)
            used += b"SL" + bytes([5 + len(listed), 1, 0]) + listed
        return f"N{next(self._numbers):06}".encode(), used


def iso(
    path: Path,
    files: dict[str, str | bytes],
    label: str = "MADE",
    *,
    names: str = "rock ridge",
    links: dict[str, str] | None = None,
) -> Path:
    """Write an ISO image. `names`: rock ridge, joliet or bare; `links`: targets by path."""
    tree: dict[str, object] = {}
    for name, data in (files | {at: ("link", to) for at, to in (links or {}).items()}).items():  # type: ignore[operator]
        folder = tree
        *above, last = name.split("/")
        for part in above:
            folder = folder.setdefault(part, {})  # type: ignore[assignment]
        folder[last] = data.encode() if isinstance(data, str) else data
    writer = _Names(names)
    sectors: list[bytes] = []
    first = 20

    def put(data: bytes) -> tuple[int, int]:
        at = first + len(sectors)
        sectors.extend(data[start : start + SECTOR].ljust(SECTOR, b"\0") for start in range(0, len(data), SECTOR))
        return at, len(data)

    def folder_of(node: dict[str, object], *, top: bool = False) -> tuple[int, int]:
        records = []
        for name, child in sorted(node.items()):
            is_folder, target = isinstance(child, dict), child[1] if isinstance(child, tuple) else ""
            data = child if isinstance(child, bytes) else b""
            place = folder_of(child) if isinstance(child, dict) else put(data)
            own, used = writer.of(name, folder=is_folder, target=target)
            records.append(_record(own, place, folder=is_folder, used=used))
        said = b"SP\x07\x01\xbe\xef\x00" if top and names == "rock ridge" else b""
        out = b""
        for record in (
            _record(b"\0", (0, SECTOR), folder=True, used=said),
            _record(b"\1", (0, SECTOR), folder=True),
            *records,
        ):
            out += bytes(-len(out) % SECTOR) if len(out) % SECTOR + len(record) > SECTOR else b""
            out += record
        return put(out + bytes(-len(out) % SECTOR))

    root = folder_of(tree, top=True)

    def volume(kind: int, place: tuple[int, int], escapes: bytes = b"") -> bytes:
        head = bytearray(SECTOR)
        head[:7] = bytes([kind]) + b"CD001\1"
        head[40:72] = label.encode().ljust(32)
        head[88 : 88 + len(escapes)] = escapes
        head[128:132] = struct.pack("<H", SECTOR) + struct.pack(">H", SECTOR)
        head[156:190] = _record(b"\0", place, folder=True)
        return bytes(head)

    empty = put(_record(b"\0", (0, SECTOR), folder=True).ljust(SECTOR, b"\0")) if names == "joliet" else root
    volumes = [volume(1, empty), volume(2, root, b"%/E")] if names == "joliet" else [volume(1, root)]
    end = bytearray(SECTOR)
    end[:7] = b"\xffCD001\1"
    head = bytes(16 * SECTOR) + b"".join(volumes) + bytes(end)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head.ljust(first * SECTOR, b"\0") + b"".join(sectors))
    return path
