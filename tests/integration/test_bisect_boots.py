# SPDX-License-Identifier: MIT
"""Bisection on real boots: 64 root trees in git, one that costs a third of a percent found in at most 7 boots.

That a commit's step is found in a stage of user space, tests/integration/test_ci_jobs.py shows on Debian's kernel.
"""

from __future__ import annotations

import pytest

from bootlab.api import history as api
from bootlab.history.revisions import GitRevisions
from tests.integration import revision_history

pytestmark = pytest.mark.qemu


@pytest.mark.parametrize("slow_from", [41, None])
def test_a_slow_one_among_64(tmp_path, slow_from) -> None:
    folder = tmp_path / "repository"
    commits = revision_history.trees(folder, slow_from)
    with GitRevisions(folder, commits, folder / "system.toml") as revisions:
        found, grown = api.bisect(revisions, store=tmp_path / "store", functions=False)
    assert len(found.revisions) == revision_history.COUNT
    assert found.found.boots <= 7
    assert found.found.skipped == ()
    assert grown == []
    if slow_from is None:
        # The tree grows by sixteen notes: where that is more than what matters, the rise is made of several commits.
        assert found.culprit is None
        assert found.found.first_slow is None or found.found.spread
        return
    assert found.culprit is not None
    assert found.culprit.subject == "Wait for the sensor"
    goal = found.found.goals_ns[len(found.revisions) - 1]
    assert 0.003 <= found.found.cost_ns / goal < 0.02


def test_the_functions_that_grew_are_those_of_the_commit(debian_kernel, tmp_path, monkeypatch) -> None:
    """Four commits, so that most of the boots are dithered ones and the two traces."""
    monkeypatch.setenv("BOOTLAB_KERNEL", str(debian_kernel))
    folder = tmp_path / "repository"
    commits = revision_history.kernels(folder, 4, 2)
    with GitRevisions(folder, commits, folder / "system.toml") as revisions:
        found, grown = api.bisect(revisions, store=tmp_path / "store")
    assert found.culprit is not None
    assert found.culprit.subject == "Try the timer again"
    assert found.stages_grew_ns()["kernel"] * 3 > found.found.cost_ns
    assert grown
    assert grown[0].own > 0
    # It waits for ten ticks.
    assert any("timer" in row.function or "delay" in row.function for row in grown[:3])
