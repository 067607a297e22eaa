"""A gate as JUnit XML: a test case for the whole boot and for each budget. Undecided ones are errors, not failures."""

from __future__ import annotations

import statistics
from xml.etree import ElementTree as ET

from bootlab.history.boot_times import TOTAL
from bootlab.history.gate import GateResult
from bootlab.model.verdict import Verdict
from bootlab.views.gate.text import sentence
from bootlab.views.xml_text import xml_text


def render(found: GateResult) -> bytes:
    """Make the document."""
    cases = []
    for one in found.compared:
        case = _case("comparison", one.name, round(statistics.median(one.new_ns)) if one.new_ns else None)
        verdict = one.judged.verdict if one.judged is not None else Verdict.UNKNOWN
        if one.name == TOTAL and verdict is Verdict.SLOWER:
            ET.SubElement(case, "failure", message=xml_text(sentence(found)))
        elif one.name == TOTAL and verdict is Verdict.UNKNOWN:
            ET.SubElement(case, "error", message=xml_text(sentence(found)))
        else:
            ET.SubElement(case, "system-out").text = f"{verdict.value}"
        cases.append(case)
    for result in found.budgets:
        case = _case("budget", result.budget.name, result.median_ns)
        if result.kept != "kept":
            message = xml_text(f"limit {result.budget.limit}: {result.kept}: {result.why}")
            ET.SubElement(case, "failure" if result.kept == "broken" else "error", message=message)
        cases.append(case)
    for number, failure in enumerate(found.failures, start=1):
        case = _case("boot", f"boot {number} that failed", None)
        ET.SubElement(case, "failure", message=xml_text(failure))
        cases.append(case)
    for number, ended in enumerate(found.ended_by_host, start=1):
        case = _case("boot", f"boot {number} that the host ended", None)
        ET.SubElement(case, "error", message=xml_text(ended))
        cases.append(case)
    counts = {kind: sum(case.find(kind[:-1]) is not None for case in cases) for kind in ("failures", "errors")}
    suite = ET.Element("testsuite", name=xml_text(f"bootlab gate {found.name}"), tests=str(len(cases)))
    for kind, count in counts.items():
        suite.set(kind, str(count))
    suite.extend(cases)
    root = ET.Element("testsuites")
    root.append(suite)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body + b"\n"


def _case(kind: str, name: str, ns: int | None) -> ET.Element:
    case = ET.Element("testcase", classname=f"bootlab.{kind}", name=xml_text(name))
    if ns is not None:
        case.set("time", f"{ns / 1e9:.6f}")
    return case
