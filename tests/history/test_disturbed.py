"""A small step is blamed on a revision only if it stands under dithers."""

from __future__ import annotations

import pytest

from bootlab.experiments.bench import Bench
from bootlab.history.bisection import search
from bootlab.history.revisions import Revision
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


def test_a_clear_step_takes_no_further_boot(tmp_path):
    found, target = found_with(tmp_path, 30, 0.5)
    assert found.culprit == Fakes.all[9]
    assert found.disturbed is None
    assert len(target.booted) == found.found.boots
