"""A comparison in a sentence: how much slower or faster a boot became, and where."""

from __future__ import annotations

from bootlab.logs.comparison import Comparison, Row
from bootlab.views.log.headline import seconds
from bootlab.views.log.page_headline import STAGE_OF

_ALL = 0.95
_MOST = 0.6


def sentence(comparison: Comparison) -> str:
    """Return `100 ms slower (3.00 s to 3.10 s), all of it in RC scripts`; empty where no total is known."""
    rows = {row.quantity: row for row in comparison.rows if row.base and row.new and row.difference_ns is not None}
    stages = [row for name, row in rows.items() if name.startswith("stage:") and ".." in name]
    whole = rows.get("stage:whole-boot")
    if whole is None and stages:
        return _said(sum(row.base.median_ns for row in stages if row.base), stages, comparison)
    if whole is None:
        whole = rows.get("kernel") or rows.get("application")
    if whole is None or whole.base is None or whole.new is None or whole.difference_ns is None:
        return ""
    return _total(whole.base.median_ns, whole.difference_ns, whole.change, stages)


def _said(base_ns: int, stages: list[Row], comparison: Comparison) -> str:
    difference = sum(row.difference_ns or 0 for row in stages)
    general = comparison.thresholds.general
    least = max(general.ns, base_ns * general.percent / 100)
    changes = {row.change for row in stages}
    change = "same" if abs(difference) <= least else "slower" if difference > 0 else "faster"
    if change != "same" and change not in changes:
        change = "unclear"
    return _total(base_ns, difference, change, stages)


def _total(base_ns: int, difference_ns: int, change: str, stages: list[Row]) -> str:
    span = f"({seconds(base_ns)} to {seconds(base_ns + difference_ns)})"
    if change == "same" or not difference_ns:
        return f"no slower and no faster {span}"
    word = "slower" if difference_ns > 0 else "faster"
    sure = ", but the values of both sides overlap" if change == "unclear" else ""
    return f"{seconds(abs(difference_ns))} {word} {span}{_where(difference_ns, stages)}{sure}"


def _where(difference_ns: int, stages: list[Row]) -> str:
    moved = sorted(
        ((row.difference_ns or 0, row.quantity) for row in stages if (row.difference_ns or 0) * difference_ns > 0),
        key=lambda pair: -abs(pair[0]),
    )
    if not moved:
        return ""
    largest, quantity = moved[0]
    share = abs(largest / difference_ns)
    if share >= _ALL:
        return f", all of it in {stage_name(quantity)}"
    if share >= _MOST:
        return f", most of it in {stage_name(quantity)} ({seconds(abs(largest))})"
    named = " and ".join(f"{stage_name(name)} ({seconds(abs(ns))})" for ns, name in moved[:2])
    return f", mainly in {named}"


def stage_name(quantity: str) -> str:
    """Name the stage of `stage:rc-scripts..first-use` as all pages do."""
    first, _, last = quantity.removeprefix("stage:").partition("..")
    return f"{STAGE_OF.get(first, first)} ({first} to {last})" if last else first
