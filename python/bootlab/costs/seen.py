# SPDX-License-Identifier: MIT
"""How far the model of processors was off where it was held against hardware; what that makes of its intervals.

`benchmarks/program_times.py --seen` measures it and writes `seen.toml`, and `seen-measured.toml` for figures that
`bootlab board calibrate` measured. Nothing in it comes from a board's log.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import msgspec

from bootlab.model.costing import Seen


@cache
def seen(*, measured: bool = False) -> Seen:
    """Return what was seen, from the file that the benchmark wrote. `measured`: with figures from a calibration."""
    name = "seen-measured.toml" if measured else "seen.toml"
    return msgspec.convert(tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8")), Seen)
