"""Costs on the terminal: what each takes, the lines that show it, what to do, and the command that tries it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.boot import Cost
from bootlab.logs.techniques import way
from bootlab.model import figures
from bootlab.views.log.headline import BASIS_WORDS
from bootlab.views.text_table import Hanging, cell

_BELOW = 18


def costs_view(costs: Sequence[Cost], top: int) -> RenderableType:
    """Show each cost with the technique that addresses it."""
    parts: list[RenderableType] = [
        Text(
            "Costs, and techniques that cut them (gains: printed, computed or published elsewhere; no promise)",
            "bold",
        )
    ]
    said: dict[str, Cost] = {}
    parts += [_cost(cost, said.setdefault(cost.advice, cost)) for cost in costs[: max(top, 1)]]
    if len(costs) > top:
        parts.append(cell(f"{len(costs) - top} more (see --top or --json)", "dim"))
    return Group(*parts)


def _cost(cost: Cost, same_advice: Cost) -> RenderableType:
    """One cost; advice that a cost before it had is not repeated."""
    spent = "cost unknown" if cost.cost_ns is None else f"{figures.ms(cost.cost_ns)} ms"
    gain = "gain unknown"
    if cost.gain_ns == 0:
        gain = "nothing to gain"
    elif cost.gain_ns is not None:
        gain = f"may gain {'at most ' if cost.at_most else ''}{figures.ms(cost.gain_ns)} ms"
    head = cell(f"{spent:>16}  ", "bold")
    body = cell(f"{cost.technique}: ", "bold cyan")
    sure = "" if cost.gain_ns is None else f"; {BASIS_WORDS.get(cost.basis, cost.basis)}"
    body.append_text(cell(f"{cost.title} ({gain}{sure})", "", 300))
    below = [cell(_where(cost) + cost.evidence, "dim", 400)]
    if cost.gain_ns != 0 and same_advice is not cost and same_advice.lines:
        below.append(cell(f"to do: as for line {same_advice.lines[0]} above", "dim"))
    elif cost.gain_ns != 0:
        below.append(cell(f"to do: {cost.advice}", "", 400))
        command = way(cost.technique)
        if command:
            below.append(cell(f"try: {command}" if command.startswith("bootlab") else f"where: {command}", "green"))
    return Group(Hanging(head, body), *(Hanging(Text(" " * _BELOW), text) for text in below))


def _where(cost: Cost) -> str:
    numbers = ", ".join(map(str, cost.lines[:4]))
    return f"{'line' if len(cost.lines) == 1 else 'lines'} {numbers}: " if cost.lines else ""
