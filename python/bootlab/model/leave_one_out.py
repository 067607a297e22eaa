# SPDX-License-Identifier: MIT
"""What leaving one change out of the final stack came to."""

from __future__ import annotations

import msgspec

from bootlab.model.costs import Between
from bootlab.model.sample import Spread
from bootlab.model.verdict import Verdict


class LeaveOneOut(msgspec.Struct, frozen=True, kw_only=True):
    """The final stack without one of its changes."""

    change_id: str
    cost_ns: int | None = None
    """Cost of leaving it out, nanoseconds (negative: the stack is faster without it); None: goal not reached."""
    kept: bool = True
    reason: str = ""
    key: str = ""
    verdict: Verdict = Verdict.UNKNOWN
    """The verdict of the stack without it, compared with the stack."""
    spread: Spread | None = None
    """The goal's times without it, under dithers."""
    cost_there: Between | None = None
    """The same cost by the board's time; null without costs of a board."""
