"""A comparison as JUnit XML, for CI: one test case for each budget and each quantity that moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from bootlab.logs.comparison import Comparison
from bootlab.model import figures
from bootlab.views.xml_text import xml_text


def render(comparisons: Sequence[Comparison], names: Sequence[str]) -> bytes:
    """Make the document: a suite for each comparison, with the name of what is compared where there are several."""
    return _document(_suite(comparison, name) for comparison, name in zip(comparisons, names, strict=True))


def of_cases(name: str, cases: Iterable[tuple[str, str, str, str]]) -> bytes:
    """Make a document of cases: class, name, why it failed ("": it did not), why it was left out ("": it was not)."""
    made = []
    for class_name, case_name, failure, skipped in cases:
        case = _element(class_name, case_name)
        if failure:
            _fail(case, failure)
        elif skipped:
            ET.SubElement(case, "skipped", message=xml_text(skipped))
        made.append(case)
    return _document([_suite_of(name, made)])


def _document(suites: Iterable[ET.Element]) -> bytes:
    root = ET.Element("testsuites")
    root.extend(suites)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body + b"\n"


def _suite(comparison: Comparison, name: str) -> ET.Element:
    """Unmoved quantities pass as one case, so that a suite is never empty."""
    cases: list[ET.Element] = []
    for result in comparison.budgets:
        case = _case("budget", result.budget.quantity, result.median_ns)
        if not result.kept:
            measured = "not measured" if result.median_ns is None else f"{figures.ms(result.median_ns)} ms"
            _fail(case, f"{measured}, limit {figures.ms(result.budget.limit_ns)} ms")
        cases.append(case)
    if comparison.base_runs:
        moved = [row for row in comparison.rows if row.change != "same"]
        for row in moved:
            case = _case("comparison", row.quantity, row.new.median_ns if row.new else None)
            if row.change == "slower" and row.base and row.new:
                _fail(case, f"{figures.ms(row.base.median_ns)} ms to {figures.ms(row.new.median_ns)} ms")
            cases.append(case)
        same = len(comparison.rows) - len(moved)
        cases.append(_case("comparison", f"{same} quantities are the same", None))
    return _suite_of(f"bootlab analyze {xml_text(name)}".rstrip(), cases)


def _suite_of(title: str, cases: Sequence[ET.Element]) -> ET.Element:
    failed = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    suite = ET.Element("testsuite", name=title, tests=str(len(cases)), failures=str(failed), errors="0")
    if skipped:
        suite.set("skipped", str(skipped))
    suite.extend(cases)
    return suite


def _element(class_name: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=xml_text(class_name), name=xml_text(name))


def _case(kind: str, name: str, ns: int | None) -> ET.Element:
    case = _element(f"bootlab.{kind}", name)
    if ns is not None:
        case.set("time", f"{ns / 1e9:.6f}")
    return case


def _fail(case: ET.Element, message: str) -> None:
    ET.SubElement(case, "failure", message=xml_text(message))
