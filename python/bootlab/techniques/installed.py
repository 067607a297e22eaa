# SPDX-License-Identifier: MIT
"""Whether other packages bring techniques, known without importing any."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ENTRY_POINTS = "bootlab.techniques"
"""Third parties name a `Technique` class or instance in this group."""


def others_may_be_installed() -> bool:
    """Tell whether a package on the path brings techniques; also where that cannot be seen (a zip file)."""
    for name in sys.path:
        folder = Path(name)
        try:
            packages = [entry.path for entry in os.scandir(folder) if entry.name.endswith((".dist-info", ".egg-info"))]
        except FileNotFoundError:
            continue
        except OSError:
            return True
        if any(_brings_techniques(Path(package, "entry_points.txt")) for package in packages):
            return True
    return False


def _brings_techniques(file: Path) -> bool:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    _, _, below = text.partition(f"[{ENTRY_POINTS}]")
    return "=" in below.partition("\n[")[0]
