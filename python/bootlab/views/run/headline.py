# SPDX-License-Identifier: MIT
"""The answer of a run in words: from which time to which, by what, and what only a model says besides.

Plain text of one line each; whatever shows it makes it safe for its place.
"""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.costs import Between
from bootlab.model.modelled import BOARDS, ModelledRow
from bootlab.model.recording import Outcome
from bootlab.model.timeline import WAY_DOWN
from bootlab.model.verdict import Trial, Verdict
from bootlab.results.board import base_and_stack, outweighed, turned
from bootlab.results.document import BootSummary, RunDocument
from bootlab.views.run import on_board

_NOT_KNOWN = frozenset((Verdict.UNKNOWN, Verdict.NOT_BOOTED))
_NAMED = 5
"""So many changes are named; the tables list them all."""


def headline(results: RunDocument) -> str:
    """Say what was booted, on how many processors if on several, from which time to which."""
    where = f" on {results.processors.text}" if results.processors.text else ""
    there = on_board.answer(results)
    return f"{results.system_name}{where}: {answer(results)}" + (f"; {there}" if there else "")


def answer(results: RunDocument) -> str:
    """Say from which time to which, without the system's name."""
    base, final = results.base, results.final
    if why := _without_goal(base):
        return why
    from_ms = _goal(base)
    if final is None:
        what = "off" if base.whole == WAY_DOWN else "goal"
        return f"{what} after {from_ms} {base.clock} ms{_tried(results)}"
    if why := _without_goal(final):
        return f"the stack failed: {why}"
    if not results.comparable:
        before, after = (figures.ms(boot.goal_ns, boot.unsure_ns) for boot in (base, final))
        said = f"{before} {base.clock} ms; stack {after} {final.clock} ms"
        return f"{said}: two clocks, not comparable"
    return f"{from_ms} to {_goal(final)} {base.clock} ms: {figures.times_as_fast(base.middle_ns, final.middle_ns)}"


def _goal(boot: BootSummary) -> str:
    said = figures.spread_ms(boot.goal_ns, boot.told_spread, boot.unsure_ns)
    if not boot.failed_boots:
        return said
    how = ", ".join(dict.fromkeys(outcome.value for outcome in boot.failed_boots))
    return f"{said}, and {figures.counted(len(boot.failed_boots), 'boot')} that failed ({how})"


def _without_goal(boot: BootSummary) -> str:
    """Say how a boot ended that gives no time; "" of one that does. A goal whose check failed is none."""
    if boot.outcome is not Outcome.GOAL:
        return f"{boot.outcome.value}: {boot.reason}".rstrip(": ")
    return "" if boot.goal_ns is not None else "the goal was reached, but its time is not known"


def stacked(results: RunDocument) -> list[tuple[str, int]]:
    """Return the stacked changes with what each saved in nanoseconds, the largest saving first."""
    if results.stack is None:
        return []
    # The waterfall has one bar a change; a step of the stack may be a group whose members were sorted out later.
    # A bar that does not reach its goal by itself saved nothing that could be told.
    bars = [(" + ".join(bar.changes), bar.saved_ns) for bar in results.waterfall if bar.saved_ns is not None]
    steps = ((together(step.change_id, step.members), step.saved_ns) for step in results.stack.steps)
    return sorted(bars if results.waterfall else steps, key=lambda pair: -pair[1])


def changes_stacked(results: RunDocument) -> int:
    """Return how many changes are in the stack: a bar or a step may be several."""
    if results.stack is None:
        return 0
    bars = sum(len(bar.changes) for bar in results.waterfall)
    return bars or sum(len(step.members) or 1 for step in results.stack.steps)


def together(change_id: str, members: tuple[str, ...]) -> str:
    """Name what was taken or left together by the first of it: the waterfall has each one."""
    return f"{members[0]} and {figures.counted(len(members) - 1, 'other')} together" if members else change_id


def by_what(results: RunDocument) -> str:
    """Name the changes that saved the most, with what each saved; "" where nothing was tried."""
    named, what = stacked(results), "largest gains"
    unsure: dict[str, int | None] = {}
    waiting: set[str] = set()
    if results.stack is None:
        faster = [trial for trial in results.trials_by_saved() if trial.decision is Verdict.FASTER]
        unsure = {trial.change.id: results.unsure_ns(trial) for trial in faster}
        named = [(trial.change.id, _gained_ns(trial)) for trial in faster]
        waiting = {trial.change.id for trial in faster if trial.board is None and trial.before_wait}
        what = what if results.costs is None else "largest gains on the board"
        named.sort(key=lambda pair: -pair[1])
    else:
        what = f"by {figures.counted(changes_stacked(results), 'change')}"
    if not named:
        return ""
    shown = ((change_id, figures.signed_ms(-saved_ns, unsure.get(change_id))) for change_id, saved_ns in named[:_NAMED])
    said = ", ".join(f"{one} {saved} ms{' before the wait' if one in waiting else ''}" for one, saved in shown)
    more = f", {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"{what}: {said}{more}"


