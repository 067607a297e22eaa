"""The gate: budgets, the comparison, and what it writes for others."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import numpy as np
import pytest

from bootlab.errors import MeasurementError, UserError
from bootlab.history import budget as budgets
from bootlab.history.boot_times import BootTimes, Side
from bootlab.history.gate import Answer, gate
from bootlab.history.of_recording import of_log
from bootlab.model.recording import Outcome
from bootlab.views.gate import annotations, junit, kcidb
from bootlab.views.gate.text import gate_view, sentence
from tests.history.boots import times
from tests.rendered import to_text


def side(*boots: BootTimes, name: str = "new") -> Side:
    return Side(name=name, boots=boots)


def noisy(count: int, *, seed: int, total_ms: float = 3000, noise_ms: float = 5, name: str = "new") -> Side:
    random = np.random.default_rng(seed)
    values = [total_ms + random.normal(0, noise_ms) for _ in range(count)]
    return side(*(times(value, key=str(place), kernel=value / 2) for place, value in enumerate(values)), name=name)


def judged(new: Side, text: str, base: Side | None = None, *, few: bool = False) -> str:
    return gate(new, base, [budgets.parse(text)], few=few).budgets[0].kept


@pytest.mark.parametrize("text", ["kernel", "kernel=", "kernel=5", "=5ms", "kernel=5h", "kernel=-5ms", "kernel=nan%"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--budget"):
        budgets.parse(text)


def test_budgets_are_read() -> None:
    assert budgets.parse("kernel=1.5s").limit_ns == 1_500_000_000
    assert budgets.parse("a=b=20us") == budgets.Budget(name="a=b", limit_ns=20_000)
    assert budgets.parse("total=+2.5%").percent == 2.5


def test_exact_boots_keep_a_budget_to_the_nanosecond() -> None:
    boot = side(times(3000, exact=True, kernel=500))
    assert judged(boot, "kernel=500ms") == "kept"
    assert judged(boot, "kernel=499.999999ms") == "broken"


def test_a_boot_that_the_host_ended_says_nothing_about_the_system() -> None:
    """A busy machine's time limit is no regression; a boot that hung beside it is."""
    ended = msgspec.structs.replace(times(3000), outcome=Outcome.TIME_LIMIT, values={}, by_host=True)
    good = times(3000, exact=True, kernel=500)
    found = gate(side(good, ended), side(good, name="base"), [budgets.parse("kernel=500ms")])
    assert (found.answer, found.failures) == (Answer.UNDECIDED, ())
    assert "the host ended a boot as time-limit" in sentence(found)
    (suite,) = ET.fromstring(junit.render(found)).iter("testsuite")
    assert suite.get("failures") == "0"
    hung = msgspec.structs.replace(ended, outcome=Outcome.HANG, by_host=False)
    assert gate(side(hung, ended), side(good, name="base"), []).answer is Answer.FAILED


def test_noisy_boots_must_show_it() -> None:
    assert judged(noisy(5, seed=1), "total=4s") == "kept"
    assert judged(noisy(4, seed=1), "total=4s") == "unknown"
    assert judged(noisy(4, seed=1), "total=4s", few=True) == "kept"
    assert judged(noisy(5, seed=1), "total=2s") == "broken"
    assert judged(noisy(20, seed=1), "total=3s") == "unknown"


def test_a_lower_bound_or_an_unknown_never_keeps_a_budget() -> None:
    bounded = msgspec.structs.replace(
        times(1.0, exact=True),
        values={"kernel": 1},
        not_measured={"total": "the log says only that it was at least 5 ms"},
    )
    assert judged(side(bounded), "total=9s") == "unknown"
    assert judged(side(times(1.0, exact=True)), "kernel=9s") == "unknown"
    assert judged(side(*[times(1.0)] * 9, bounded), "total=9s", few=True) == "unknown"
    failed = side(times(None, exact=True))
    assert judged(failed, "total=9s") == "unknown"
    assert gate(failed, None, [budgets.parse("total=9s")]).answer is Answer.FAILED


def test_a_log_that_ends_before_first_use_keeps_no_budget(tmp_path: Path) -> None:
    log = tmp_path / "boot.log"
    log.write_text(
        "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1 SMP\n[    0.000000] Command line: console=ttyS0\n"
        "[    0.500000] pci 0000:00: probed\n[    1.200000] Run /sbin/init as init process\n",
        encoding="utf-8",
    )
    boots = of_log(log)
    new = Side(name="log", boots=boots)
    assert judged(new, "total=100s", few=True) == "unknown"
    assert judged(new, "kernel=100s", few=True) == "kept"
    assert judged(new, "kernel=100s") == "unknown"


