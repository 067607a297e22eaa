"""What the terminal shows of a gate: the quantities, the budgets, what was odd, and the answer last."""

from __future__ import annotations

import statistics

from rich.console import Group, RenderableType

from bootlab.analysis.noisy.power import Forecast
from bootlab.history.boot_times import TOTAL
from bootlab.history.gate import Answer, Compared, GateResult
from bootlab.model import figures
from bootlab.views.listing import Cell, Listing, ms, real, signed_ms, words
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import cell, spaced

_STYLES = {"slower": "red", "faster": "green", "same": "dim", "unknown": "yellow"}
_ANSWERS = {Answer.PASSED: "bold green", Answer.FAILED: "bold red", Answer.UNDECIDED: "bold yellow"}
_KEPT = {"kept": "green", "broken": "bold red", "unknown": "yellow"}


def gate_view(found: GateResult) -> RenderableType:
    """Show everything, the answer last."""
    parts: list[RenderableType] = []
    if found.compared:
        parts.append(quantities(found).view())
        if not found.exact:
            parts.append(cell(rule_line(found), "dim", 400))
    parts += [cell(failure, "bold red", 300) for failure in found.failures]
    parts += [cell(ended, "bold yellow", 300) for ended in found.ended_by_host]
    for result in found.budgets:
        measured = "not measured" if result.median_ns is None else f"{figures.ms(result.median_ns)} ms"
        said = f"budget {result.budget.name}: {measured}, limit {result.budget.limit}: {result.kept} ({result.why})"
        parts.append(cell(said, _KEPT[result.kept], 400))
    parts += [cell(f"odd: {said}", "yellow", 400) for said in found.odd]
    parts.append(cell(sentence(found), _ANSWERS[found.answer], 400))
    return Group(*spaced(parts[:1]), *parts[1:])


def sentence(found: GateResult) -> str:
    """Say the answer, and by what."""
    reasons = [*found.failures, *found.ended_by_host]
    total = found.total
    if total is not None:
        reasons.append(_of_total(total, found.base))
        if total.judged is None and (known := _known(found)):
            reasons.append(known)
    kept = sum(result.kept == "kept" for result in found.budgets)
    if found.budgets:
        reasons.append(f"{kept} of {figures.counted(len(found.budgets), 'budget')} kept")
    return f"{found.answer.value}: {found.name}: {'; '.join(reasons)}"


def _of_total(total: Compared, base: str) -> str:
    judged = total.judged
    if judged is None:
        return f"the whole boot is not compared with {base} ({total.why})"
    change = figures.signed_ms(-judged.saved_ns)
    if judged.verdict == "unknown":
        low, high = (figures.signed_ms(-end) for end in reversed(judged.interval_ns))
        return f"unknown against {base}: {change} ms ({low} to {high})"
    if judged.verdict == "same":
        return f"same as {base} ({change} ms)"
    by = abs(judged.saved_ns)
    share = figures.percent(by, round(statistics.median(total.base_ns)))
    return f"{judged.verdict.value} than {base} by {figures.ms(by)} ms ({share})"


def _known(found: GateResult) -> str:
    """Say what the stages did where the whole boot was not compared: the one that moved most."""
    stages = [one for one in found.compared if one.judged is not None]
    most = max(stages, key=lambda one: abs(one.judged.saved_ns) if one.judged else 0, default=None)
    if most is None or most.judged is None:
        return ""
    change = figures.signed_ms(-most.judged.saved_ns)
    return f"of the stages that both have, `{most.name}` moved most: {change} ms ({most.judged.verdict.value})"


def forecast_line(told: Forecast) -> str:
    """Say what the blocks will be able to see."""
    return (
        f"noise of one boot: {figures.ms(told.noise_ns)} ms ({figures.counted(told.pilot_boots, 'pilot boot')}); "
        f"up to {figures.counted(told.blocks, 'block')} show a difference of {figures.ms(told.detectable_ns)} ms "
        f"in {told.power * 100:.0f} of 100 cases"
    )


def quantities(found: GateResult) -> Listing:
    """Return what each quantity was on both sides, and the verdict on it."""
    columns = ["quantity", ">base ms", ">new ms", ">change ms"]
    columns += [] if found.exact else [">95 % interval", ">p", ">effect"]
    rows = [_row(one, exact=found.exact) for one in found.compared]
    title = one_line(f"{found.name} against {found.base}", 200)
    columns[0] = "~quantity"
    # A page has room for the test's figures.
    narrow = () if found.exact else (5, 6)
    return Listing("Quantities", [*columns, "verdict"], rows, terminal=title, narrow=narrow)


def _row(one: Compared, *, exact: bool) -> list[Cell]:
    middles = (round(statistics.median(side)) if side else None for side in (one.base_ns, one.new_ns))
    row = [words("whole boot" if one.name == TOTAL else one.name), *map(ms, middles)]
    judged = one.judged
    if judged is None:
        return [
            *row,
            *([ms(None)] * (1 if exact else 4)),
            words("not compared", "yellow")._replace(on_page=f"not compared: {one.why}"),
        ]
    row.append(signed_ms(-judged.saved_ns))
    if not exact:
        low, high = (figures.signed_ms(-end) for end in reversed(judged.interval_ns))
        interval = f"{low} … {high}"
        row += [Cell(interval, interval, value=-judged.interval_ns[1]), real(judged.p_value, 4)]
        row.append(real(judged.effect, sign=True))
    return [*row, words(judged.verdict.value, _STYLES[judged.verdict.value])]


def rule_line(found: GateResult) -> str:
    """Say how many boots of which clock were judged by what."""
    smallest = next((one.judged.smallest_ns for one in found.compared if one.judged is not None), 0)
    base, new = found.boots
    return (
        f"{base} and {new} boots on the {found.clock} clock; below {figures.ms(smallest)} ms nothing matters; "
        "stages are judged together at the error rate of the whole boot"
    )
