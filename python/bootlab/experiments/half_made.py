"""Recordings that are being made: where they lie until they are whole, and what becomes of those that never were."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path


def half_made(place: Path) -> Path:
    """Return the folder of a recording that is being made; `sweep` finds it by the process."""
    return place.with_name(f".{place.name}.{os.getpid()}.{threading.get_ident()}.{time.monotonic_ns()}")


def sweep(boots: Path) -> None:
    """Remove what a bootlab that was killed left half-made: `.KEY.PID.…` of processes that are gone."""
    for half in boots.glob(".*.*.*.*"):
        pid = half.name.split(".")[2]
        if pid.isdigit() and not Path("/proc", pid).exists():
            shutil.rmtree(half, ignore_errors=True)
