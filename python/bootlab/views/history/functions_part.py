# SPDX-License-Identifier: MIT
"""The functions that moved at a change of level, as a part of its page."""

from __future__ import annotations

from bootlab.analysis.forest_difference import FunctionChange
from bootlab.history.entry import HistoryEntry
from bootlab.history.traced_step import LOOKED_AT, TracedStep, whole_ns
from bootlab.model import figures
from bootlab.views.history.text import revision_words
from bootlab.views.page_model import Cell, PartData
from bootlab.views.page_parts import part, show, table

_TITLE = "Which functions moved"
_MOST = 25
_COLUMNS = ["function", "change", ">with callees ms", ">own ms", ">waiting ms", ">calls"]
_HOW = (
    "A recording of bootlab trace that is added to the history carries one (bootlab history add RECORDING); bootlab "
    "bisect makes both itself."
)


def functions_part(found: TracedStep) -> PartData:
    """Show them, or say why nobody knows."""
    if found.before is None or found.after is None:
        return part(_TITLE, f"{_lacking(found)} {_HOW}")
    pair = f"{_named(found.before)} and {_named(found.after)}"
    if found.unlike:
        return part(_TITLE, f"The traces of {pair} cannot be compared: {found.unlike}.")
    if not found.functions:
        return part(_TITLE, f"By the traces of {pair}, every function of the kernel takes the same time.")
    shown = found.functions[:_MOST]
    left = len(found.functions) - len(shown)
    more = f" {figures.counted(left, 'more function')} moved less." if left else ""
    lead = (
        f"By the traces of {pair}, those nearest to the step that carry one: what lies nearest to the cause first, its "
        f"callers behind it.{more}"
    )
    return part(_TITLE, lead, table("Functions", _COLUMNS, [_row(one) for one in shown]))


def headline(found: TracedStep) -> list[str] | None:
    """Name the function nearest to the cause beside the stage; None where no trace tells it."""
    if not found.functions:
        return None
    first = found.functions[0]
    was, now = whole_ns(first)
    return [show(first.function), "", f"nearest function: {figures.signed_ms(now - was)} ms", ""]


def _lacking(found: TracedStep) -> str:
    sides = [("before the step", found.before), ("since the step", found.after)]
    without = " or ".join(name for name, entry in sides if entry is None)
    return f"No trace tells: of the {LOOKED_AT} kept recordings nearest to it, none {without} carries one."


def _named(entry: HistoryEntry) -> str:
    return show(f"{revision_words(entry)} (boot {entry.id})")


def _row(row: FunctionChange) -> list[Cell]:
    was, now = whole_ns(row)
    numbers = [(figures.signed_ms(value), value) for value in (now - was, row.own, row.wait)]
    return [
        show(row.function),
        {"new": "new", "vanished": "gone"}.get(row.change, "slower" if now > was else "faster"),
        *([text, value] for text, value in numbers),
        [f"{row.count:+,}".replace(",", " ") if row.count else "0", row.count],
    ]
