# SPDX-License-Identifier: MIT
"""What a UART at one rate makes of bytes sent at another."""

from __future__ import annotations

BITS_A_BYTE = 10
"""A start bit, eight data bits, a stop bit."""


def received(data: bytes, sent_baud: int, read_baud: int) -> bytes:
    """Return the bytes that a receiver at `read_baud` sees, 8 data bits, no parity, one stop bit.

    The receiver waits for the line to fall, samples the middle of each bit of its own length, and takes the byte
    whatever the stop bit is, as a tty without framing checks does.
    """
    if sent_baud == read_baud:
        return data
    line = _line(data)
    ratio = sent_baud / read_baud
    out = bytearray()
    at = 0.0
    while at < len(line):
        start = line.find(b"\0", int(at))
        if start < 0:
            break
        begin = max(at, float(start))
        byte = 0
        for bit in range(8):
            place = int(begin + (bit + 1.5) * ratio)
            level = line[place] if place < len(line) else 1
            byte |= level << bit
        out.append(byte)
        at = begin + (BITS_A_BYTE - 0.5) * ratio
        # A line that is still low at the stop bit is no new start: wait until it has risen.
        rise = line.find(b"\1", int(at)) if int(at) < len(line) else -1
        at = max(at, float(rise)) if rise >= 0 else float(len(line))
    return bytes(out)


def _line(data: bytes) -> bytes:
    """Return the line's level, a byte a bit time: start bit, eight bits, lowest first, stop bit."""
    levels = bytearray()
    for byte in data:
        levels.append(0)
        levels += bytes((byte >> bit) & 1 for bit in range(8))
        levels.append(1)
    return bytes(levels)
