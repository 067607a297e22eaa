# SPDX-License-Identifier: MIT
"""The board's time of a run in words: the answer by it, what it is made of, and what depends on the board."""

from __future__ import annotations

from bootlab.costs.prices import times_as_fast
from bootlab.model.costs import Between, BoardRow
from bootlab.model.verdict import Verdict
from bootlab.results.document import RunDocument

_NAMED = 5


def answer(results: RunDocument) -> str:
    """Say how many times as fast the result is on the board, or what the best change saves there; "" without costs."""
    rows = {row.subject: row for row in results.board}
    if results.costs is None or not rows.keys() >= {"base"}:
        return ""
    if "stack" not in rows:
        return _best(results, rows["base"])
    base, stack = rows["base"], rows["stack"]
    times = times_as_fast(results.costs, base.amounts, stack.amounts)
    ends = dict.fromkeys((f"{times.low:.2f}", f"{times.high:.2f}"))
    return (
        f"{' to '.join(ends)} times as fast on this board ({stack.board_ns.text(1e6)} ms of {base.board_ns.text(1e6)} "
        f"ms, by {results.costs.name})"
    )


_NOT_COUNTED = "as exact mode has it (nobody counts the instructions of one of several processors)"


def _best(results: RunDocument, base: BoardRow) -> str:
    if results.costs is None or not results.trials:
        return ""
    faster = [trial for trial in results.trials if trial.decision is Verdict.FASTER and trial.board is not None]
    makes = "makes" if len(faster) == 1 else "make"
    said = f"on this board ({results.costs.name}) {len(faster)} of {len(results.trials)} {makes} it faster"
    best = max(faster, key=lambda trial: (trial.decided_ns or 0, trial.change.id), default=None)
    if best is None or best.board is None:
        return said
    saved = Between(*map(float, sorted(best.board.saved_ns))).text(1e6)
    return f"{said}, the best, {best.change.id}, by {saved} of {base.board_ns.text(1e6)} ms"


def lines(results: RunDocument) -> tuple[str, ...]:
    """Say what the board's time is made of, and which changes pay on some boards only; nothing without costs."""
    if results.costs is None:
        return ()
    said = []
    for row in results.board:
        parts = [f"{row.amounts.exact_ns / 1e6:.1f} exact", f"console {row.console_ns.text(1e6)}"]
        parts.append(f"images {row.load_ns.text(1e6)}")
        if results.costs.core is not None:
            counted = row.amounts.instructions is not None
            parts.append(f"processor {row.processor_ns.text(1e6) if counted else _NOT_COUNTED}")
        said.append(f"{row.subject} on the board (modelled): {row.board_ns.text(1e6)} ms = {' + '.join(parts)}")
    depends = [trial for trial in results.trials if trial.decision is Verdict.DEPENDS and trial.board is not None]
    for trial in depends[:_NAMED]:
        turns = trial.board.turns_text(trial.change.id) if trial.board is not None else ""
        said.append(f"depends on the board: {turns or trial.change.id}")
    if missing := [part for part in results.costs.unknown if part != "processor"]:
        said.append(f"not known of the board, so its answers are wide: {', '.join(missing)}")
    return tuple(said)
