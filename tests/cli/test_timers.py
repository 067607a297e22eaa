# SPDX-License-Identifier: MIT
"""`bootlab timers` as a user calls it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.errors import UserError
from bootlab.timers import saved, stress
from bootlab.timers.here import TimersFailed
from bootlab.timers.stress import StressPlace
from tests.timers.samples import HEAD, ROW, output


def run(*words):
    done = CliRunner().invoke(app, ["timers", *map(str, words)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture
def kept(tmp_path):
    def keep(name, **row):
        path = tmp_path / name
        path.write_bytes(saved.encode(stress.parse(output(HEAD, ROW | row), StressPlace(name=name, clock="wall"))))
        return path

    return keep


def test_a_saved_result_is_shown_and_drawn(kept, tmp_path):
    done = run("stress", "--read", kept("a"), "--html", tmp_path / "page.html")
    assert "all 2494 expirations accounted for" in done.stdout
    assert "Lateness of 1000 timers" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert json.loads(run("stress", "--read", kept("a"), "--json").stdout)["format"] == "bootlab-timers"


def test_a_loss_ends_with_the_targets_code(kept):
    with pytest.raises(TimersFailed, match="checks of the counts failed") as failed:
        run("stress", "--read", kept("a", lost=2))
    assert failed.value.exit_code == 4
    assert run("stress", "--read", kept("a", lost=2), "--json").exit_code == 4


@pytest.mark.slow
def test_a_run_here(tmp_path):
    done = run("stress", "--timers", "100", "--scale", "200", "--save", tmp_path / "r.json")
    assert "0 lost, 0 early, 0 too many" in done.stdout
    assert saved.load(tmp_path / "r.json").rows[0].timers == 100


def test_saved_results_are_compared(kept):
    done = run("compare", kept("a"), kept("b", lost=3))
    assert [line.split() for line in done.stdout.splitlines() if line.startswith("lost")] == [["lost", "0", "3"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("stress", "--timers", "many"), "not numbers"),
        (("stress", "--timers", "-5"), "populations"),
        (("stress", "--interval", "1:x"), "not MIN:RANGE"),
        (("stress", "--scale", "0"), "scaled by"),
        (("stress", "--read", "/nowhere"), "cannot read /nowhere"),
        (("compare", "a.json"), "nothing to compare with"),
        (("compare", "a.toml", "--with", "=x"), "not a kernel parameter"),
        (("conform", "a.toml", "--opts", "/"), "this machine only"),
        (("conform", "--opts", "/nowhere"), "not the source of the Open POSIX Test Suite"),
    ],
)
def test_mistakes_are_told(words, said):
    with pytest.raises(UserError, match=said):
        run(*words)


@pytest.mark.slow
def test_chosen_assertions_are_judged_alone():
    found = json.loads(run("conform", "--only", "41,2", "--json").stdout)
    assert [c["number"] for c in found["checks"]] == [2, 41]
    for wrong in ("x", "0", "91"):
        with pytest.raises(UserError):
            run("conform", "--only", wrong)


def test_a_share_of_instructions_needs_a_machine_that_counts_them():
    with pytest.raises(UserError, match="counts instructions"):
        run("stress", "--kernel-share", "--scale", "60")
