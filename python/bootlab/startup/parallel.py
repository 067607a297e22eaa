# SPDX-License-Identifier: MIT
"""A loop over start scripts rewritten: each is started as soon as those that it needs are done, beside the others."""

from __future__ import annotations

from bootlab.startup import lsb, shell
from bootlab.startup.files import TreeFiles
from bootlab.startup.scripts import Call, Start
from bootlab.startup.specialise import apply


def calls(start: Start) -> list[tuple[str, Call]]:
    """Return the calls that start several scripts, each with the script that it stands in."""
    return [(started.path, call) for started, call in start.called() if len(call.paths) > 1]


def rewrite(files: TreeFiles, start: Start, path: str) -> tuple[str, tuple[lsb.StartOrder, ...]] | None:
    """Return a script's text with its loops started in parallel, and their orders; None when there is nothing to do."""
    started = start.scripts.get(path)
    if started is None or started.script is None:
        return None
    script = started.script
    edits: list[tuple[int, int, bytes]] = []
    orders: list[lsb.StartOrder] = []
    for call in started.calls:
        if len(call.paths) < 2 or call.command.apart:
            continue
        order = lsb.order(files, call.paths)
        if all(level == number for number, level in enumerate(order.levels.values())):
            continue
        place = _place(script, call)
        if place is None:
            continue
        text = _scheduled(order, {path: _one(script, call, path) for path in call.paths})
        edits.append((*place, text.encode()))
        orders.append(order)
    return (apply(script.text, edits).decode(), tuple(orders)) if edits else None


def _place(script: shell.ShellScript, call: Call) -> tuple[int, int] | None:
    """Return where the statement stands that starts all of a call's scripts."""
    if not call.variable:
        return call.command.start, call.command.end
    loop = _loop(script, call)
    return (loop.whole_start, loop.end) if loop is not None else None


def _loop(script: shell.ShellScript, call: Call) -> shell.Loop | None:
    inside = [lp for lp in script.loops if lp.start <= call.command.start < lp.end and lp.variable == call.variable]
    return inside[-1] if inside else None


def _one(script: shell.ShellScript, call: Call, path: str) -> str:
    """Return the statement that does for one script what the loop does for all."""
    loop = _loop(script, call) if call.variable else None
    if loop is None:
        return " ".join([path, *call.arguments])
    return f"for {call.variable} in {path}; do{script.cut(loop.start, loop.end).removeprefix('do')}"


def _scheduled(order: lsb.StartOrder, statements: dict[str, str]) -> str:
    """Return the scripts as jobs of one shell, which waits for what each needs before it starts it."""
    levels = order.levels
    number = {path: count for count, path in enumerate(order.paths, start=1)}
    lines: list[str] = ["{"]
    waited: set[str] = set()
    for path in sorted(order.paths, key=lambda p: (levels[p], number[p])):
        jobs = [need for need in order.needs[path] if need not in waited]
        if jobs:
            lines.append("wait " + " ".join(f"$rc_job_{number[need]}" for need in jobs))
            waited.update(jobs)
        lines.append(f"{statements[path]} &\nrc_job_{number[path]}=$!")
    left = [path for path in order.paths if path not in waited]
    lines += ["wait " + " ".join(f"$rc_job_{number[path]}" for path in left)] if left else []
    return "\n".join([*lines, "}"])
