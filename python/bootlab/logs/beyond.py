# SPDX-License-Identifier: MIT
"""What Python adds to the core's views: evidence of boots that a log does not hold."""

from __future__ import annotations

import msgspec


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """Page faults of one process: only a trace knows them."""

    pid: int
    count: int
    total_ns: int


class ReadFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the tree that was read up to the goal, as the agent of a diagnostic boot saw it."""

    path: str
    size_bytes: int
