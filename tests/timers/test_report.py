# SPDX-License-Identifier: MIT
"""The timer laboratory on the terminal, as a page, as TAP and JUnit."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from bootlab.timers import conform, conform_export, open_posix, page, stress, text, waits_text
from bootlab.timers.comparison import TimerConfiguration, compare
from bootlab.timers.open_posix import SuiteTest
from bootlab.timers.stress import InstructionCount, StressPlace
from bootlab.timers.waits import TimerWait
from bootlab.views.table import page as table_page
from bootlab.views.table import terminal
from tests.rendered import to_text
from tests.timers.samples import CONFORM_HEAD, HEAD, ROW, check, output

GOLDEN = Path(__file__).parent / "golden"
PLACE = StressPlace(name="board\x1b[31m", clock="virtual", facts={"clocksource": "tsc"}, instructions=123)
OTHERS = (
    {"kind": "burst", "timers": 9, "taken": 8, "lost": 1, "early": 0, "first_ns": 10, "last_ns": 2000, "drain_ns": 1990,
     "out_of_order": 0},
    {"kind": "curve", "timers": 9, "create_ns": 600, "arm_ns": 300, "gettime_ns": 200, "getoverrun_ns": 100,
     "delete_ns": 400},
    {"kind": "churn", "timers": 9, "elapsed_ns": 1, "rearmed": 5, "recreated": 1, "stopped": 2, "expired": 3,
     "stale": 0, "early": 0, "lost": 0},
    {"kind": "limit", "timers": 96355, "errno": 11, "tried": 4000000},
)  # fmt: skip


def result(*rows):
    return stress.parse(output(HEAD, *rows), PLACE)


def verdicts():
    return conform.parse(
        output(
            CONFORM_HEAD,
            check(1, "pass"),
            check(2, "fail", evidence="got <1> 'and' \x1b[0m # that", assertion="IDs # are unique"),
            check(24, "fail", status="undefined"),
            check(37, "untested"),
            check(42, "deviation"),
        ),
        PLACE,
    )


def text_of(name: str) -> str:
    bad = ROW | {"timers": 1500, "created": 1400, "refused": "EAGAIN", "lost": 2, "due_least": 2490, "deliveries": 0}
    if name == "share":
        counted = InstructionCount(
            timers=1000, expirations=2494, user=2_000, kernel=18_000, interrupts=5_000, idle_loop=7_000,
            instruction_ns=2, idle_ns=936_000, window_ns=1_000_000, kernel_percent=92.0, load_percent=4.6,
        )  # fmt: skip
        with_share = msgspec.structs.replace(result(ROW), instructions=(counted,))
        return "".join(to_text(v, width=150) for v in text.stress(with_share))
    if name == "stress":
        return "".join(to_text(v, width=150) for v in text.stress(result(ROW, bad)))
    if name == "other":
        return "".join(to_text(v, width=150) for v in text.stress(result(*OTHERS)))
    if name == "conform":
        views = text.conform(verdicts(), everything=True)
        tests = (SuiteTest(name="timer_create/1-1", function="timer_create", assertion=1, result="pass"),)
        views.append(text.open_posix(open_posix.beside(verdicts(), tests)))
        return "".join(to_text(v, width=150) for v in views)
    if name == "compare":
        sides = [
            TimerConfiguration(name=n, results=(result(ROW),), equal=e)
            for n, e in (("base", True), ("highres=off", False))
        ]
        return to_text(terminal.view(compare(sides)), width=150)
    waits = [
        TimerWait(kind="sleep", caller="probe", function="msleep", chain=("kernel_init", "probe", "msleep"), count=3,
                  time_ns=30_000_000, idle_ns=20_000_000, on_path=True),
    ]  # fmt: skip
    return "".join(to_text(v, width=150) for v in waits_text.views(waits, 10))


@pytest.mark.parametrize("name", ["stress", "share", "other", "conform", "compare", "waits"])
def test_terminal_text(name):
    golden = GOLDEN / f"{name}.txt"
    text = text_of(name)
    if os.environ.get("BOOTLAB_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert "\x1b" not in text


def test_many_configurations_are_tables_that_fit_each_with_the_first():
    sides = [TimerConfiguration(name=f"side{n}", results=(result(ROW),)) for n in range(9)]
    text = to_text(terminal.view(compare(sides)), width=100)
    heads = [line.split() for line in text.splitlines() if line.split()[:1] == ["quantity"]]
    assert heads == [
        ["quantity", "side0", "side1", "side2", "side3", "side4"],
        ["quantity", "side0", "side5", "side6", "side7", "side8"],
    ]


def test_the_page_holds_every_table_and_no_markup():
    data = page.page_data(result(ROW))
    assert [p["title"] for p in data["parts"]] == ["Expirations", "Lateness of 1000 timers"]
    histogram = data["parts"][1]["tables"][0]
    assert [row[1][1] for row in histogram["rows"]] == [1500, 980, 10]
    assert "\x1b" not in page.render(result(ROW))
    rates = page.page_data(stress.parse(output(HEAD | {"classic": False}, ROW), PLACE))
    assert rates["parts"][0]["tables"][0]["caption"] == "Expirations"
    counted = InstructionCount(
        timers=9,
        expirations=20,
        user=1,
        kernel=2,
        interrupts=1,
        idle_loop=0,
        instruction_ns=2,
        idle_ns=0,
        window_ns=8,
        kernel_percent=75.0,
        load_percent=75.0,
    )
    shared = page.page_data(msgspec.structs.replace(result(ROW), instructions=(counted,)))
    assert shared["parts"][1]["tables"][0]["rows"][0][-2:] == [["75.00", 75.0], ["75.00", 75.0]]
    sides = [TimerConfiguration(name=n, results=(result(ROW),)) for n in ("<b>a</b>", "b")]
    assert "<b>a</b>" not in table_page.page(compare(sides))


def test_tap():
    lines = conform_export.tap(verdicts()).decode().splitlines()
    assert lines[:2] == ["TAP version 14", "1..5"]
    results = [x for x in lines if x.startswith(("ok", "not ok"))]
    assert results == [
        "ok 1 - 1 timer_create: it holds",
        "not ok 2 - 2 timer_create: IDs  are unique",
        "not ok 3 - 24 timer_create: it holds # TODO undefined by POSIX",
        "ok 4 - 37 timer_create: it holds # SKIP untested",
        "not ok 5 - 42 timer_create: it holds # TODO known deviation",
    ]
    assert "  evidence: 'got <1> ''and'' \\x1b[0m # that'" in lines


def test_junit():
    suite = ET.fromstring(conform_export.junit(verdicts())).find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "1", "1")
    failure = suite.find("testcase/failure")
    assert failure.get("message") == "POSIX.1-2017 XSH timer_create, DESCRIPTION: got <1> 'and' \\x1b[0m # that"


def test_no_waits():
    assert "no timer" in to_text(waits_text.views([], 3)[0])


def test_a_run_in_which_no_timer_expired_is_not_called_good():
    none = msgspec.structs.replace(result(ROW).rows[0], expirations=0)
    said = text.verdict(msgspec.structs.replace(result(ROW), rows=(none,))).plain
    assert said.startswith("no timer expired: ")
