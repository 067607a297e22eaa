# SPDX-License-Identifier: MIT
"""What programs of user space printed.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

SignKind = Literal[
    "unit-started",
    "unit-starting",
    "target-reached",
    "unit-status",
    "login-prompt",
    "enter-prompt",
    "shell-prompt",
    "greeting",
    "start-script",
    "system-v",
    "openrc",
    "runit",
    "s6",
    "finit",
    "ready",
    "http-answer",
    "complaint",
    "rescue",
    "question",
    "goes-down",
]
"""What a line shows."""


class LogSign(msgspec.Struct, frozen=True, kw_only=True):
    """A sign and the words that are it."""

    kind: SignKind
    """What it shows."""
    words: str
    """The part of the line that another boot prints too."""


class UserLine(msgspec.Struct, frozen=True, kw_only=True):
    """What a program printed in one line."""

    index: int
    """Which of the lines it is, from 0."""
    signs: list[LogSign] = []
    """What it shows."""
    text: str
    """The program's part of the line."""
    whole: bool
    """False when the kernel's message ends the line: when the program's part came is not known then."""
