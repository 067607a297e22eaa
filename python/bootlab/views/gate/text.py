# SPDX-License-Identifier: MIT
"""What the terminal shows of a gate: the quantities, the budgets, what was odd, and the answer last."""

from __future__ import annotations

import statistics

from rich.console import Group, RenderableType

from bootlab.analysis.noisy.judgement import Judged
from bootlab.analysis.noisy.power import Forecast
from bootlab.history.boot_times import TOTAL
from bootlab.history.gate import (
    BOARD,
    Difference,
    GateAnswer,
    GateComparison,
    GateResult,
    ModelledSides,
    OnBoardSide,
)
from bootlab.model import figures
from bootlab.model.verdict import Verdict
from bootlab.views.shown_text import one_line
from bootlab.views.table.listing import Cell, Listing, ms, p_value, real, signed_ms, words
from bootlab.views.text_table import cell, spaced

_STYLES = {"slower": "red", "faster": "green", "same": "dim", "unknown": "yellow", "depends on the board": "yellow"}
WHOLE = {TOTAL: "whole boot", BOARD: "whole boot, on the board"}
_ANSWERS = {GateAnswer.PASSED: "bold green", GateAnswer.FAILED: "bold red", GateAnswer.UNDECIDED: "bold yellow"}
_KEPT = {"kept": "green", "broken": "bold red", "unknown": "yellow"}


def gate_view(found: GateResult) -> RenderableType:
    """Show everything, the answer last."""
    parts: list[RenderableType] = []
    if found.compared:
        parts.append(quantities(found).view())
        parts.append(cell(rule_line(found), "dim", 400))
    parts += [cell(failure, "bold red", 300) for failure in found.failures]
    parts += [cell(ended, "bold yellow", 300) for ended in found.ended_by_host]
    for result in found.budgets:
        median = figures.ms(result.median_ns, result.unsure_ns)
        measured = "not measured" if result.median_ns is None else f"{median} ms"
        said = f"budget {result.budget.name}: {measured}, limit {result.budget.limit}: {result.kept} ({result.why})"
        parts.append(cell(said, _KEPT[result.kept], 400))
    parts += [cell(f"odd: {said}", "yellow", 400) for said in found.odd]
    parts += [cell(f"differs: {difference_line(one)}", "", 600) for one in found.differences]
    parts += [cell(said, "dim", 200) for said in made_line(found)]
    parts.append(cell(sentence(found), _ANSWERS[found.answer], 400))
    return Group(*spaced(parts[:1]), *parts[1:])


def difference_line(one: Difference) -> str:
    """Say what differs, and whether the boots show it active."""
    if one.active is None and not one.technique:
        return one.what
    where = " in the base (there against here)" if one.removed else ""
    how = {True: f"shown active{where}", False: "not active", None: "not shown active"}[one.active]
    by = f"{one.technique}: " if one.technique else ""
    return f"{one.what}: {how}: {by}{one.shown}"


def made_line(found: GateResult) -> list[str]:
    """Say how many boots this run made, and how many were kept from earlier ones; [] where nobody counted."""
    if found.made is None:
        return []
    made, kept = found.made
    return [f"{figures.counted(made, 'boot')} made, {figures.count(kept)} kept from earlier runs"]


def sentence(found: GateResult) -> str:
    """Say the answer, and by what."""
    reasons = [*found.failures, *found.ended_by_host]
    total = found.total
    if found.board is not None:
        reasons.append(_on_board(found.board, found.base, found.name))
    elif total is not None:
        reasons.append(_of_total(total, found.base))
        if total.judged is None and (known := _known(found)):
            reasons.append(known)
    kept = sum(result.kept == "kept" for result in found.budgets)
    if found.budgets:
        reasons.append(f"{kept} of {figures.counted(len(found.budgets), 'budget')} kept")
    return f"{found.answer.value}: {found.name}: {'; '.join(reasons)}"


def _of_total(total: GateComparison, base: str) -> str:
    judged = total.judged
    if judged is None:
        return f"the whole boot is not compared with {base} ({total.why})"
    change = figures.signed_ms(-judged.saved_ns, total.unsure_ns)
    if judged.verdict == "unknown":
        return f"unknown against {base}: {change} ms{_how_sure(judged)}"
    if judged.verdict == "same":
        moved = ", no more than what means nothing moves it" if abs(judged.saved_ns) > judged.smallest_ns else ""
        return f"same as {base} ({change} ms{moved})"
    by = figures.ms(abs(judged.saved_ns), total.unsure_ns)
    share = figures.percent(abs(judged.saved_ns), round(statistics.median(total.base_ns)))
    return f"{judged.verdict.value} than {base} by {by} ms ({share}){_by_noise(judged)}"


def _by_noise(judged: Judged) -> str:
    """Say how often two equal systems differ so much: the chance that a difference is noise."""
    return "" if judged.p_value is None else f"; noise alone does that in {figures.chance(judged.p_value)}"


