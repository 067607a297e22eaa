# SPDX-License-Identifier: MIT
"""A gate as JUnit XML: a test case for the whole boot and for each budget. Undecided ones are errors, not failures."""

from __future__ import annotations

import statistics

from bootlab.history.gate import GateResult, ModelledSides
from bootlab.model import figures
from bootlab.model.verdict import Verdict
from bootlab.views.gate.text import sentence
from bootlab.views.junit import Case, document

_KINDS = {Verdict.SLOWER: "failure", Verdict.UNKNOWN: "error", Verdict.DEPENDS: "error"}


def render(found: GateResult) -> bytes:
    """Make the document."""
    cases = []
    for one in found.compared:
        verdict = one.judged.verdict if one.judged is not None else Verdict.UNKNOWN
        wrong = one is found.deciding and verdict in _KINDS
        said = {_KINDS[verdict]: sentence(found)} if wrong else {"said": verdict.value}
        took_ns = _middle(one.new_ns)
        if one.modelled is not None:
            # A test case has one time: the longer one, with both ends in words.
            took_ns = round(one.modelled.new_ns.high)
            said["said"] = f"{verdict.value}; modelled: {_both(one.modelled)}"
        cases.append(Case("bootlab.comparison", one.name, took_ns, **said))
    for result in found.budgets:
        why = f"limit {result.budget.limit}: {result.kept}: {result.why}"
        said = {} if result.kept == "kept" else {"failure" if result.kept == "broken" else "error": why}
        cases.append(Case("bootlab.budget", result.budget.name, result.median_ns, **said))
    for number, failure in enumerate(found.failures, start=1):
        cases.append(Case("bootlab.boot", f"boot {number} that failed", failure=failure))
    for number, ended in enumerate(found.ended_by_host, start=1):
        cases.append(Case("bootlab.boot", f"boot {number} that the host ended", error=ended))
    return document([(f"bootlab gate {found.name}", cases)])


def _both(sides: ModelledSides) -> str:
    base, new = (figures.ends_ms((side.low, side.high)) for side in (sides.base_ns, sides.new_ns))
    return f"{new} ms, the base {base} ms"


def _middle(values_ns: tuple[int, ...]) -> int | None:
    return round(statistics.median(values_ns)) if values_ns else None
