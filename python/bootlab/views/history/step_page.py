# SPDX-License-Identifier: MIT
"""One change of level as a page: which stage moved, what else differs, what the consoles of both sides show."""

from __future__ import annotations

from bootlab.history.boot_times import TOTAL
from bootlab.history.gate import GateResult
from bootlab.history.step import LevelStep
from bootlab.history.traced_step import TracedStep
from bootlab.history.trend import LevelChange, point_of
from bootlab.logs.compared import LogComparison
from bootlab.model import figures
from bootlab.views.gate.page import INTERVAL, page_data
from bootlab.views.history.addresses import Addresses
from bootlab.views.history.functions_part import functions_part, headline
from bootlab.views.history.text import short
from bootlab.views.log.comparison_page import rows_table
from bootlab.views.page_model import Cell, PartData
from bootlab.views.page_parts import page, part, show, table
from bootlab.views.shown_text import one_line

_MOVED = ("slower", "faster", "new", "gone")
_MOST_ROWS = 60


def render(
    system: str, step: LevelStep, found: GateResult, logs: LogComparison | None, traced: TracedStep, to: Addresses
) -> str:
    """Make the page. `found`: both levels compared; `logs`: the consoles of the two boots beside the step.

    `logs` None: not both are kept.
    """
    data = page_data(found, title="change of level", trail=[("all systems", to.home), (system, to.system(system))])
    change, unsure = step.change, found.total.unsure_ns if found.total else None
    data["name"] = show(f"{system} at {short(change.to_revision)}")
    facts = [["commit", change.subject], ["by", change.author]]
    data["facts"] = [[name, show(value)] for name, value in facts if value] + data["facts"]
    sure = [figure for figure in data["headline"] if figure[2] == INTERVAL]
    function = headline(traced)
    data["headline"] = [*_moved_most(step, found, unsure), *([function] if function else []), *sure]
    told = [*_else(change), functions_part(traced), _consoles(logs)]
    data["parts"] = [*data["parts"][:1], *told, _boots(step, unsure), _more(system, step, to)]
    return page(f"{one_line(system, 80)}: change of level · bootlab", data)


def _moved_most(step: LevelStep, found: GateResult, unsure_ns: int | None) -> list[list[str]]:
    """Say by how much the quantity changed, and which stage moved most with it."""
    grew = step.change.point.grew_ns
    word = "slower" if grew > 0 else "faster"
    name = "whole boot" if step.quantity == TOTAL else show(step.quantity)
    said = [[figures.signed_ms(grew, unsure_ns), "ms", f"{name}, level to level", word]]
    stages = [one for one in found.stages if one.judged is not None]
    if stages:
        most = max(stages, key=lambda one: abs(one.judged.saved_ns) if one.judged else 0)
        moved = -most.judged.saved_ns if most.judged else 0
        said.append([show(most.name), "", f"moved most: {figures.signed_ms(moved, most.unsure_ns)} ms", ""])
    return said


def _else(change: LevelChange) -> list[PartData]:
    """Say what of the boots beside the step differs besides their times."""
    rows = [[show(fact)] for fact in change.facts]
    title = "What else changed"
    lead = "Between the two boots beside the step: none of it need be the cause."
    return [part(title, lead, table(title, ["what"], rows))] if rows else []


def _boots(step: LevelStep, range_ns: int | None) -> PartData:
    """Draw the boots of both levels, the oldest on the left."""
    name = "whole boot" if step.quantity == TOTAL else show(step.quantity)
    points = [point_of(entry, step.quantity) for entry in (*step.before, *step.after)]
    point = step.change.point
    made = part("Every boot", f"The {name}: a point a boot, the step between them. At most 100 boots of each level.")
    made["trends"] = [
        {
            "label": f"{name}: {figures.counted(len(points), 'boot')}",
            "points": [[show(short(one.revision)), show(one.variant), one.ns, one.seconds] for one in points],
            "changes": [[len(step.before) - 1, point.from_ns, point.to_ns]],
            "places": figures.places(range_ns),
        }
    ]
    return made


def _consoles(logs: LogComparison | None) -> PartData:
    title = "What the consoles show"
    if logs is None:
        return part(title, "No console tells what moved inside a stage: the recordings of both boots are not kept.")
    rows = [row for row in logs.rows if row.change in _MOVED]
    rows.sort(key=lambda row: -abs(row.difference_ns or 0))
    if not rows:
        return part(title, "Of what they time, nothing moved by more than a millisecond and 5 %.")
    lead = "Initcalls, units, marks and pauses of the two boots beside the step, the largest difference first."
    return part(title, lead, rows_table("Moved, new and gone", rows[:_MOST_ROWS]))


def _more(system: str, step: LevelStep, to: Addresses) -> PartData:
    change = step.change
    rows: list[list[Cell]] = []
    for text, entry in (("the last boot before it", step.before[-1]), ("the first boot since", step.after[0])):
        if entry.id is not None:
            rows.append([[text, text, to.boot(entry.id)], show(short(entry.revision)), entry.at[:16].replace("T", " ")])
    if (address := to.commit(change.to_revision)) is not None:
        rows.append([["the commit", "commit", address], show(short(change.to_revision)), ""])
    if not change.inside:
        both = to.compare(system, f"rev:{change.from_revision}", f"rev:{change.to_revision}")
        rows.append([["the two revisions compared", "compare", both], "", ""])
    return part("More", "", table("More about this step", ["page", "revision", "made"], rows))
