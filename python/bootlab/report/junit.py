"""A comparison as JUnit XML, for CI: one test case for each budget and each quantity that moved."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from bootlab.logs.comparison import Comparison
from bootlab.report import figures
from bootlab.report.shown_text import one_line

# What XML 1.0 has no way to write, even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(comparison: Comparison) -> bytes:
    """Make the document. Unmoved quantities pass as one case, so that a suite is never empty."""
    cases: list[ET.Element] = []
    for result in comparison.budgets:
        case = _case("budget", result.budget.quantity, result.median_ns)
        if not result.kept:
            measured = "not measured" if result.median_ns is None else f"{figures.ms(result.median_ns)} ms"
            _fail(case, f"{measured}, limit {figures.ms(result.budget.limit_ns)} ms")
        cases.append(case)
    if comparison.base_boots:
        moved = [row for row in comparison.rows if row.change != "same"]
        for row in moved:
            case = _case("comparison", row.quantity, row.new.median_ns if row.new else None)
            if row.change == "slower" and row.base and row.new:
                _fail(case, f"{figures.ms(row.base.median_ns)} ms to {figures.ms(row.new.median_ns)} ms")
            cases.append(case)
        same = len(comparison.rows) - len(moved)
        cases.append(_case("comparison", f"{same} quantities are the same", None))
    failed = sum(case.find("failure") is not None for case in cases)
    suite = ET.Element("testsuite", name="bootlab analyze", tests=str(len(cases)), failures=str(failed), errors="0")
    suite.extend(cases)
    root = ET.Element("testsuites")
    root.append(suite)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body + b"\n"


def _case(kind: str, name: str, ns: int | None) -> ET.Element:
    case = ET.Element("testcase", classname=f"bootlab.{kind}", name=_NO_XML.sub("?", one_line(name, 500)))
    if ns is not None:
        case.set("time", f"{ns / 1e9:.6f}")
    return case


def _fail(case: ET.Element, message: str) -> None:
    ET.SubElement(case, "failure", message=message)
