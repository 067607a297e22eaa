# SPDX-License-Identifier: MIT
"""How far the model of processors was off where it was held against hardware; what that makes of its intervals.

`benchmarks/program_times.py --seen` measures it and writes `seen.toml`. Nothing in it comes from a board's log.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from bootlab.model.costing import Seen


@cache
def seen() -> Seen:
    """Return what was seen, from the file that the benchmark wrote."""
    table = tomllib.loads(files("bootlab.costs").joinpath("seen.toml").read_text(encoding="utf-8"))
    return msgspec.convert(table, Seen)
