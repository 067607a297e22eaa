"""Costs as a page's script draws them."""

from __future__ import annotations

from collections.abc import Iterable

from bootlab.logs.boot import Cost
from bootlab.logs.techniques import way
from bootlab.views.page_model import CostData
from bootlab.views.page_parts import show


def costs_page(costs: Iterable[Cost]) -> list[CostData]:
    """Return one row for each cost; the way to try it is left out where nothing is to be gained."""
    return [
        {
            "technique": show(c.technique),
            "title": show(c.title),
            "cost": c.cost_ns,
            "gain": c.gain_ns,
            "atMost": c.at_most,
            "basis": c.basis,
            "evidence": show(c.evidence),
            "advice": show(c.advice),
            "way": "" if c.gain_ns == 0 else way(c.technique),
        }
        for c in costs
    ]