def modelled_lines(results: RunDocument) -> tuple[str, ...]:
    """Say what a board would add, and which decisions that would change; nothing where neither is so."""
    modelled = results.modelled
    if modelled is None:
        return on_board.lines(results)
    lines: list[str] = []
    both = base_and_stack(modelled)
    if both is not None and results.final is not None:
        base, stack = both
        said = f"console at {modelled.baud} baud: {_ends(base.console)} before, {_ends(stack.console)} after"
        if base.images is not None and stack.images is not None and modelled.bandwidth_bytes_per_s:
            rate = f"{modelled.bandwidth_bytes_per_s / 1e6:g} MB/s"
            said += f"; images at {rate}: {_ends(base.images)} before, {_ends(stack.images)} after"
        lines.append(f"a board would add (modelled, not in these times), ms: {said}")
        lines += _with_board(results, base, stack)
    most = outweighed(results) if results.final is None else None
    if most is not None:
        rate = f", console at {modelled.baud} baud" if modelled.baud else ""
        lines.append(
            f"modelled, not in these times: {most.change_id} saves {_ends(most.board_ns)} ms more on a board{rate}; "
            "that is more than any change saves here"
        )
    for row in turned(results)[:_NAMED]:
        here = f"{'saves' if row.saved_ns > 0 else 'loses'} {_ms(abs(row.saved_ns))} ms here"
        cost = row.board_ns if row.board_ns.low > 0 else Between(-row.board_ns.high, -row.board_ns.low)
        there = f"its modelled {'saving' if row.board_ns.low > 0 else 'cost'} on such a board is {_ends(cost)} ms"
        lines.append(f"modelled, would change the decision: {row.change_id} {here}, but {there}")
    return tuple(lines)


def _with_board(results: RunDocument, base: ModelledRow, stack: ModelledRow) -> list[str]:
    """Say what the answer is with what a board would add: it may be much less than without."""
    before, after = results.base.middle_ns, results.final.middle_ns if results.final is not None else None
    if before is None or after is None or not results.comparable:
        return []
    # Both boots are made on one board: its line and its medium are as slow for the one as for the other.
    boards = [(before + base.added_ns(*board), after + stack.added_ns(*board)) for board in BOARDS]
    sides = [Between(min(side), max(side)) for side in zip(*boards, strict=True)]
    times = sorted({f"{old / new:.2f}" for old, new in boards if new > 0}, key=float)
    said = " to ".join(dict.fromkeys((times[0], times[-1]))) if times else figures.ABSENT
    return [f"with that added (modelled): {_ends(sides[0])} become {_ends(sides[1])} ms: {said} times as fast"]


def said(results: RunDocument) -> dict[str, object]:
    """Return a run as JSON prints it: the answer and what is modelled beside it first, then the whole document."""
    if results.comparison is not None:
        return {"headline": results.comparison.headline, "results": results}
    return {"headline": headline(results), "modelled": modelled_lines(results), "results": results}


def _tried(results: RunDocument) -> str:
    """Say how many trials made it faster, and the best of them."""
    if not results.trials:
        return ""
    faster = [trial for trial in results.trials_by_saved() if trial.verdict is Verdict.FASTER]
    total, unknown = len(results.trials), sum(trial.verdict in _NOT_KNOWN for trial in results.trials)
    if unknown == total:
        return f"; {figures.counted(total, 'change')}, not known of any whether it makes it faster"
    said = f"; {len(faster)} of {figures.counted(total, 'change')} {_makes(len(faster))} it faster"
    said += f" ({figures.count(unknown)} not known)" if unknown else ""
    if not faster:
        return said
    held = [trial for trial in faster if trial.before_wait]
    if held:
        of_them = "" if len(held) == len(faster) else f"{figures.count(len(held))} of them "
        said += f", {of_them}only up to a wait that decides when the goal comes"
    best = next((trial for trial in faster if not trial.before_wait), None)
    if best is None:
        return said
    gain = figures.times_as_fast(best.base_ns, best.goal_ns)
    return f"{said}, the best, {best.change.id}, to {figures.ms(best.goal_ns, results.unsure_ns(best))} ms: {gain}"


def _gained_ns(trial: Trial) -> int:
    """Return what a change saves by the time that decides; up to the wait, where one holds the goal."""
    if trial.board is None and trial.before_wait and trial.hold is not None:
        return trial.hold.saved_ns or 0
    return trial.decided_ns or 0


def _makes(number: int) -> str:
    return "makes" if number == 1 else "make"


def _ends(ns: Between) -> str:
    return " to ".join(dict.fromkeys((f"{ns.low / 1e6:.1f}", f"{ns.high / 1e6:.1f}")))


def _ms(ns: int) -> str:
    return f"{ns / 1e6:.1f}"
