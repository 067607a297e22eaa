# SPDX-License-Identifier: MIT
"""Console bytes and their stamps become lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from bootlab import _core
from bootlab.model.recording import Line
from bootlab.model.terminal import length_with_control, without_control
from bootlab.recordings.stamps import Stamps

LINE_MAX_CHARS = 16_384
LINE_MAX_BYTES = LINE_MAX_CHARS * 4
"""What lies behind that in one line is not shown."""
_BANNER = b"Linux version "
# SeaBIOS, src/boot.c: no end of line follows, so that what a quiet kernel's first program prints stands behind it.
_FIRMWARE_END = re.compile(rb"Booting from (?:ROM|Hard Disk|DVD/CD|Floppy)\.{2,3}(?=[^.\r\n])")
# What the decoder takes for one character, well-formed or not (The Unicode Standard, tables 3-7 and 3-8).
_CHARACTER = re.compile(
    rb"[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]?|(?:\xe0[\xa0-\xbf]|\xed[\x80-\x9f]|[\xe1-\xec\xee\xef][\x80-\xbf])[\x80-\xbf]?"
    rb"|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])(?:[\x80-\xbf][\x80-\xbf]?)?|[\x80-\xff]"
)
MAX_LINES = 200_000
"""More are not taken apart: the first half and the last half stay, a line between them says how many do not."""


def text_of(raw: bytes) -> str:
    """Decode one line: no terminal control, no CR at its ends, bad bytes shown as U+FFFD, a length that is bounded."""
    # systemd goes back over the line that says what it still waits for: cursor up, CR, clear, then the next message.
    return without_control(raw[:LINE_MAX_BYTES].decode("utf-8", "replace")).strip("\r")[:LINE_MAX_CHARS]


def length_in_bytes(raw: bytes, chars: int, *, stripped: bool = True) -> int:
    """Return how many bytes of a line hold the first characters of its text, the last of them whole.

    `stripped`: the text is that of :func:`text_of`, without the CR at its start.
    """
    decoded = raw[:LINE_MAX_BYTES].decode("utf-8", "replace")
    if stripped:
        clean = without_control(decoded)
        chars += len(clean) - len(clean.lstrip("\r")) if chars else 0
    length = length_with_control(decoded, chars)
    if decoded[:length].isascii():
        return length
    return sum(len(found[0]) for found in itertools.islice(_CHARACTER.finditer(raw), length))


def split_lines(console: bytes, stamps: Stamps | None = None) -> tuple[Line, ...]:
    """Cut the console into lines, each with the times of its first and last byte.

    A kernel line that starts in the middle of a line (firmware leaves its last one open) becomes a line of its own.
    """
    lines: list[Line] = []
    offset = 0
    head, left_out, tail = _without_middle(console)
    for index, raw in enumerate([*head, *tail]):
        if left_out and index == len(head):
            lines.append(Line(len(lines) + 1, f"(bootlab: {left_out[0]} lines left out here)", offset))
            offset += left_out[1]
        for start, part in parts_of(raw):
            if not part and start + offset >= len(console):
                continue
            at = offset + start
            first = stamps.at(at) if stamps else None
            last = stamps.at(max(at, at + len(part) - 1)) if stamps else None
            text = text_of(part)
            lines.append(
                Line(
                    number=len(lines) + 1,
                    text=text,
                    offset_bytes=at,
                    first_ns=first[0] if first else None,
                    last_ns=last[0] if last else None,
                    insns=first[1] if first and first[1] >= 0 else None,
                    printk_ns=_core.kernel_stamp_ns(text),
                    last_insns=last[1] if last and last[1] >= 0 else None,
                )
            )
        offset += len(raw) + 1
    return tuple(lines)


def _without_middle(console: bytes) -> tuple[list[bytes], tuple[int, int] | None, list[bytes]]:
    """Return the lines before a gap, the gap's lines and bytes, and the lines behind it."""
    surplus = console.count(b"\n") + 1 - MAX_LINES
    if surplus <= 0:
        return console.split(b"\n"), None, []
    *head, rest = console.split(b"\n", MAX_LINES // 2)
    tail = rest.rsplit(b"\n", MAX_LINES // 2)
    return head, (surplus, len(tail[0]) + 1), tail[1:]


def of_the_kernel(text: str) -> bool:
    """Tell whether the kernel printed a line: its stamp stands at the start."""
    return _core.kernel_stamp_ns(text) is not None


def parts_of(raw: bytes) -> list[tuple[int, bytes]]:
    """Return the lines that stand in one, with their places: firmware leaves its last one open."""
    if len(raw) >= LINE_MAX_CHARS:
        return [(0, raw)]
    start = _kernel_start(raw)
    if not start and (firmware := _FIRMWARE_END.search(raw)) is not None:
        start = firmware.end()
    return [(0, raw[:start]), (start, raw[start:])] if start else [(0, raw)]


def _kernel_start(raw: bytes) -> int:
    if _BANNER not in raw:
        return 0
    # One character a byte, so that a place in the text is one in the bytes.
    part = _core.kernel_part(raw.decode("latin-1"))
    banner = part is not None and _core.kernel_message(part).startswith(_BANNER.decode())
    return len(raw) - len(part or "") if banner else 0


def lines_of(console: bytes) -> Iterator[tuple[int, bytes]]:
    """Return every line with its place, however many there are; those that stand in one are taken apart."""
    offset = 0
    for raw in console.split(b"\n"):
        for start, part in parts_of(raw):
            yield offset + start, part
        offset += len(raw) + 1
