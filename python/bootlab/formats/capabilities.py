# SPDX-License-Identifier: MIT
"""Files of a folder with capabilities: an extended attribute, which no image that bootlab makes keeps."""

from __future__ import annotations

import os
from pathlib import Path

_ATTRIBUTE = "security.capability"  # include/uapi/linux/xattr.h
_FILES_MAX = 200_000
_SHOWN = 3


def notes(folder: Path) -> tuple[str, ...]:
    """Return what a user should know of a root tree's capabilities; () when it has none."""
    found = _capable(folder)
    if not found:
        return ()
    shown = ", ".join(found[:_SHOWN]) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
    lost = "file capabilities are left out of the images that bootlab packs, so these programs lack them in the boot"
    return (f"{shown}: {lost} (a ready disk image keeps them)",)


def _capable(folder: Path) -> list[str]:
    found: list[str] = []
    count = 0
    for here, _, names in os.walk(folder):
        for name in names:
            count += 1
            if count > _FILES_MAX:
                return found
            path = os.path.join(here, name)  # noqa: PTH118 - Path() for each of so many takes longer than the question
            try:
                if _ATTRIBUTE in os.listxattr(path, follow_symlinks=False):
                    found.append(f"/{os.path.relpath(path, folder)}")
            except OSError:
                continue
    return sorted(found)
