# SPDX-License-Identifier: MIT
"""The gate: budgets, and the comparison."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from bootlab.errors import MeasurementError, UserError
from bootlab.history import budget as budgets
from bootlab.history.boot_times import BootTimes, Side
from bootlab.history.gate import GateAnswer, gate
from bootlab.history.of_log import of_log
from bootlab.model.recording import Outcome
from bootlab.views.gate import junit, page
from bootlab.views.gate.text import gate_view, sentence
from tests.history.boots import times
from tests.history.gate_sides import dithered, noisy, side
from tests.rendered import to_text


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
    assert (found.answer, found.failures) == (GateAnswer.UNDECIDED, ())
    assert "the host ended a boot as time-limit" in sentence(found)
    (suite,) = ET.fromstring(junit.render(found)).iter("testsuite")
    assert suite.get("failures") == "0"
    hung = msgspec.structs.replace(ended, outcome=Outcome.HANG, by_host=False)
    assert gate(side(hung, ended), side(good, name="base"), []).answer is GateAnswer.FAILED


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
    assert gate(failed, None, [budgets.parse("total=9s")]).answer is GateAnswer.FAILED


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
    # One boot of each side: what means nothing may move either by as much.
    assert judged(side(times(102.001, exact=True)), "total=+2%", exact) == "unknown"
    assert judged(dithered(61), "total=+2%", dithered(0, name="base")) == "broken"
    assert judged(dithered(59), "total=+2%", dithered(0, name="base")) == "kept"


def test_answers_against_a_base() -> None:
    base = noisy(15, seed=1, name="base")
    assert gate(noisy(15, seed=2), base, []).answer is GateAnswer.PASSED
    slower = gate(noisy(15, seed=2, total_ms=3100), base, [])
    assert slower.answer is GateAnswer.FAILED
    assert sentence(slower).startswith("failed: new: slower than base by 99.5")
    assert gate(noisy(15, seed=2, noise_ms=900), base, []).answer is GateAnswer.UNDECIDED
    assert gate(noisy(15, seed=2, total_ms=2900), base, []).answer is GateAnswer.PASSED
    with pytest.raises(UserError, match="nothing to judge the boot by"):
        gate(base, None, [])
    with pytest.raises(UserError, match="no boot to judge"):
        gate(side(), base, [])


def test_one_exact_boot_of_each_is_no_regression() -> None:
    """A null change moved a systemd system by 43.9 ms (0.4 %), and one boot of each side called it slower."""
    base, new = side(times(11_538.638, exact=True), name="base"), side(times(11_582.5, key="n", exact=True))
    found = gate(new, base, [])
    assert found.answer is GateAnswer.UNDECIDED
    assert sentence(found) == (
        "undecided: new: unknown against base: +43.862 ms (1 boot of the base and 1 of the new cannot tell)"
    )
    assert "two system files are booted under dithers" in " ".join(to_text(gate_view(found)).split())
    known = gate(new, base, [], known_ns=150_000_000)
    assert known.answer is GateAnswer.PASSED
    assert "same as base (+43.862 ms, no more than what means nothing moves it)" in sentence(known)
    near = gate(side(times(11_540, key="n", exact=True)), base, [])
    assert sentence(near) == "passed: new: same as base (+1.362 ms)"


def test_exact_boots_under_dithers_are_judged_together() -> None:
    base = dithered(0, step_ms=20, name="base")
    slower = gate(dithered(120, step_ms=20), base, [])
    assert (slower.answer, slower.moved_ns, slower.boots) == (GateAnswer.FAILED, 80_000_000, (5, 5))
    assert sentence(slower) == "failed: new: slower than base by 120 ms (3.9 %)"
    assert gate(dithered(70, step_ms=20), base, []).answer is GateAnswer.PASSED
    assert gate(dithered(120, step_ms=20, count=4), base, []).answer is GateAnswer.UNDECIDED
    text = to_text(gate_view(slower), width=200)
    text = " ".join(text.split())
    assert "5 boots of the base and 5 of the new on the virtual clock" in text
    assert "what means nothing moves the base's goal by up to 80.000 ms" in text


def test_the_same_exact_boot_counts_once() -> None:
    """A history that has one revision's boot ten times knows no more than one boot."""
    base = side(*[times(3000, exact=True)] * 10, name="base")
    assert gate(side(*[times(3300, key="n", exact=True)] * 10), base, []).answer is GateAnswer.UNDECIDED


def test_an_absolute_budget_is_for_the_system_as_it_is() -> None:
    assert judged(dithered(0, step_ms=20), "total=3s") == "kept"
    assert judged(dithered(1), "total=3s") == "broken"


@pytest.mark.parametrize(("values", "said"), [((1.0,), None), ((1.0, 2.0), 2)])
def test_no_interval_without_a_sample(values: tuple[float, ...], said: int | None) -> None:
    """One log against one log said: 95 % interval -4270.595 … -4270.595, p 1.0."""
    base = side(*(times(1000 + v, key=str(v)) for v in values), name="base")
    found = gate(side(times(5270.595)), base, [])
    text = to_text(gate_view(found), width=200)
    page_text = page.render(found)
    assert found.total is not None
    assert found.total.judged is not None
    assert (found.total.judged.interval_ns, found.total.judged.p_value) == (None, None)
    assert "…" not in text.replace("95 % interval", "")
    assert "95 % interval" not in "".join(text for row in page.page_data(found)["headline"] for text in row)
    assert "cannot tell" in text
    assert page_text


def test_digits_follow_the_spread() -> None:
    """A median of boots that range over 23 ms was written as 1345.829 ms."""
    base = side(*(times(1345.829 + v, key=str(v)) for v in (-11, -4, 0, 5, 12)), name="base")
    text = to_text(gate_view(gate(side(*base.boots, name="new"), base, [])), width=200)
    assert " 1346 " in text
    assert "1345.829" not in text


def test_two_clocks_are_never_compared() -> None:
    found = gate(side(times(3000, exact=True)), noisy(10, seed=1), [])
    assert found.answer is GateAnswer.UNDECIDED
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
        assert gate(new, base, []).answer is GateAnswer.PASSED
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
    assert found.answer is GateAnswer.UNDECIDED
    assert [(one.name, one.judged.verdict.value if one.judged else None) for one in found.compared] == [
        ("total", None), ("kernel", "unknown"),
    ]  # fmt: skip
    said = sentence(found)
    assert (
        "the whole boot is not compared with base (base: the log says only that it was at least 5.000 ms; new: " in said
    )
    assert said.endswith("of the stages that both have, `kernel` moved most: +100.000 ms (unknown)")
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
    assert [said for said in found.odd if "new: boot 8 took 9000 ms" in said]
    assert found.answer is GateAnswer.PASSED
