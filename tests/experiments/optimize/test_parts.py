# SPDX-License-Identifier: MIT
"""What breaks as a whole is taken in part: files, modules, applets; each one that stays has its reason."""

from __future__ import annotations

import pytest

from bootlab import techniques
from bootlab.experiments.base import establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize import parts
from bootlab.experiments.optimize.parts import only, parts_of
from bootlab.experiments.optimize.planning import Wishes, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.model.change import Change, DropFiles, DropInitramfsFiles, SetBusybox, SetParam
from bootlab.model.recording import Outcome
from tests.experiments.fake_bench import MS, FakeTechnique
from tests.experiments.optimize.test_search import Remembering
from tests.experiments.optimize.tree_target import FILES, OWN, Slim, TreeTarget, with_tree

NEEDED = frozenset({"/lib/c", "/lib/k"})


def cost(params, files):
    """Each file costs 10 ms; two are needed."""
    if not files >= NEEDED:
        return Outcome.PANIC
    return 1000 + 10 * len(files & set(OWN)) - (50 if "quick" in params else 0)


@pytest.fixture
def run(tmp_path, monkeypatch):
    def searched(target, *own, store="store", jobs=1, **wishes):
        by_id = {one.id: one for one in own}
        monkeypatch.setattr(techniques, "all_techniques", lambda: own)
        monkeypatch.setattr(techniques, "get", by_id.__getitem__)
        journal = Remembering()
        with Bench(target, tmp_path / store, jobs=jobs) as bench:
            base = establish(bench, with_tree(), diagnostic=False)
            plan, _ = plan_of(base, Wishes(**wishes), jobs=1)
            found = optimize(bench, base, plan, journal)
        assert len(target.booted) == len(set(target.booted)), "no system is booted twice"
        return found, journal

    return searched


def left_out(found):
    return {
        path for change in found.stacked.changes for op in change.ops if isinstance(op, DropFiles) for path in op.paths
    }


def test_of_files_that_break_it_together_all_go_but_those_that_are_needed(run):
    target = TreeTarget(cost)
    found, journal = run(target, Slim(), FakeTechnique("quick"))
    assert left_out(found) == set(FILES) - NEEDED
    assert set(found.parts_kept) == NEEDED
    assert all(reason == "panic: because" for reason in found.parts_kept.values())
    assert {change.id for change in found.stacked.changes} == {"slim:14 of 16", "quick"}
    (whole,) = [s for s in journal.steps if hasattr(s, "phase") and s.change.id == "slim"]
    assert not whole.kept
    costs = {row.change_id: row.cost_ns for row in found.stacked.left_out}
    assert costs["slim:14 of 16"] == 140 * MS, "proved by leaving it out, as every other"
    asked = {one.what: one.broken for one in found.questions}
    assert asked["without 16 of 16 of slim"] == "panic: because"
    assert "" in asked.values()


def test_interrupted_it_asks_no_boot_again(run):
    first = TreeTarget(cost)
    run(first, Slim())
    again = TreeTarget(cost)
    found, _ = run(again, Slim())
    assert left_out(found) == set(FILES) - NEEDED
    assert again.booted == []


@pytest.mark.parametrize("jobs", [2, 4])
def test_machines_that_are_idle_boot_what_may_be_asked_next_and_the_answer_is_the_same(run, jobs):
    alone, beside = TreeTarget(cost), TreeTarget(cost)
    one, _ = run(alone, Slim(), store="alone")
    several, _ = run(beside, Slim(), store="beside", jobs=jobs)
    assert several.stacked.changes == one.stacked.changes
    assert (several.questions, several.parts_kept) == (one.questions, one.parts_kept)
    assert set(alone.booted) <= set(beside.booted)
    again = TreeTarget(cost)
    found, _ = run(again, Slim(), store="beside", jobs=jobs)
    assert (found.questions, found.parts_kept) == (one.questions, one.parts_kept)
    assert again.booted == [], "nothing is guessed where the answers are kept"


def test_what_the_console_misses_by_name_stays_without_a_search(run):
    def says(files):
        return "".join(f"init: cannot open {path}: No such file or directory\n" for path in sorted(NEEDED - files))

    silent, telling = TreeTarget(cost), TreeTarget(cost, says=says)
    run(silent, Slim(), store="silent")
    found, _ = run(telling, Slim(), store="telling")
    assert left_out(found) == set(FILES) - NEEDED
    assert len([one for one in found.questions if one.broken]) == 1
    assert len(telling.booted) < len(silent.booted)


def test_no_more_is_asked_than_is_bearable(run, monkeypatch):
    monkeypatch.setattr(parts, "MOST", 5)
    found, _ = run(TreeTarget(cost), Slim())
    assert len(found.questions) == 5
    assert set(found.parts_kept) >= NEEDED
    assert any("not decided: 5 systems were asked about" in reason for reason in found.parts_kept.values())
    assert not left_out(found) & NEEDED


def test_one_that_cannot_be_parted_is_left(run):
    found, _ = run(TreeTarget(cost), Slim(paths=("/lib/c",)))
    assert found.stacked.changes == ()
    assert found.parts_kept == {}


def test_parts_of_modules_and_applets():
    modules = Change(technique="m", ops=(DropInitramfsFiles(("/a.ko", "/b.ko", "/c.ko")),))
    assert parts_of(modules) == ("/a.ko", "/b.ko", "/c.ko")
    assert only(modules, frozenset({"/b.ko", "/c.ko"})).ops == (DropInitramfsFiles(("/b.ko", "/c.ko")),)
    applets = Change(
        technique="busybox-applets",
        ops=(SetBusybox("/bin/busybox", ("cat", "sh"), (("FEATURE_X", "n"),)), DropFiles(("/bin/awk", "/usr/bin/vi"))),
    )
    fewer = only(applets, frozenset({"/usr/bin/vi"}))
    assert fewer.id == "busybox-applets:1 of 2"
    assert fewer.ops == (
        SetBusybox("/bin/busybox", ("awk", "cat", "sh"), (("FEATURE_X", "n"),)),
        DropFiles(("/usr/bin/vi",)),
    )
    assert only(applets, frozenset(parts_of(applets))) is applets
    assert parts_of(Change(technique="p", ops=(SetParam("quiet"),))) == ()
