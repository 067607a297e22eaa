"""Console bytes and their stamps become lines."""

from __future__ import annotations

from bootlab import _core
from bootlab.model.recording import Line
from bootlab.model.terminal import without_control
from bootlab.targets.stamps import Stamps

_MAX_LINE_CHARS = 16_384
LINE_MAX_BYTES = _MAX_LINE_CHARS * 4
"""What lies behind that in one line is not looked at."""
_BANNER = b"Linux version "
MAX_LINES = 200_000
"""More are not taken apart: the first half and the last half stay, a line between them says how many do not."""


def text_of(raw: bytes) -> str:
    """Decode one line: no terminal control, no CR at its ends, bad bytes shown as U+FFFD, a length that is bounded."""
    # systemd goes back over the line that says what it still waits for: cursor up, CR, clear, then the next message.
    return without_control(raw[:LINE_MAX_BYTES].decode("utf-8", "replace")).strip("\r")[:_MAX_LINE_CHARS]


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
        for start, part in _kernel_parts(raw):
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


def _kernel_parts(raw: bytes) -> list[tuple[int, bytes]]:
    if _BANNER not in raw or len(raw) >= _MAX_LINE_CHARS:
        return [(0, raw)]
    # One character a byte, so that a place in the text is one in the bytes.
    part = _core.kernel_part(raw.decode("latin-1"))
    start = 0 if part is None else len(raw) - len(part)
    if not start or not _core.kernel_message(part or "").startswith(_BANNER.decode()):
        return [(0, raw)]
    return [(0, raw[:start]), (start, raw[start:])]
