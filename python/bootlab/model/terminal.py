# SPDX-License-Identifier: MIT
"""What a terminal swallows."""

from __future__ import annotations

import re

# Control sequences, an operating system's command up to its end (systemd 257 prints some), character sets (ESC ( B),
# and the rest of two bytes: among them save and restore the cursor.
_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[0-Z\\-_c])")


def without_control(text: str) -> str:
    """Return text without the sequences that move a cursor or set a colour (ECMA-48)."""
    return _CONTROL.sub("", text)


def length_with_control(text: str, chars: int) -> int:
    """Return how many characters of a text hold the first `chars` of what :func:`without_control` leaves of it.

    Ends with the last of these characters, so that a sequence behind it does not count.
    """
    kept = behind = 0
    for sequence in _CONTROL.finditer(text):
        plain = sequence.start() - behind
        if kept + plain >= chars:
            break
        kept, behind = kept + plain, sequence.end()
    return behind + chars - kept if chars else 0
