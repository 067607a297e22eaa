# SPDX-License-Identifier: MIT
"""The final checks: the user's commands say in the result what they say in the base, or changes are given back."""

from __future__ import annotations

import pytest

from bootlab.errors import UserError
from bootlab.experiments.base import establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.final import FinalChecks
from tests.experiments.fake_bench import MS, FakeTarget, FakeTechnique, base_of
from tests.experiments.optimize.test_parts import left_out, run  # noqa: F401 - a fixture
from tests.experiments.optimize.tree_target import FILES, OWN, Slim, TreeTarget, with_tree

HALF = FILES[:8], FILES[8:]
FINAL = ("/bin/self-test --all",)


def cost(params, files):
    """Nothing is needed for the goal."""
    return 1000 + 10 * len(files & set(OWN)) - (50 if "quick" in params else 0)


def answers(words, files):
    """The self-test reads two files."""
    if words != ("/bin/self-test", "--all"):
        return "", 127
    missing = sorted({"/lib/c", "/lib/k"} - files)
    return f"missing {missing}", 1 if missing else 0


@pytest.mark.telling("optimize", "broken is not faster")
def test_a_result_that_fails_gives_back_what_a_final_check_needs(run):  # noqa: F811
    own = (Slim("low", HALF[0]), Slim("high", HALF[1][3:]), FakeTechnique("quick"))
    without, _ = run(TreeTarget(cost, answers=answers), *own, store="without")
    assert "/lib/c" in left_out(without)
    found, _ = run(TreeTarget(cost, answers=answers), *own, store="with", final=FINAL)
    assert left_out(found) == {*HALF[0], *HALF[1][3:]} - {"/lib/c"}, "of the guilty change the rest is kept"
    assert "the final check '/bin/self-test --all' ended with 1, in the base with 0" in found.back["low"]
    assert "ended with 1" in found.parts_kept["/lib/c"]
    assert found.stacked.recording.meta.goal_ns == (1000 + 10 * (17 - 12) - 50) * MS
    assert {recording.meta.goal_ns for recording in found.stacked.boots} == {found.stacked.recording.meta.goal_ns}
    assert found.system.tree is not None
    assert "/lib/c" in found.system.tree.as_dict()
    rows = {row.change_id: row for row in found.stacked.left_out}
    assert not rows["low"].kept
    assert "given back" in rows["low"].reason
    assert found.waterfall[-1].after_ns == found.stacked.recording.meta.goal_ns
    assert any(one.what.startswith("final checks of the result") and one.broken for one in found.questions)


def test_a_result_that_passes_stays_as_it_is(run):  # noqa: F811
    found, _ = run(TreeTarget(cost, answers=answers), Slim("high", HALF[1][3:]), final=FINAL)
    assert left_out(found) == set(HALF[1][3:])
    assert found.back == {}
    (asked,) = found.questions
    assert asked.what == "final checks of the result: /bin/self-test --all"
    assert not asked.broken


def test_another_word_is_another_answer(run):  # noqa: F811
    target = TreeTarget(cost, answers=lambda _words, files: (f"{len(files & set(OWN))} files", 0))
    found, _ = run(target, Slim("high", HALF[1][3:]), final=("/bin/count",))
    assert found.stacked.changes == ()
    assert "printed '12 files', in the base '17 files'" in found.back["high"]


@pytest.mark.parametrize("status", [126, 127])
def test_a_command_that_cannot_be_run_in_the_base_checks_nothing(tmp_path, status):
    with Bench(TreeTarget(cost, answers=lambda *_: ("", status)), tmp_path, jobs=1) as bench:
        base = establish(bench, with_tree(), diagnostic=False)
        with pytest.raises(UserError, match="does not run in the base") as caught:
            FinalChecks(bench, base, ("/bin/selftest",))
    assert "--final" in caught.value.hint


def test_without_a_tree_there_is_no_place_for_the_agent(tmp_path):
    with Bench(FakeTarget(lambda _params: 1000), tmp_path, jobs=1) as bench:
        base = base_of(bench)
        with pytest.raises(UserError, match="packs no root tree"):
            FinalChecks(bench, base, FINAL)
