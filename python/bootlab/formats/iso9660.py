# SPDX-License-Identifier: MIT
"""ISO 9660 with the names of Rock Ridge or Joliet, read without root and without mounting.

Format: ECMA-119; SUSP 1.12 and RRIP 1.12 (Rock Ridge); the kernel's fs/isofs, which takes Rock Ridge's names first.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bootlab.errors import UserError
from bootlab.formats.disk_bytes import ByteSource
from bootlab.formats.file_view import KIND_OF_MODE, Kind, Node

SECTOR_BYTES = 2048
_FIRST_VOLUME, _VOLUMES_MAX = 16, 32
_PRIMARY, _SUPPLEMENTARY, _END = 1, 2, 255
_JOLIET = (b"%/@", b"%/C", b"%/E")
_ROOT_AT, _ESCAPES_AT = 156, 88
_FOLDER, _GOES_ON = 0x02, 0x80
_FOLDER_MAX_BYTES = 32 << 20
_NAMES_MAX = 200_000
_CONTINUED_MAX = 16


class _Record(msgspec.Struct, frozen=True):
    """A name in a folder: its pieces (a large file may have several), and what Rock Ridge says of it."""

    name: str
    kind: Kind
    pieces: tuple[tuple[int, int], ...]
    mode: int = 0
    target: str = ""


class IsoFiles:
    """The files of an ISO image."""

    def __init__(self, medium: ByteSource) -> None:
        """Read the volume's descriptors. Raise UserError for what is none, or is damaged."""
        self._medium = medium
        primary, joliet = b"", b""
        for number in range(_FIRST_VOLUME, _FIRST_VOLUME + _VOLUMES_MAX):
            data = medium.read(number * SECTOR_BYTES, SECTOR_BYTES)
            if len(data) < SECTOR_BYTES or data[1:6] != b"CD001" or data[0] == _END:
                break
            if data[0] == _PRIMARY and not primary:
                primary = data
            if data[0] == _SUPPLEMENTARY and data[_ESCAPES_AT : _ESCAPES_AT + 3] in _JOLIET:
                joliet = data
        if not primary or int.from_bytes(primary[128:130], "little") != SECTOR_BYTES:
            raise UserError("this is no ISO 9660 file system, or one with unusual sectors", hint="`file` names it")
        self.label = primary[40:72].decode("ascii", "replace").strip()
        self._skip = 0
        self._joliet = False
        first = next(self._raw(_piece(primary[_ROOT_AT:])), b"")
        used = _system_use(first)
        # SUSP, 5.3: SP stands in the first record of the root folder, and says how many bytes come before all others.
        self._rock_ridge = used[:2] == b"SP" and used[4:6] == b"\xbe\xef"
        if self._rock_ridge:
            self._skip = used[6]
        elif joliet:
            self._joliet, primary = True, joliet
        self._root = _piece(primary[_ROOT_AT:])

    @property
    def folds_case(self) -> bool:
        """Tell whether names are found whatever their case: without Rock Ridge they are capitals."""
        return not self._rock_ridge

    def root(self) -> Node:
        """Return the root folder."""
        return Node(kind="dir", size_bytes=self._root[1], key=(self._root,))

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds."""
        for record in self._records(_pieces_of(node)[0]):
            size = sum(length for _, length in record.pieces)
            key = (*record.pieces, record.target) if record.target else record.pieces
            yield record.name, Node(kind=record.kind, size_bytes=size, key=key, mode=record.mode)

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file."""
        out = bytearray()
        for start, length in _pieces_of(node):
            if offset < length and len(out) < count:
                out += self._medium.read(start * SECTOR_BYTES + offset, min(length - offset, count - len(out)))
            offset = max(0, offset - length)
        return bytes(out)

    def target(self, node: Node) -> str:
        """Return where a link points."""
        last = node.key[-1] if isinstance(node.key, tuple) and node.key else ""
        return last if isinstance(last, str) else ""

    def _records(self, folder: tuple[int, int]) -> Iterator[_Record]:
        before: tuple[tuple[int, int], ...] = ()
        count = 0
        for raw in self._raw(folder):
            name = raw[33 : 33 + raw[32]]
            if name in {b"\0", b"\1"}:
                continue
            before = (*before, _piece(raw))
            if raw[25] & _GOES_ON:
                continue
            pieces, before = before, ()
            count += 1
            if count > _NAMES_MAX:
                return
            yield self._record(raw, name, pieces)

    def _record(self, raw: bytes, name: bytes, pieces: tuple[tuple[int, int], ...]) -> _Record:
        plain: Kind = "dir" if raw[25] & _FOLDER else "file"
        if self._joliet:
            return _Record(_without_version(name.decode("utf-16-be", "replace")), plain, pieces)
        if self._rock_ridge:
            return self._named(_system_use(raw)[self._skip :], name, plain, pieces)
        # As the kernel shows them (fs/isofs/dir.c: isofs_name_translate).
        return _Record(_without_version(name.decode("ascii", "replace")).lower(), plain, pieces)

    def _named(self, used: bytes, name: bytes, kind: Kind, pieces: tuple[tuple[int, int], ...]) -> _Record:
        """Return a record as Rock Ridge has it: NM is its name, PX its mode, SL its target, CL its folder elsewhere."""
        own, target, mode = "", list[str](), 0
        for tag, data in self._extensions(used):
            if tag == b"NM" and not data[0] & 0x06:
                own += data[1:].decode("utf-8", "surrogateescape")
            elif tag == b"PX":
                mode = int.from_bytes(data[:4], "little")
            elif tag == b"SL":
                _put_on(target, data[1:])
            elif tag == b"CL":
                head = self._medium.read(int.from_bytes(data[:4], "little") * SECTOR_BYTES, 34)
                kind, pieces = "dir", (_piece(head),)
        if mode:
            kind = KIND_OF_MODE.get(mode & 0xF000, "other")
        to = "/".join(target) if kind == "symlink" else ""
        return _Record(own or _without_version(name.decode("ascii", "replace")).lower(), kind, pieces, mode, to)

    def _extensions(self, used: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Give the entries of the system's use, those that are continued elsewhere too (CE)."""
        following: list[bytes] = [used]
        seen = 0
        while following and seen < _CONTINUED_MAX:
            data = following.pop()
            seen += 1
            at = 0
            while at + 4 <= len(data) and 5 <= data[at + 2] <= len(data) - at:
                tag, body = data[at : at + 2], data[at + 4 : at + data[at + 2]]
                at += data[at + 2]
                if tag == b"CE" and len(body) >= 24:
                    block, offset, length = (int.from_bytes(body[n : n + 4], "little") for n in (0, 8, 16))
                    following.append(self._medium.read(block * SECTOR_BYTES + offset, min(length, SECTOR_BYTES)))
                elif tag == b"ST":
                    break
                else:
                    yield tag, body

    def _raw(self, folder: tuple[int, int]) -> Iterator[bytes]:
        """Give the records of a folder: none crosses the end of a sector."""
        start, length = folder
        for at in range(0, min(length, _FOLDER_MAX_BYTES), SECTOR_BYTES):
            data = self._medium.read(start * SECTOR_BYTES + at, SECTOR_BYTES)
            place = 0
            while place < len(data) and data[place] >= 34 and place + data[place] <= len(data):
                yield data[place : place + data[place]]
                place += data[place]


def _piece(raw: bytes) -> tuple[int, int]:
    """Return where what a record names lies: its sector, and its length in bytes. An attribute record is skipped."""
    if len(raw) < 14:
        return 0, 0
    return int.from_bytes(raw[2:6], "little") + raw[1], int.from_bytes(raw[10:14], "little")


def _pieces_of(node: Node) -> tuple[tuple[int, int], ...]:
    key = node.key if isinstance(node.key, tuple) else ()
    return tuple(piece for piece in key if isinstance(piece, tuple)) or ((0, 0),)


def _system_use(raw: bytes) -> bytes:
    if len(raw) < 34:
        return b""
    at = 33 + raw[32]
    return raw[at + at % 2 :]


def _without_version(name: str) -> str:
    return name.partition(";")[0].removesuffix(".")


def _put_on(target: list[str], data: bytes) -> None:
    """Put the components of a link's target behind those before; a component may go on in the next one."""
    goes_on = False
    at = 0
    while at + 2 <= len(data):
        flags, length = data[at], data[at + 1]
        plain = data[at + 2 : at + 2 + length].decode("utf-8", "surrogateescape")
        text = {0x02: ".", 0x04: "..", 0x08: ""}.get(flags & 0x0E, plain)
        if goes_on and target:
            target[-1] += text
        else:
            target.append(text)
        goes_on = bool(flags & 0x01)
        at += 2 + length
