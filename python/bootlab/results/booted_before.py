# SPDX-License-Identifier: MIT
"""Changes that the stack left out without a boot of its own, although the same run booted them elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.model.verdict import Trial, Verdict
from bootlab.results.document import Rejected


def booted_before(rows: Sequence[Rejected], trials: Sequence[Trial]) -> tuple[Rejected, ...]:
    """Return the rows; one without a boot that the run booted before has what that boot came to, and says so.

    A change that lost against another variant of its technique was booted alone, and proved faster than the base. One
    that was booted only together with others is not known by itself.
    """
    alone = {trial.change.id: trial for trial in trials if trial.key}
    earlier: dict[str, Rejected] = {}
    grouped: set[str] = set()
    found: list[Rejected] = []
    for row in rows:
        found.append(_row(row, alone.get(row.change_id), earlier.get(row.change_id), row.change_id in grouped))
        if row.key and row.members:
            grouped.update(row.members)
        elif row.key:
            earlier[row.change_id] = row
    return tuple(found)


def _row(row: Rejected, trial: Trial | None, earlier: Rejected | None, grouped: bool) -> Rejected:
    if row.verdict is not Verdict.NOT_BOOTED or row.key or row.members:
        return row
    if earlier is not None:
        said = f"{row.reason}; booted on the stack before: {earlier.verdict.value}"
        return msgspec.structs.replace(row, verdict=earlier.verdict, reason=said, key=earlier.key)
    if trial is not None and trial.key:
        said = f"{row.reason}; booted alone: {trial.verdict.value}"
        return msgspec.structs.replace(row, verdict=trial.decision, reason=said, key=trial.key)
    if grouped:
        said = f"{row.reason}; booted only together with others"
        return msgspec.structs.replace(row, verdict=Verdict.UNKNOWN, reason=said)
    return row
