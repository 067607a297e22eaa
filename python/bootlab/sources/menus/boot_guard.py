# SPDX-License-Identifier: MIT
"""EFI Boot Guard: two partitions whose BGENV.DAT says a revision, its state, and which program is started.

github.com/siemens/efibootguard: include/envdata.h, env/fatvars.c (load_config).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import msgspec

from bootlab.sources.facts import BootEntry
from bootlab.sources.medium import BootMedium, place_of

_FILE, _LABEL = "/BGENV.DAT", "/EFILABEL"
_TEXT_BYTES = 2 * 255
_NUMBERS = struct.Struct("<BBHI")
_LEAST_BYTES = 2 * _TEXT_BYTES + _NUMBERS.size + 4
_READ_MAX_BYTES = 1 << 20
_TESTING = 2


class _Config(msgspec.Struct, frozen=True):
    """What a partition's file says. `at`: the partition's number."""

    at: int
    program: str
    line: str
    in_progress: bool
    state: int
    revision: int


def entries(medium: BootMedium) -> tuple[BootEntry, ...]:
    """Return the programs of both partitions, the one first that is started."""
    found = [config for number in medium.views if (config := _read(medium, number)) is not None]
    found.sort(key=lambda config: -config.revision)
    if len(found) > 1 and (found[0].in_progress or found[0].state == _TESTING):
        # One that is being written, or was started once and not confirmed, gives way to the one before.
        found[:2] = reversed(found[:2])
    return tuple(
        BootEntry(
            title=f"revision {config.revision}",
            kernel=place,
            cmdline=config.line,
            source=f"BGENV.DAT of partition {config.at}",
            default=index == 0,
        )
        for index, config in enumerate(found)
        for place in _places(medium, config)
    )


def _read(medium: BootMedium, number: int) -> _Config | None:
    data = medium.views[number].data(_FILE, _READ_MAX_BYTES) or b""
    if len(data) < _LEAST_BYTES or zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        return None
    texts = (data[at : at + _TEXT_BYTES].decode("utf-16-le", "replace").split("\0")[0] for at in (0, _TEXT_BYTES))
    program, line = texts
    in_progress, state, _watchdog, revision = _NUMBERS.unpack_from(data, 2 * _TEXT_BYTES)
    return _Config(number, program, line, bool(in_progress), state, revision)


def _places(medium: BootMedium, config: _Config) -> Iterator[str]:
    """Give where the program lies: `C:LABEL:PATH` names the label in a file, `L:LABEL:PATH` the file system's."""
    *named, path = config.program.replace("\\", "/").split(":")
    label = named[-1] if named else ""
    numbers = [number for number in medium.views if label in _labels(medium, number)] if label else []
    yield place_of((numbers or [config.at])[0], path)


def _labels(medium: BootMedium, number: int) -> Iterator[str]:
    text = medium.views[number].data(_LABEL, _TEXT_BYTES) or b""
    yield text.decode("utf-16-le" if b"\0" in text else "utf-8", "replace").strip("\0\n ")
    part = medium.of(number)
    if part is not None and part.file_system is not None:
        yield part.file_system.label