def test_a_log_with_two_boots_is_two_boots(tmp_path: Path) -> None:
    one = (
        "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1 SMP\n[    0.500000] x\n"
        "[    {0}] Run /sbin/init as init process\n[    {0}] init: y\n"
    )
    log = tmp_path / "boot.log"
    log.write_text(one.format("1.200000") + one.format("1.700000"), encoding="utf-8")
    assert [boot.values["kernel"] for boot in of_log(log)] == [1_200_000_000, 1_700_000_000]


def test_budgets_in_percent() -> None:
    base = noisy(15, seed=1, name="base")
    assert judged(noisy(15, seed=2), "total=+2%", base) == "kept"
    assert judged(noisy(15, seed=2, total_ms=3200), "total=+2%", base) == "broken"
    assert judged(noisy(15, seed=2, total_ms=2500), "total=+2%", base) == "kept"
    assert judged(noisy(1, seed=2), "total=+2%", base) == "unknown"
    with pytest.raises(UserError, match="needs --against"):
        gate(base, None, [budgets.parse("total=+2%")])
    exact = side(times(100, exact=True), name="base")
    assert judged(side(times(102, exact=True)), "total=+2%", exact) == "kept"
    assert judged(side(times(102.001, exact=True)), "total=+2%", exact) == "broken"


def test_answers_against_a_base() -> None:
    base = noisy(15, seed=1, name="base")
    assert gate(noisy(15, seed=2), base, []).answer is Answer.PASSED
    slower = gate(noisy(15, seed=2, total_ms=3100), base, [])
    assert slower.answer is Answer.FAILED
    assert sentence(slower).startswith("failed: new: slower than base by 99.5")
    assert gate(noisy(15, seed=2, noise_ms=900), base, []).answer is Answer.UNDECIDED
    assert gate(noisy(15, seed=2, total_ms=2900), base, []).answer is Answer.PASSED
    with pytest.raises(UserError, match="nothing to judge the boot by"):
        gate(base, None, [])
    with pytest.raises(UserError, match="no boot to judge"):
        gate(side(), base, [])


def test_two_clocks_are_never_compared() -> None:
    found = gate(side(times(3000, exact=True)), noisy(10, seed=1), [])
    assert found.answer is Answer.UNDECIDED
    assert "the clocks differ" in sentence(found)


FOUR = "4 processors, parallel, quantum 5 us"


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        (FOUR, True),
        ("4 processors, one brought up", True),
        ("4 processors, parallel, quantum 2 us", False),
        ("4 processors, shared", False),
        ("2 processors, one brought up", False),
        ("", False),
    ],
)
def test_exact_boots_on_different_processors_are_never_compared(text: str, compared: bool) -> None:
    base, new = (
        side(msgspec.structs.replace(times(3000, exact=True), facts={"processors": said} if said else {}), name=name)
        for said, name in ((FOUR, "base"), (text, "new"))
    )
    if compared:
        assert gate(new, base, []).answer is Answer.PASSED
        return
    with pytest.raises(MeasurementError, match="boots on different processors are not compared") as caught:
        gate(new, base, [])
    assert caught.value.exit_code == 5
    assert "clock.quantum_ns" in caught.value.hint


def test_bounds_are_no_values_and_stages_still_are() -> None:
    def bound(kernel_ms: float) -> BootTimes:
        boot = times(None, exact=True, kernel=kernel_ms)
        why = {"total": "the log says only that it was at least 5.000 ms"}
        return msgspec.structs.replace(boot, outcome=Outcome.GOAL, not_measured=why)

    found = gate(side(bound(900)), side(bound(800), name="base"), [])
    assert found.answer is Answer.UNDECIDED
    assert [(one.name, one.judged.verdict.value if one.judged else None) for one in found.compared] == [
        ("total", None), ("kernel", "slower"),
    ]  # fmt: skip
    said = sentence(found)
    assert (
        "the whole boot is not compared with base (base: the log says only that it was at least 5.000 ms; new: " in said
    )
    assert said.endswith("of the stages that both have, `kernel` moved most: +100.000 ms (slower)")
    text = to_text(gate_view(found), width=100)
    assert "not compared" in text
    assert "+100.000" in text


def test_every_value_is_kept_and_odd_ones_are_named() -> None:
    base, new = noisy(15, seed=1, name="base"), noisy(15, seed=2)
    wild = msgspec.structs.replace(new.boots[7], values={"total": 9_000_000_000, "kernel": 5})
    found = gate(side(*new.boots[:7], wild, *new.boots[8:]), base, [])
    assert found.total is not None
    assert len(found.total.new_ns) == 15
    assert 9_000_000_000 in found.total.new_ns
    assert [said for said in found.odd if "new: boot 8 took 9000.000 ms" in said]
    assert found.answer is Answer.PASSED


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
        assert bool(bad) == (found.answer is not Answer.PASSED)


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
