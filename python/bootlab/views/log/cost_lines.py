# SPDX-License-Identifier: MIT
"""Costs on the terminal: what each takes, the lines that show it, what to do, and the command that tries it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.costs import Cost
from bootlab.logs.told import CostWords
from bootlab.techniques.remedies import remedy
from bootlab.views.text_table import Hanging, cell

_BELOW = 18


def costs_view(costs: Sequence[Cost], words: Sequence[CostWords], top: int) -> RenderableType:
    """Show each cost with the technique that addresses it. `words`: of each cost, as the core says it."""
    parts: list[RenderableType] = [
        Text(
            "Costs, and techniques that cut them (gains: printed, computed or published elsewhere; no promise)",
            "bold",
        )
    ]
    said: dict[str, Cost] = {}
    shown = list(zip(costs, words, strict=True))[: max(top, 1)]
    parts += [_cost(cost, told, said.setdefault(cost.advice, cost)) for cost, told in shown]
    if len(costs) > top:
        parts.append(cell(f"{len(costs) - top} more (see --top or --json)", "dim"))
    return Group(*parts)


def _cost(cost: Cost, words: CostWords, same_advice: Cost) -> RenderableType:
    """One cost; advice that a cost before it had is not repeated."""
    head = cell(f"{words.spent:>16}  ", "bold")
    body = cell(f"{remedy(cost.kind).name}: ", "bold cyan")
    body.append_text(cell(f"{cost.title} ({words.gain})", "", 300))
    below = [cell(f"{words.place}: {cost.evidence}" if words.place else cost.evidence, "dim", 400)]
    if words.helps and same_advice is not cost and same_advice.lines:
        below.append(cell(f"to do: as for line {same_advice.lines[0]} above", "dim"))
    elif words.helps:
        below.append(cell(f"to do: {cost.advice}", "", 400))
        known = remedy(cost.kind)
        if known.way():
            below.append(cell(f"{'try' if known.techniques else 'where'}: {known.way()}", "green"))
    return Group(Hanging(head, body), *(Hanging(Text(" " * _BELOW), text) for text in below))
