# SPDX-License-Identifier: MIT
"""The board's time of one boot: apart from how it is judged, which takes NumPy, for a run's document begins with it."""

from __future__ import annotations

from bootlab.analysis.board_amounts import amounts_of
from bootlab.costs.prices import board_row
from bootlab.model.costs import BoardRow, Costs
from bootlab.model.recording import Recording


def row_of(costs: Costs | None, subject: str, boot: Recording) -> BoardRow | None:
    """Return the board's time of one boot and what it is made of; None without costs, or where it did not end well."""
    return board_row(costs, subject, amounts_of(boot)) if costs is not None and boot.ok else None
