# SPDX-License-Identifier: MIT
"""Source trees of a few lines, written into a folder."""

from __future__ import annotations

from pathlib import Path


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
