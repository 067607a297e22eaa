# SPDX-License-Identifier: MIT
"""Boots out of KCIDB reports and LAVA's results: bootlab's own, and those of others."""

from __future__ import annotations

import json

import pytest

from bootlab.history.boot_times import Side
from bootlab.history.budget import parse
from bootlab.history.gate import gate
from bootlab.history.of_results import of_results
from bootlab.history.selection import Where, boots_of
from bootlab.model.recording import Outcome
from bootlab.views.gate import kcidb
from bootlab.views.gate.annotations import lava
from tests.history.boots import times

HEAD = (
    "job,suite,result,measurement,unit,duration,timeout,logged,level,metadata,url,name,id,log_start_line,log_end_line\n"
)


def judged(clock: str = "virtual"):
    new = Side(name="camera", boots=(times(3100.0, exact=clock == "virtual", kernel=1200.0, **{"RC scripts": 1900.0}),))
    return gate(new, None, [parse("total=3.2s"), parse("kernel=1s")])


def test_a_report_of_bootlab_comes_back(tmp_path):
    document = kcidb.report(judged(), origin="lab", revision="c0ffee", at="2026-03-01T10:00:00+01:00", unique="1")
    file = tmp_path / "report.json"
    file.write_bytes(kcidb.render(document))
    (boot,) = of_results(file)
    assert boot.values == {"total": 3_100_000_000, "RC scripts": 1_900_000_000, "kernel": 1_200_000_000}
    assert (boot.clock, boot.exact, boot.outcome) == ("virtual", True, Outcome.GOAL)
    assert boot.facts == {"revision": "c0ffee"}
    assert boot.at == "2026-03-01T09:00:00.000000+00:00"
    assert boots_of(str(file), Where(store=tmp_path)) == (boot,)


def test_reports_of_others_give_their_times_and_their_failures(tmp_path):
    tests = [
        {"id": "ci:1", "build_id": "b:2", "path": "boot", "status": "FAIL", "start_time": "2026-03-02T00:00:00Z"},
        {"id": "ci:2", "build_id": "b:1", "path": "boot", "status": "PASS", "start_time": "2026-03-01T00:00:00Z"},
        {"id": "ci:3", "build_id": "b:1", "path": "boot.user_space", "number": {"value": 1500, "unit": "ms"}},
        {"id": "ci:4", "build_id": "b:1", "path": "ltp.boot", "number": {"value": 5, "unit": "s"}},
    ]
    builds = [{"id": f"b:{n}", "checkout_id": f"c:{n}"} for n in (1, 2)]
    checkouts = [{"id": f"c:{n}", "git_commit_hash": f"{n}" * 40} for n in (1, 2)]
    file = tmp_path / "kernelci.json"
    version = {"major": 5, "minor": 3}
    file.write_text(json.dumps({"version": version, "checkouts": checkouts, "builds": builds, "tests": tests}))
    good, bad = of_results(file)
    assert (good.values, good.outcome, good.facts["revision"]) == (
        {"user space": 1_500_000_000},
        Outcome.GOAL,
        "1" * 40,
    )
    assert "total" in good.not_measured
    assert (bad.values, bad.outcome) == ({}, Outcome.NO_GOAL)


def test_signals_of_lava_come_back_from_its_results(tmp_path):
    said = lava(judged())
    assert said.splitlines() == [
        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=boot RESULT=fail>",
        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=boot.kernel RESULT=pass UNITS=seconds MEASUREMENT=1.200000000>",
        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=boot.RC_scripts RESULT=pass UNITS=seconds MEASUREMENT=1.900000000>",
        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=boot.total RESULT=pass UNITS=seconds MEASUREMENT=3.100000000>",
        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=budget.total RESULT=pass>",
        "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=budget.kernel RESULT=fail>",
    ]
    rows = [
        f"7,0_boot-time,pass,{value},seconds,,,2026-03-0{day} 10:00:00.5+00:00,,,,boot.{name},1,,\n"
        for day, value, name in ((1, "3.100000000", "total"), (1, "1.900000000", "RC_scripts"))
    ]
    rows += ["7,lava,pass,12.5,seconds,,,2026-03-01 09:59:00+00:00,,,,login-action,2,,\n"]
    rows += ["8,lava,fail,None,,,,2026-02-01 10:00:00+00:00,,,,job,3,,\n"]
    file = tmp_path / "results.csv"
    file.write_text(HEAD + "".join(rows))
    bad, good = of_results(file)
    assert good.values == {"total": 3_100_000_000, "RC scripts": 1_900_000_000}, (
        "the dispatcher's own times are no boot's"
    )
    assert good.facts == {"job": "7"}
    assert (bad.outcome, bad.facts) == (Outcome.NO_GOAL, {"job": "8"})


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", "{}"), ("a.json", "[1"), ("b.csv", "a,b\n1,2\n"), ("c.log", "x"), ("b.csv", HEAD), ("a.json", "\xff")],
)
def test_other_files_are_no_results(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text, encoding="latin-1")
    assert of_results(file) == ()
