# SPDX-License-Identifier: MIT
"""bootlab's own checks of a result: what brings an error or loses a part of the system is named and given back."""

from __future__ import annotations

import pytest

from bootlab import techniques
from bootlab.experiments.base import establish
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.planning import Wishes, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.experiments.selection import Selection
from bootlab.techniques.base import Risk
from tests.experiments.fake_bench import FakeTechnique
from tests.experiments.optimize.test_search import Remembering
from tests.experiments.optimize.tree_target import TreeTarget, with_tree

CAMERA = "proc maps 20 55-56 r-xp 00 08:01 3 /usr/bin/camera"
DATE = "proc date 1767225603"
LINE = "log [    1.000000] Linux is up"


def cost(params, _files):
    return 1000 - 100 * len(params & {"quick", "risky", "good"})


def report(params, *, if_risky=(), lost=(), always=(DATE, LINE, CAMERA)):
    own = [line for line in always if "risky" not in params or line not in lost]
    return (*own, *(if_risky if "risky" in params else ()))


@pytest.fixture
def run(tmp_path, monkeypatch):
    def searched(target, *own, diagnostic=True, **wishes):
        by_id = {one.id: one for one in own}
        monkeypatch.setattr(techniques, "all_techniques", lambda: own)
        monkeypatch.setattr(techniques, "get", by_id.__getitem__)
        with Bench(target, tmp_path, jobs=1) as bench:
            base = establish(bench, with_tree(), diagnostic=diagnostic)
            found = optimize(bench, base, plan_of(base, Wishes(**wishes), jobs=1)[0], Remembering())
        assert len(target.booted) == len(set(target.booted)), "no system is booted twice"
        return found

    return searched


def kept(found):
    return {change.id for change in found.stacked.changes}


@pytest.mark.telling("optimize", "broken is not faster")
@pytest.mark.parametrize(
    ("report_of", "words"),
    [
        ({"if_risky": ("proc troubles 3 nobody reads this disk",)}, "error nobody reads this disk"),
        ({"if_risky": ("log [    2.000000] kernel BUG at a.c:1!",)}, "kernel fault kernel BUG at a.c:1!"),
        ({"lost": (CAMERA,)}, "program camera: runs before, does not run after"),
        ({"lost": (DATE,), "if_risky": ("proc date 5",)}, "clock date: right before, 5 s since 1970 after"),
    ],
)
def test_a_change_that_loses_something_is_given_back(run, report_of, words):
    target = TreeTarget(cost, reports=lambda params: report(params, **report_of))
    found = run(target, *map(FakeTechnique, ("quick", "risky", "good")))
    assert kept(found) == {"quick", "good"}
    assert words in found.back["risky"]
    assert found.contrasts == (), "the result has none of it"


def test_a_machine_that_stays_on_is_no_result(run):
    target = TreeTarget(cost, reports=report, stays_on=lambda params: "risky" in params)
    found = run(target, *map(FakeTechnique, ("quick", "risky")))
    assert kept(found) == {"quick"}
    assert "power-off by the kernel: works before, it stays on (hang: because) after" in found.back["risky"]


def test_what_the_base_cannot_do_is_not_asked_for(run):
    target = TreeTarget(cost, reports=report, stays_on=lambda _params: True)
    found = run(target, *map(FakeTechnique, ("quick", "risky")))
    assert kept(found) == {"quick", "risky"}
    assert "power-off is not checked: in the base it stays on (hang: because)" in found.unchecked


def test_what_was_let_in_is_listed_and_stays(run):
    target = TreeTarget(cost, reports=lambda params: report(params, lost=(CAMERA,)))
    risky = FakeTechnique("risky", risk=Risk(function="the camera is off"))
    found = run(target, FakeTechnique("quick"), risky, selection=Selection(allow=frozenset({"function"})))
    assert kept(found) == {"quick", "risky"}
    (lost,) = found.contrasts
    assert (lost.kind, lost.subject, lost.leave) == ("program", "camera", "comes with changes that were let in")


def test_nobody_lets_an_oops_in(run):
    oops = ("log [    2.000000] Oops: 0002 [#1] SMP",)
    target = TreeTarget(cost, reports=lambda params: report(params, if_risky=oops))
    risky = FakeTechnique("risky", risk=Risk(function="the camera is off"))
    found = run(target, FakeTechnique("quick"), risky, selection=Selection(allow=frozenset({"function"})))
    assert kept(found) == {"quick"}


def test_warnings_and_protections_are_told_only(run):
    said = ("proc troubles 4 slow", "log [    2.000000] MDS: Vulnerable: no microcode")
    target = TreeTarget(cost, reports=lambda params: report(params, if_risky=said))
    found = run(target, *map(FakeTechnique, ("quick", "risky")))
    assert kept(found) == {"quick", "risky"}
    assert [(one.kind, one.subject, one.after) for one in found.contrasts] == [
        ("protection", "MDS", "Vulnerable: no microcode"),
        ("warning", "slow", "new"),
    ]


def test_what_starts_late_is_waited_for(run):
    """A faster system is looked at earlier: as late as the base, its camera runs."""

    def late(params):
        waits = next(int(one.partition("=")[2]) for one in params if one.startswith("BOOTLAB_WAIT_MS="))
        return report(params, lost=() if waits >= 3000 else (CAMERA,))

    found = run(TreeTarget(cost, reports=late), *map(FakeTechnique, ("quick", "risky")))
    assert kept(found) == {"quick", "risky"}
    assert found.contrasts == ()


def test_without_a_diagnosis_it_is_said(run):
    found = run(TreeTarget(cost), FakeTechnique("quick"), diagnostic=False)
    assert "not checked against the base" in found.unchecked[0]
    assert found.contrasts == ()
