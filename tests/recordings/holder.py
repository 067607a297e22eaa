# SPDX-License-Identifier: MIT
"""Makes a recording for as long as it lives: holder.py PLACE. Prints where, and ends when its input does."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from bootlab.recordings.half_made import half_made, making

if __name__ == "__main__":
    place = Path(sys.argv[1])
    with making(place, threading.Event(), lambda: None), half_made(place) as work:
        work.mkdir(parents=True)
        (work / "console.log").write_bytes(b"so far")
        sys.stdout.write(f"{work}\n")
        sys.stdout.flush()
        sys.stdin.read()
