# SPDX-License-Identifier: MIT
"""The version that a source tree names in its first Makefile: the kernel's, and U-Boot's, which is written alike."""

from __future__ import annotations

import re
from pathlib import Path

_LINE = re.compile(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)[ \t]*=[ \t]*(\S*)", re.MULTILINE)
_HEAD_BYTES = 4096


def version_in(makefile: Path) -> tuple[str, str]:
    """Return the number, such as 6.1.128, and what stands behind it (`-rc3`). Both are empty if it names none.

    Raise OSError.
    """
    with makefile.open(encoding="utf-8", errors="replace") as file:
        parts: dict[str, str] = dict(_LINE.findall(file.read(_HEAD_BYTES)))
    numbers = [parts[name] for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL") if parts.get(name)]
    return ".".join(numbers), parts.get("EXTRAVERSION", "")
