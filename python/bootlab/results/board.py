# SPDX-License-Identifier: MIT
"""What a change does besides on a board: console and images by simple models, in no measured figure.

The models and their parameters: :mod:`bootlab.model.modelled`. Nanoseconds; positive is saved, negative is lost.
"""

from __future__ import annotations

import msgspec

from bootlab.model.costs import Between
from bootlab.model.modelled import BOARDS, LOADED, Modelled, ModelledRow
from bootlab.model.verdict import Trial, Verdict
from bootlab.results.document import RunDocument

_NOTICED = 0.01
"""Share of the base's time from which on somebody would notice a gain or a loss."""


class Turned(msgspec.Struct, frozen=True):
    """A change that the models would decide otherwise. `board_ns`: what they add to what was measured."""

    change_id: str
    saved_ns: int
    board_ns: Between


def board_gain(trial: Trial, results: RunDocument) -> Between | None:
    """Return what the models say that a change saves besides, at least and at most, in nanoseconds.

    Both boots are made on one board, whose line and medium are as slow for the one as for the other. None where the
    change was not booted or nothing is modelled.
    """
    modelled, base_bytes = results.modelled, results.base.artefact_bytes
    if modelled is None or trial.key is None or not trial.base_console_bytes:
        return None
    before = sum(base_bytes.get(name, 0) for name in LOADED)
    after = sum(trial.artefact_bytes.get(name, base_bytes.get(name, 0)) for name in LOADED)
    blank = msgspec.structs.replace(modelled, rows=())
    both = blank.with_boot("base", console_bytes=trial.base_console_bytes, image_bytes=before)
    base, changed = both.with_boot("with it", console_bytes=trial.console_bytes, image_bytes=after).rows
    saved_ns = [base.added_ns(*board) - changed.added_ns(*board) for board in BOARDS]
    return Between(min(saved_ns), max(saved_ns))


def turned(results: RunDocument) -> tuple[Turned, ...]:
    """Return the changes whose verdict the models would turn round, those with the most at stake first.

    A gain that becomes a loss, or a change without gain that would save; both by more than 1 % of the base's time, on
    every board that the models allow.
    """
    others = []
    noticed_ns = max(results.base.visible_gain_ns or 0, round(_NOTICED * (results.base.middle_ns or 0)))
    for trial in results.trials:
        board_ns, saved_ns = board_gain(trial, results), trial.saved_ns
        if board_ns is None or saved_ns is None:
            continue
        lost = trial.verdict is Verdict.FASTER and saved_ns + board_ns.high < -noticed_ns
        won = trial.verdict in {Verdict.SAME, Verdict.SLOWER} and saved_ns + board_ns.low > noticed_ns
        if lost or won:
            others.append(Turned(trial.change.id, saved_ns, board_ns))
    return tuple(sorted(others, key=lambda t: (-max(abs(t.board_ns.low), abs(t.board_ns.high)), t.change_id)))


def outweighed(results: RunDocument) -> Turned | None:
    """Return the change that by the models saves more besides, at least, than any was measured to save, if one does."""
    known = [
        Turned(trial.change.id, trial.saved_ns, board_ns)
        for trial in results.trials
        if trial.verdict is Verdict.FASTER
        and trial.saved_ns is not None
        and (board_ns := board_gain(trial, results)) is not None
    ]
    most = max(known, key=lambda t: (t.board_ns.low, t.change_id), default=None)
    if most is None or most.board_ns.low <= max(t.saved_ns for t in known):
        return None
    return most


def base_and_stack(modelled: Modelled) -> tuple[ModelledRow, ModelledRow] | None:
    """Return the modelled costs of the base and of the stack; None where one of them is missing."""
    rows = {row.subject: row for row in modelled.rows}
    return (rows["base"], rows["stack"]) if rows.keys() >= {"base", "stack"} else None
