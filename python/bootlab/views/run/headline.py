"""The answer of a run in words: from which time to which, by what, and what only a model says besides.

Plain text of one line each; whatever shows it makes it safe for its place.
"""

from __future__ import annotations

from bootlab.model import figures
from bootlab.model.verdict import Verdict
from bootlab.results.board import base_and_stack, outweighed, turned
from bootlab.results.document import Results

_NAMED = 5
"""So many changes are named; the tables list them all."""


def headline(results: Results) -> str:
    """Say what was booted, on how many processors if on several, from which time to which."""
    where = f" on {results.processors.text}" if results.processors.text else ""
    return f"{results.system_name}{where}: {answer(results)}"


def answer(results: Results) -> str:
    """Say from which time to which, without the system's name."""
    base, final = results.base, results.final
    if base.goal_ns is None:
        return f"{base.outcome.value}: {base.reason}"
    from_ms = figures.spread_ms(base.goal_ns, base.spread)
    if final is None:
        return f"goal after {from_ms} {base.clock} ms{_tried(results)}"
    if final.goal_ns is None:
        return f"the stack failed: {final.outcome.value}: {final.reason}"
    if not results.comparable:
        said = f"{figures.ms(base.goal_ns)} {base.clock} ms; stack {figures.ms(final.goal_ns)} {final.clock} ms"
        return f"{said}: two clocks, not comparable"
    to_ms = figures.spread_ms(final.goal_ns, final.spread)
    return f"{from_ms} to {to_ms} {base.clock} ms: {figures.times_as_fast(base.middle_ns, final.middle_ns)}"


def stacked(results: Results) -> list[tuple[str, int]]:
    """Return the stacked changes with what each saved in nanoseconds, the largest saving first."""
    if results.stack is None:
        return []
    # The waterfall has one bar a change; a step of the stack may be a group whose members were sorted out later.
    bars = [(" + ".join(bar.changes), bar.saved_ns or 0) for bar in results.waterfall]
    return sorted(bars or ((step.change_id, step.saved_ns) for step in results.stack.steps), key=lambda pair: -pair[1])


def by_what(results: Results) -> str:
    """Name the changes that saved the most, with what each saved; "" where nothing was tried."""
    named, what = stacked(results), "largest gains"
    if results.stack is None:
        faster = [trial for trial in results.trials_by_saved() if trial.verdict is Verdict.FASTER]
        named = [(trial.change.id, trial.saved_ns or 0) for trial in faster]
    else:
        what = f"by {figures.counted(len(named), 'change')}"
    if not named:
        return ""
    said = ", ".join(f"{change_id} {figures.signed_ms(-saved_ns)} ms" for change_id, saved_ns in named[:_NAMED])
    more = f", {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"{what}: {said}{more}"


def modelled_lines(results: Results) -> tuple[str, ...]:
    """Say what a board would add, and which decisions that would change; nothing where neither is so."""
    modelled = results.modelled
    if modelled is None:
        return ()
    lines: list[str] = []
    both = base_and_stack(modelled)
    if both is not None and results.final is not None:
        base, stack = both
        said = f"console at {modelled.baud} baud: {_ms(base.console_ns)} before, {_ms(stack.console_ns)} after"
        if base.image_ns is not None and stack.image_ns is not None and modelled.bandwidth_bytes_per_s:
            rate = f"{modelled.bandwidth_bytes_per_s / 1e6:g} MB/s"
            said += f"; images at {rate}: {_ms(base.image_ns)} before, {_ms(stack.image_ns)} after"
        lines.append(f"a board would add (modelled, not in these times), ms: {said}")
    most = outweighed(results) if results.final is None else None
    if most is not None:
        rate = f", console at {modelled.baud} baud" if modelled.baud else ""
        lines.append(
            f"modelled, not in these times: {most.change_id} saves {_ms(most.board_ns)} ms more on a board{rate}; "
            "that is more than any change saves here"
        )
    for row in turned(results)[:_NAMED]:
        here = f"{'saves' if row.saved_ns > 0 else 'loses'} {_ms(abs(row.saved_ns))} ms here"
        there = (
            f"its modelled {'saving' if row.board_ns > 0 else 'cost'} on such a board is {_ms(abs(row.board_ns))} ms"
        )
        lines.append(f"modelled, would change the decision: {row.change_id} {here}, but {there}")
    return tuple(lines)


def said(results: Results) -> dict[str, object]:
    """Return a run as JSON prints it: the answer and what is modelled beside it first, then the whole document."""
    if results.comparison is not None:
        return {"headline": results.comparison.headline, "results": results}
    return {"headline": headline(results), "modelled": modelled_lines(results), "results": results}


def _tried(results: Results) -> str:
    """Say how many trials made it faster, and the best of them."""
    if not results.trials:
        return ""
    faster = [trial for trial in results.trials_by_saved() if trial.verdict is Verdict.FASTER]
    said = f"; {len(faster)} of {figures.counted(len(results.trials), 'change')} {_makes(len(faster))} it faster"
    if not faster:
        return said
    best = faster[0]
    gain = figures.times_as_fast(best.base_ns, best.goal_ns)
    return f"{said}, the best, {best.change.id}, to {figures.ms(best.goal_ns)} ms: {gain}"


def _makes(number: int) -> str:
    return "makes" if number == 1 else "make"


def _ms(ns: int) -> str:
    return f"{ns / 1e6:.1f}"
