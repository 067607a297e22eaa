"""What a terminal swallows."""

from __future__ import annotations

import re

# Control sequences, character sets (ESC ( B), and the rest of two bytes: among them save and restore the cursor.
_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][0-9A-Za-z]|[0-Z\\-_c])")


def without_control(text: str) -> str:
    """Return text without the sequences that move a cursor or set a colour (ECMA-48)."""
    return _CONTROL.sub("", text)
