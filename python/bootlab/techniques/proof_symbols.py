"""The kernel functions that techniques want marked as their proof, known without the catalogue.

Every boot marks them, so that its recording proves whatever is tried later.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bootlab.techniques.base import ENTRY_POINTS

# Of the built-in techniques (a test compares): reading the whole catalogue for them would slow every boot down.
BUILT_IN = ("alternatives_smp_module_add", "tracer_init_tracefs")


def proof_symbols() -> tuple[str, ...]:
    """Return the functions to mark, those of third parties' techniques among them."""
    if not _others_may_be_installed():
        return BUILT_IN
    from bootlab.techniques.registry import all_techniques  # noqa: PLC0415 - only where there are third parties

    return tuple(sorted({name for technique in all_techniques() for name in technique.proof_symbols}))


def _others_may_be_installed() -> bool:
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
