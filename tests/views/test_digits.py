# SPDX-License-Identifier: MIT
"""Digits follow the spread: no view states more of a board's time than its boots tell, nor less of an exact one's."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.history.boot_times import TOTAL, BootTimes, Side
from bootlab.history.budget import judge, parse
from bootlab.model import figures
from bootlab.model.change import Change
from bootlab.model.recording import Outcome
from bootlab.model.timeline import Stage, Timeline
from bootlab.model.verdict import Trial, Verdict
from bootlab.results import assemble
from bootlab.results.document import BootSummary, RunDocument
from bootlab.views.run import markdown, tables, terminal
from bootlab.views.run.headline import by_what, headline
from bootlab.views.run.page_data import page_data
from bootlab.views.table import cells
from tests.rendered import to_text

GOAL_NS, KERNEL_NS = 1_345_829_417, 345_003_999


def summary(clock: str, *samples_ms: float, goal_ns: int = GOAL_NS) -> BootSummary:
    stages = (Stage("kernel", 0, KERNEL_NS), Stage("user space", KERNEL_NS, goal_ns - KERNEL_NS))
    return BootSummary(
        key="k",
        goal_ns=goal_ns,
        clock=clock,  # type: ignore[arg-type]
        timeline=Timeline(clock=clock, stages=stages),
        samples_ns=tuple(round(ms * 1e6) for ms in samples_ms),
    )


def results(base: BootSummary, *trials: Trial) -> RunDocument:
    return RunDocument(
        kind="try" if trials else "boot", id="r", system_name="cam", started="", finished="", base=base, trials=trials
    )


@pytest.mark.parametrize(
    ("clock", "samples", "goal", "kernel"),
    [
        ("virtual", (), "1345.829", "345.004"),
        ("wall", (), "1346", "345"),
        ("wall", (1340.0, 1363.2), "1346", "345"),
        ("wall", (1345.0, 1345.3), "1345.83", "345.00"),
    ],
)
def test_every_view_of_a_boot_shows_the_same_digits(clock: str, samples: tuple[float, ...], goal: str, kernel: str):
    found = results(summary(clock, *samples))
    for text in (to_text(terminal.results_view(found)), markdown.render(found).replace("\u202f", "")):
        assert f" {kernel} " in text
        assert f" {goal} " in text
        assert clock == "virtual" or "345.829" not in text.replace(goal, "")
    assert figures.places(found.base.unsure_ns) == len(goal.partition(".")[2])
    assert page_data(found, {})["base"]["places"] == len(goal.partition(".")[2])


def trial(interval_ns: tuple[int, int] | None = None) -> Trial:
    base, new = (500_100_000, 523_400_000, 512_200_000), (401_100_000, 420_700_000, 410_300_000)
    return Trial(
        change=Change(technique="quiet", ops=()),
        verdict=Verdict.FASTER,
        base_key="b",
        key="n",
        outcome=Outcome.GOAL,
        base_ns=512_200_000,
        goal_ns=410_300_000,
        samples_ns=new,
        base_samples_ns=base,
        interval_ns=interval_ns,
    )


def test_a_trial_on_a_board_has_the_digits_of_its_interval_or_of_its_boots():
    for one, saved in ((trial(), "+102"), (trial((100_900_000, 102_700_000)), "+101.9")):
        base = assemble.with_samples(summary("wall"), (one,))
        found = tables.comparison(results(base, one))
        assert found is not None
        row, column = found.rows[0], found.column("saved_ns")
        assert cells.text(column, row) == saved
        assert by_what(results(base, one)) == f"largest gains: quiet {saved.replace('+', figures.MINUS)} ms"
    exact = tables.comparison(results(summary("virtual"), trial()))
    assert exact is not None
    assert cells.text(exact.column("saved_ns"), exact.rows[0]) == "+101.900"


def test_a_noisy_base_is_its_boots_not_one_of_them():
    base = assemble.with_samples(summary("wall"), (trial(),))
    said = headline(results(base, trial()))
    assert "goal after 512 (500 to 523 in 3 boots) wall ms" in said
    # Exact boots keep what dithers show, and their own digits.
    assert assemble.with_samples(summary("virtual"), (trial(),)) == summary("virtual")


def test_a_budget_shows_the_digits_of_its_boots():
    boots = tuple(BootTimes(key=str(n), clock="wall", values={TOTAL: ns}) for n, ns in enumerate(trial().samples_ns))
    found = judge(parse("total=3s"), Side(name="cam", boots=boots), None)
    assert figures.ms(found.median_ns, found.unsure_ns) == "410"
    alone = judge(parse("total=3s"), Side(name="cam", boots=boots[:1]), None)
    assert figures.ms(alone.median_ns, alone.unsure_ns) == "401"
    exact = tuple(msgspec.structs.replace(boot, clock="virtual", exact=True) for boot in boots)
    assert judge(parse("total=3s"), Side(name="cam", boots=exact), None).unsure_ns is None
