# SPDX-License-Identifier: MIT
"""The document of an analysis as the command line writes it: the core's, and with each cost what helps against it."""

from __future__ import annotations

import msgspec

from bootlab.logs.analysis import Analysis
from bootlab.techniques.remedies import remedy
from bootlab.views.log.recorded_goal import RecordedGoal


def document(analysis: Analysis, goal: RecordedGoal | None = None) -> str:
    """Return the core's JSON, where each cost has the technique that addresses its kind as `technique`.

    `techniques` has all of them where there are more: those of other packages stand behind the built-in one. `goal`: of
    the last boot, where a recording knows it, as `recorded_goal`.
    """
    costs = any(boot.costs for boot in analysis.boots) or any(report.costs for report in analysis.units)
    if goal is None and not costs:
        return analysis.json
    made = msgspec.json.decode(analysis.json)
    for part in made["parts"]:
        for cost in part.get("costs", ()):
            known = remedy(cost["kind"])
            cost["technique"] = known.name
            if len(known.techniques) > 1:
                cost["techniques"] = known.techniques
    if goal is not None:
        made["recorded_goal"] = {"ns": goal.ns, "clock": goal.clock, "text": goal.text}
    return msgspec.json.encode(made).decode()
