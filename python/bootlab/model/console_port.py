# SPDX-License-Identifier: MIT
"""Which console programs write to: the last one that the command line names."""

from __future__ import annotations

import re

from bootlab.model.cmdline import CommandLine

_PORT = re.compile(r"tty[A-Z]|ttymxc|hvc")
_SCREEN = re.compile(r"tty\d*|ttynull|null")


def printed_elsewhere(cmdline: CommandLine) -> str:
    """Say that programs write to a screen, although a port is named whose output is read; "" where they do not."""
    names = [(param.value or "").partition(",")[0] for param in cmdline.all("console")]
    port = next((name for name in names if _PORT.match(name)), "")
    if not port or not _SCREEN.fullmatch(names[-1]):
        return ""
    return (
        f"programs print on {names[-1]}, the last console= of the command line, and bootlab reads {port}: put it last"
    )
