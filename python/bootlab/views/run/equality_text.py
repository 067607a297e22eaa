# SPDX-License-Identifier: MIT
"""What boots of one system are said to be equal in: what was compared, and no more."""

from __future__ import annotations

from bootlab.analysis.equality import Equality
from bootlab.model import figures


def sentence(found: Equality) -> str:
    """Say how many of the boots are equal, and in what; that nothing was compared where fewer than two ran."""
    of = f"{found.ran} of {figures.counted(found.boots, 'boot')}"
    if found.equal is None:
        return f"{of} ran: there is nothing to compare"
    if not found.equal:
        return f"the boots differ: {found.difference}"
    said = f"{of} equal: console byte for byte"
    if found.reached == found.ran:
        said += ", goal to the instruction"
    else:
        # Equal outcomes: all of them reached it, or none.
        said += ", but none reached the goal"
    if found.ran < found.boots:
        said += f"; {figures.counted(found.boots - found.ran, 'boot')} did not run and {_is(found)} not compared"
    return said


def _is(found: Equality) -> str:
    return "is" if found.boots - found.ran == 1 else "are"
