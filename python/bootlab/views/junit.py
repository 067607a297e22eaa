# SPDX-License-Identifier: MIT
"""JUnit XML: suites of test cases, for CI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from bootlab.views.xml_text import xml_text


class Case(NamedTuple):
    """A test case. `failure`, `error`, `skipped`: why it did, "" where it did not; `said`: what it printed."""

    class_name: str
    name: str
    ns: int | None = None
    failure: str = ""
    error: str = ""
    skipped: str = ""
    said: str = ""


def document(suites: Iterable[tuple[str, Sequence[Case]]]) -> bytes:
    """Make the document of suites, each with its name."""
    root = ET.Element("testsuites")
    root.extend(_suite(name, cases) for name, cases in suites)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body + b"\n"


def _suite(name: str, cases: Sequence[Case]) -> ET.Element:
    suite = ET.Element("testsuite", name=xml_text(name), tests=str(len(cases)))
    suite.set("failures", str(sum(bool(case.failure) for case in cases)))
    suite.set("errors", str(sum(bool(case.error) for case in cases)))
    if skipped := sum(bool(case.skipped) for case in cases):
        suite.set("skipped", str(skipped))
    suite.extend(_case(case) for case in cases)
    return suite


def _case(case: Case) -> ET.Element:
    made = ET.Element("testcase", classname=xml_text(case.class_name), name=xml_text(case.name))
    if case.ns is not None:
        made.set("time", f"{case.ns / 1e9:.6f}")
    for kind, why in (("failure", case.failure), ("error", case.error), ("skipped", case.skipped)):
        if why:
            ET.SubElement(made, kind, message=xml_text(why))
    if case.said:
        ET.SubElement(made, "system-out").text = case.said
    return made
