# SPDX-License-Identifier: MIT
"""What a change does besides on a board: console and images by simple models, in no measured figure.

The models and their parameters: :mod:`bootlab.model.modelled`. Nanoseconds; positive is saved, negative is lost.
"""

from __future__ import annotations

import msgspec

from bootlab.model.modelled import Modelled, ModelledRow
from bootlab.model.verdict import Trial, Verdict
from bootlab.results.document import RunDocument

_LOADED = ("kernel", "initramfs")
_NOTICED = 0.01
"""Share of the base's time from which on somebody would notice a gain or a loss."""


class Turned(msgspec.Struct, frozen=True):
    """A change that the models would decide otherwise. `board_ns`: what they add to what was measured."""

    change_id: str
    saved_ns: int
    board_ns: int


def board_gain_ns(trial: Trial, results: RunDocument) -> int | None:
    """Return what the models say that a change saves besides; None where it was not booted or nothing is modelled."""
    modelled, base_bytes = results.modelled, results.base.artefact_bytes
    if modelled is None or trial.key is None or not trial.base_console_bytes:
        return None
    before = sum(base_bytes.get(name, 0) for name in _LOADED)
    after = sum(trial.artefact_bytes.get(name, base_bytes.get(name, 0)) for name in _LOADED)
    blank = msgspec.structs.replace(modelled, rows=())
    rows = blank.with_boot("base", console_bytes=trial.base_console_bytes, image_bytes=before)
    rows = rows.with_boot("with it", console_bytes=trial.console_bytes, image_bytes=after)
    return _cost_ns(rows.rows[0]) - _cost_ns(rows.rows[1])


def turned(results: RunDocument) -> tuple[Turned, ...]:
    """Return the changes whose verdict the models would turn round, those with the most at stake first.

    A gain that becomes a loss, or a change without gain that would save; both by more than 1 % of the base's time.
    """
    found = []
    noticed_ns = max(results.base.visible_gain_ns or 0, round(_NOTICED * (results.base.middle_ns or 0)))
    for trial in results.trials:
        board_ns, saved_ns = board_gain_ns(trial, results), trial.saved_ns
        if board_ns is None or saved_ns is None:
            continue
        lost = trial.verdict is Verdict.FASTER and saved_ns + board_ns < -noticed_ns
        won = trial.verdict in {Verdict.SAME, Verdict.SLOWER} and saved_ns + board_ns > noticed_ns
        if lost or won:
            found.append(Turned(trial.change.id, saved_ns, board_ns))
    return tuple(sorted(found, key=lambda t: (-abs(t.board_ns), t.change_id)))


def outweighed(results: RunDocument) -> Turned | None:
    """Return the change that by the models saves more besides than any was measured to save; None if none does."""
    known = [
        Turned(trial.change.id, trial.saved_ns, board_ns)
        for trial in results.trials
        if trial.verdict is Verdict.FASTER
        and trial.saved_ns is not None
        and (board_ns := board_gain_ns(trial, results)) is not None
    ]
    most = max(known, key=lambda t: (t.board_ns, t.change_id), default=None)
    if most is None or most.board_ns <= max(t.saved_ns for t in known):
        return None
    return most


def base_and_stack(modelled: Modelled) -> tuple[ModelledRow, ModelledRow] | None:
    """Return the modelled costs of the base and of the stack; None where one of them is missing."""
    rows = {row.subject: row for row in modelled.rows}
    return (rows["base"], rows["stack"]) if rows.keys() >= {"base", "stack"} else None


def _cost_ns(row: ModelledRow) -> int:
    return row.console_ns + (row.image_ns or 0)
