# SPDX-License-Identifier: MIT
"""A gate, or a comparison of two sides, as one self-contained page."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from bootlab.history.gate import BOARD, GateAnswer, GateResult
from bootlab.model import figures
from bootlab.model.timeline import in_order
from bootlab.views.gate.text import (
    WHOLE,
    changed,
    difference_line,
    interval,
    made_line,
    quantities,
    rule_line,
    sentence,
)
from bootlab.views.page_model import PageData, StagesData, TableData
from bootlab.views.page_parts import end_to_end, ms, page, part, show, table
from bootlab.views.shown_text import one_line

INTERVAL = "95 % interval"
"""What the figure of the change's interval is called."""
_VERDICTS = {GateAnswer.PASSED: "faster", GateAnswer.FAILED: "slower", GateAnswer.UNDECIDED: "unknown"}


def render(found: GateResult, *, title: str = "gate", trail: Sequence[tuple[str, str]] = ()) -> str:
    """Make the page. `title`: gate or comparison; `trail`: names and addresses of the pages above it on a server."""
    return page(f"{one_line(found.name, 120)} · bootlab {title}", page_data(found, title=title, trail=trail))


def page_data(found: GateResult, *, title: str = "gate", trail: Sequence[tuple[str, str]] = ()) -> PageData:
    """Collect everything the page shows."""
    against = f" against {found.base}" if found.base else ""
    parts = []
    if found.compared:
        parts.append(part("Quantities", show(rule_line(found)), quantities(found).on_page()))
        if sides := _sides(found):
            parts[0]["sides"] = sides
        if not found.exact or max(found.boots) > 1:
            parts.append(part("Every boot", "Each value of both sides, in the order of the boots.", _values(found)))
    if found.budgets:
        parts.append(part("Budgets", "What was not measured never keeps a budget.", _budgets(found)))
    if found.odd:
        parts.append(part("Odd", "Nothing is left out for it.", table("Odd", ["what"], [[show(o)] for o in found.odd])))
    if found.differences:
        rows = [[show(difference_line(one))] for one in found.differences]
        parts.append(part("What differs", "What the boots show of it.", table("What differs", ["what"], rows)))
    old, new = found.boots
    facts = [
        ["base", show(found.base or "none")],
        ["boots of the base", figures.count(old)],
        ["new", show(found.name)],
        ["boots of the new side", figures.count(new)],
        ["clock", found.clock],
        ["made", show("; ".join(made_line(found)))],
        ["commits", show(_commits(found))],
        ["answer", show(sentence(found)) if title == "gate" else ""],
    ]
    return {
        "name": show(f"{found.name}{against}"),
        "kind": title.capitalize(),
        "headline": _headline(found, gate=title == "gate"),
        "problems": [show(failure) for failure in (*found.failures, *found.ended_by_host)],
        "facts": [fact for fact in facts if fact[1]],
        "parts": parts,
        "trail": [list(step) for step in trail] or None,
    }


def _sides(found: GateResult) -> list[tuple[str, StagesData]]:
    """Return the stages of both sides, end to end on one scale; [] where they do not make up the whole boots."""
    total = found.total
    if total is None or not total.base_ns or not total.new_ns:
        return []
    sides: list[tuple[str, StagesData]] = []
    for side, whole in (("base", total.base_ns), ("new", total.new_ns)):
        values = {one.name: one.base_ns if side == "base" else one.new_ns for one in found.stages}
        stages = [(name, round(statistics.median(values[name]))) for name in in_order(values) if values[name]]
        placed = end_to_end(stages, round(statistics.median(whole)), total.unsure_ns)
        if placed is None:
            return []
        sides.append((side, placed))
    return sides


def _commits(found: GateResult) -> str:
    if found.origin is None:
        return ""
    return "; ".join(f"{commit.name[:12]} {commit.subject}" for commit in found.origin.commits)


def _headline(found: GateResult, *, gate: bool) -> list[list[str]]:
    said = []
    if gate:
        said.append([found.answer.value, "", "answer", _VERDICTS[found.answer]])
    if found.board is not None and (sides := found.board.row.modelled) is not None and found.board.row.judged:
        verdict = found.board.row.judged.verdict.value
        said.append([changed(sides), "ms", f"{WHOLE[BOARD]}, new against base (modelled)", verdict])
        said.append([verdict, "", "verdict by the board's time", verdict])
    total = found.total
    if total is not None and total.judged is not None:
        judged = total.judged
        change = figures.signed_ms(-judged.saved_ns, total.unsure_ns)
        said.append([change, "ms", "whole boot, new against base", judged.verdict.value])
        said.append([judged.verdict.value, "", "verdict on the whole boot", judged.verdict.value])
        if judged.interval_ns is not None:
            said.append([interval(judged.interval_ns), "ms", INTERVAL, ""])
    if found.budgets:
        kept = sum(result.kept == "kept" for result in found.budgets)
        good = "faster" if kept == len(found.budgets) else "slower"
        said.append([f"{kept} of {len(found.budgets)}", "", "budgets kept", good])
    return said


def _values(found: GateResult) -> TableData:
    rows = [
        [
            WHOLE[one.name] if one.name in WHOLE else show(one.name),
            side,
            " ".join(figures.ms(value, None if found.exact else one.range_ns) for value in values[:200]),
        ]
        for one in found.compared
        if one.modelled is None
        for side, values in (("base", one.base_ns), ("new", one.new_ns))
    ]
    return table("Values", ["quantity", "side", "ms"], rows)


def _budgets(found: GateResult) -> TableData:
    rows = [
        [
            show(result.budget.name),
            ms(result.median_ns, range_ns=result.unsure_ns),
            result.budget.limit,
            result.kept,
            show(result.why),
        ]
        for result in found.budgets
    ]
    return table("Budgets", ["quantity", ">measured", "limit", "kept?", "why"], rows)
