# SPDX-License-Identifier: MIT
"""A step is blamed on a revision only if it stands under dithers."""

from __future__ import annotations

import pytest

from bootlab.experiments.bench import Bench
from bootlab.history.bisection import search
from bootlab.history.revisions import Revision
from bootlab.model.recording import Outcome
from bootlab.views.history.bisect_text import sentence
from tests.experiments.fake_bench import FakeTarget, system

COUNT = 16


class Fakes:
    """Revisions that set a parameter of their number."""

    all = tuple(Revision(f"r{place}") for place in range(COUNT))

    def system(self, place):
        return system(f"r{place}")


def found_with(tmp_path, step_ms, moved_ms, *, step_at=9):
    """Search revisions whose boot takes `step_ms` longer from `step_at` on; a dither adds its share of `moved_ms`."""
    target = FakeTarget(lambda _: 0)

    def cost(params):
        (place,) = [int(p[1:]) for p in params if p.startswith("r")]
        _, _, seed = target.booted[-1].partition("(seed ")
        return 1000 + (step_ms if place >= step_at else 0) + moved_ms * (int(seed.rstrip(")") or 1) - 1)

    target.cost = cost
    return search(Fakes(), lambda _: Bench(target, tmp_path, jobs=1)), target


@pytest.mark.parametrize(("step_ms", "moved_ms", "stands"), [(3, 0.5, True), (3, 2, False)])
def test_a_small_step_is_tried_under_dithers(tmp_path, step_ms, moved_ms, stands):
    found, target = found_with(tmp_path, step_ms, moved_ms)
    assert found.found.suspects == (9,)
    assert found.found.boots <= 5
    assert found.disturbed.boots == 8
    assert found.disturbed.stands is stands
    assert len(target.booted) == found.found.boots + 8, "the boots of the search are not made again"
    assert (found.culprit == Fakes.all[9]) is stands
    assert ("8 further boots of the two under dithers agree" in sentence(found)) is stands
    assert ("no revision is blamed" in sentence(found)) is not stands


def test_a_great_step_is_tried_too(tmp_path):
    """A goal that waits for the second to turn comes a second later after a change of a microsecond."""
    found, _ = found_with(tmp_path, 30, 0.5)
    assert found.culprit == Fakes.all[9]
    assert found.disturbed.stands
    jumping, _ = found_with(tmp_path / "jumping", 30, 20)
    assert jumping.found.suspects == (9,)
    assert jumping.culprit is None


def test_a_step_that_cannot_be_tried_is_not_blamed(tmp_path):
    target = FakeTarget(lambda _: 0)

    def cost(params):
        (place,) = [int(p[1:]) for p in params if p.startswith("r")]
        return Outcome.HANG if "seed" in target.booted[-1] else 1000 + (300 if place >= 9 else 0)

    target.cost = cost
    found = search(Fakes(), lambda _: Bench(target, tmp_path, jobs=1))
    assert (found.culprit, found.disturbed) == (None, None)
    assert "seemed to make the boot slower" in sentence(found)
    assert "cannot be booted under dithers" in sentence(found)


@pytest.mark.parametrize(("booting", "said"), [({15}, "nothing to compare"), ({13, 14, 15}, "13 revisions skipped")])
def test_what_does_not_boot_is_no_sameness(tmp_path, booting, said):
    """Fifteen of sixteen revisions do not boot: it said that none of them made the boot slower."""
    target = FakeTarget(lambda params: 1000 if any(f"r{place}" in params for place in booting) else Outcome.HANG)
    found = search(Fakes(), lambda _: Bench(target, tmp_path, jobs=1))
    assert said in sentence(found)
    assert found.found.compared is (len(booting) > 1)
