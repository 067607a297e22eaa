# SPDX-License-Identifier: MIT
"""Advice as SARIF 2.1.0 (OASIS), which code review tools show beside the line it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from bootlab import __version__
from bootlab.advice.finding import Finding
from bootlab.model.change_text import change_text
from bootlab.techniques.base import Answer
from bootlab.views.shown_text import one_line

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def document(findings: Sequence[Finding]) -> dict[str, Any]:
    """Make the log of one run: a rule for each technique, a result for each one that applies."""
    applying = [f for f in findings if f.answer is Answer.YES]
    driver = {
        "name": "bootlab",
        "version": __version__,
        "rules": [_rule(finding) for finding in findings],
    }
    ids = [finding.technique for finding in findings]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, ids.index(finding.technique)) for finding in applying],
            }
        ],
    }


def _rule(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.technique,
        "shortDescription": {"text": finding.title},
        "fullDescription": {"text": f"{finding.title}. It does not help when: {finding.when_not} Cost: {finding.cost}"},
        "defaultConfiguration": {"level": "note"},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    ways = "; or ".join(change_text(change) for change in finding.changes[:3])
    evidence = f" ({finding.evidence})" if finding.evidence else ""
    how = f" Try: {ways}." if ways else ""
    text = one_line(f"{finding.title}: {finding.reason}{evidence}.{how} Expect: {finding.sign}.", 1000)
    result: dict[str, Any] = {
        "ruleId": finding.technique,
        "ruleIndex": index,
        "level": "warning" if any(gain.basis != "published" for gain in finding.gains) else "note",
        "message": {"text": text},
    }
    if finding.place is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": quote(finding.place.file)}}
        if finding.place.line is not None:
            physical["region"] = {"startLine": finding.place.line}
        result["locations"] = [{"physicalLocation": physical}]
    return result