def _on_board(board: OnBoardSide, base: str, new: str) -> str:
    """Say what the board's time says: by how much, at least and at most, and where it turns if it depends."""
    by = "" if board.row.modelled is None else f"{changed(board.row.modelled)} ms "
    verdict = board.row.judged.verdict.value if board.row.judged is not None else "unknown"
    depends = board.row.judged is not None and board.row.judged.verdict is Verdict.DEPENDS
    turns = "".join(f"; {point.text(new)}" for point in board.turns) if depends else ""
    return f"{verdict} by the board's time, against {base}: {by}({board.costs.name}){turns}"


def changed(sides: ModelledSides) -> str:
    """Write by how much the new side is slower on the board: the end that saves most, to the one that saves least."""
    return figures.ends_ms((-sides.saved_ns.high, -sides.saved_ns.low), signed=True)


def _how_sure(judged: Judged) -> str:
    """Say what an unknown difference rests on: its interval, or that the boots are too few to have one."""
    if judged.interval_ns is not None:
        return f" ({_interval(judged.interval_ns, ' to ')})"
    base, new = judged.boots
    return f" ({figures.counted(base, 'boot')} of the base and {figures.count(new)} of the new cannot tell)"


def _interval(interval_ns: tuple[int, int], between: str) -> str:
    range_ns = interval_ns[1] - interval_ns[0]
    return between.join(figures.signed_ms(-end, range_ns) for end in reversed(interval_ns))


def _known(found: GateResult) -> str:
    """Say what the stages did where the whole boot was not compared: the one that moved most."""
    most = max(found.stages, key=lambda one: abs(one.judged.saved_ns) if one.judged else 0, default=None)
    if most is None or most.judged is None:
        return ""
    change = figures.signed_ms(-most.judged.saved_ns, most.unsure_ns)
    return f"of the stages that both have, `{most.name}` moved most: {change} ms ({most.judged.verdict.value})"


def forecast_line(told: Forecast) -> str:
    """Say what the blocks will be able to see."""
    noise, detectable = (figures.ms(ns, told.noise_ns) for ns in (told.noise_ns, told.detectable_ns))
    return (
        f"noise of one boot: {noise} ms ({figures.counted(told.pilot_boots, 'pilot boot')}); "
        f"up to {figures.counted(told.blocks, 'block')} show a difference of {detectable} ms "
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


def _row(one: GateComparison, *, exact: bool) -> list[Cell]:
    middles = (round(statistics.median(side)) if side else None for side in (one.base_ns, one.new_ns))
    row = [words(WHOLE.get(one.name, one.name))]
    if one.modelled is not None and one.judged is not None:
        row += _modelled_cells(one.modelled)
        return [*row, words(one.judged.verdict.value, _STYLES[one.judged.verdict.value])]
    row += [ms(middle, range_ns=None if exact else one.range_ns) for middle in middles]
    judged = one.judged
    if judged is None:
        return [
            *row,
            *([ms(None)] * (1 if exact else 4)),
            words("not compared", "yellow")._replace(on_page=f"not compared: {one.why}"),
        ]
    row.append(signed_ms(-judged.saved_ns, range_ns=one.unsure_ns))
    if not exact:
        row += [_interval_cell(judged.interval_ns), p_value(judged.p_value)]
        row.append(real(judged.effect, sign=True))
    return [*row, words(judged.verdict.value, _STYLES[judged.verdict.value])]


def _modelled_cells(sides: ModelledSides) -> list[Cell]:
    """Write both sides and the change, each at least and at most. Only exact boots have a row of a board."""
    both = ((side.low, side.high) for side in (sides.base_ns, sides.new_ns))
    cells = [Cell(figures.ends_ms(ends), figures.ends_ms(ends, grouped=True), value=ends[0]) for ends in both]
    return [*cells, Cell(changed(sides), changed(sides), value=-sides.saved_ns.high)]


def _interval_cell(interval_ns: tuple[int, int] | None) -> Cell:
    if interval_ns is None:
        return ms(None)
    shown = interval(interval_ns)
    return Cell(shown, shown, value=-interval_ns[1])


def interval(interval_ns: tuple[int, int]) -> str:
    """Write the ends of an interval of the time saved as changes, to the digits that its width carries."""
    return _interval(interval_ns, " … ")


def rule_line(found: GateResult) -> str:
    """Say how many boots of which clock were judged by what."""
    smallest = next((one.judged.smallest_ns for one in found.compared if one.judged is not None), None)
    base, new = found.boots
    said = [
        f"{figures.counted(base, 'boot')} of the base and {figures.count(new)} of the new on the {found.clock} clock"
    ]
    if smallest is not None:
        said.append(f"below {figures.ms(smallest)} ms nothing matters")
    if not found.exact:
        return "; ".join([*said, "stages are judged together at the error rate of the whole boot"])
    if found.moved_ns is not None:
        return "; ".join([*said, f"what means nothing moves the base's goal by up to {figures.ms(found.moved_ns)} ms"])
    few = "how far what means nothing moves the goal is not known: two system files are booted under dithers"
    unknown = found.total is not None and found.total.judged is not None and found.total.judged.verdict == "unknown"
    return "; ".join([*said, few] if unknown else said)
