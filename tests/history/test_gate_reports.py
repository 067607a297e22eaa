# SPDX-License-Identifier: MIT
"""What a gate writes for others: JUnit, annotations, KCIDB, pages, the terminal."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.history import budget as budgets
from bootlab.history.gate import GateAnswer, gate
from bootlab.views.gate import annotations, junit, kcidb
from bootlab.views.gate.text import gate_view
from tests.history.boots import times
from tests.history.gate_sides import noisy, side
from tests.rendered import to_text

HOSTILE = "kernel\x1b[31m\n::error::x\0]]>&<"


def everything() -> list:
    base, slow = noisy(15, seed=1, name="base"), noisy(15, seed=2, total_ms=3100)
    odd = side(*(msgspec.structs.replace(boot, values={HOSTILE: 5, "total": 6}) for boot in base.boots))
    return [
        gate(slow, base, [budgets.parse("total=1s"), budgets.parse("kernel=9s"), budgets.parse("none=1s")]),
        gate(noisy(15, seed=2), base, [budgets.parse("kernel=9s")]),
        gate(noisy(15, seed=2, noise_ms=900), base, []),
        gate(side(times(None)), None, [budgets.parse("total=9s")]),
        gate(side(*odd.boots, name=HOSTILE), odd, [budgets.Budget(name=HOSTILE, limit_ns=1)]),
    ]


def test_junit_is_well_formed_and_counts_what_it_holds() -> None:
    for found in everything():
        suite = ET.fromstring(junit.render(found))[0]
        assert int(suite.get("tests", "")) == len(suite)
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("errors", "")) == len(suite.findall("testcase/error"))
        bad = int(suite.get("failures", "")) + int(suite.get("errors", ""))
        assert bool(bad) == (found.answer is not GateAnswer.PASSED)


def test_annotations_of_github_are_one_line_each() -> None:
    for found in everything():
        for line in annotations.github(found).splitlines():
            assert line.startswith(("::error title=", "::warning title=", "::notice title="))
            assert line.count("::error") <= (1 if "error::x" not in line else 2)
    assert annotations.github(everything()[0]).startswith("::error title=boot time::failed: new: slower than base")


def test_gitlab_gets_a_code_quality_report() -> None:
    issues = json.loads(annotations.gitlab(everything()[0], path="camera.toml"))
    assert [issue["severity"] for issue in issues] == ["major", "major", "minor"]
    assert len({issue["fingerprint"] for issue in issues}) == 3
    assert issues[0]["location"] == {"path": "camera.toml", "lines": {"begin": 1}}
    assert json.loads(annotations.gitlab(everything()[1], path="camera.toml")) == []


def test_the_kcidb_report_is_valid_by_its_own_schema() -> None:
    io = pytest.importorskip("kcidb_io", reason="kcidb-io holds the schema")
    for found in everything():
        document = kcidb.report(found, origin="my_lab", revision="abc", at="2026-01-01T00:00:00+00:00", unique="u1")
        read = json.loads(kcidb.render(document))
        assert io.schema.LATEST.is_valid_exactly(read)
        assert (io.schema.LATEST.major, io.schema.LATEST.minor) == (5, 3)
        assert len({test["id"] for test in read["tests"]}) == len(read["tests"])
    first = kcidb.report(everything()[0], origin="my_lab", revision="abc", at="2026-01-01T00:00:00+00:00", unique="u1")
    tests = {test["path"]: test for test in first["tests"]}
    assert tests["boot"]["status"] == "FAIL"
    assert tests["boot.total"]["status"] == "DONE"
    assert tests["boot.total"]["number"]["unit"] == "s"
    assert tests["boot.total.budget"]["status"] == "FAIL"
    assert tests["boot.kernel.budget"]["status"] == "PASS"
    assert tests["boot.none.budget"]["status"] == "MISS"
    with pytest.raises(UserError, match="--kcidb-origin"):
        kcidb.report(everything()[0], origin="My Lab", revision="", at="", unique="")


def test_the_terminal_shows_no_control_character() -> None:
    for found in everything():
        text = to_text(gate_view(found))
        assert "\x1b" not in text
        assert text.rstrip().splitlines()[-1].startswith(found.answer.value) or "budget" in text
