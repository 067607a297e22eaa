# SPDX-License-Identifier: MIT
"""Bisection on real boots: 64 root trees in git, one that costs a third of a percent found in at most 7 boots."""

from __future__ import annotations

import pytest

from bootlab.api import history as api
from bootlab.history.revisions import GitRevisions
from tests.integration import revision_history

pytestmark = pytest.mark.qemu


@pytest.mark.parametrize(("kind", "place"), [("script", 41), ("none", 0)])
def test_a_slow_root_tree_among_64(demo, debian_kernel, tmp_path, monkeypatch, kind, place) -> None:
    """`demo` builds the guest programs that the trees name."""
    monkeypatch.setenv("BOOTLAB_KERNEL", str(debian_kernel))
    folder = tmp_path / "repository"
    commits = revision_history.make(folder, kind, place)
    with GitRevisions(folder, commits, folder / "system.toml") as revisions:
        found, grown = api.bisect(revisions, store=tmp_path / "store", functions=False)
    assert len(found.revisions) == revision_history.COUNT
    assert found.found.boots <= 7
    assert found.found.skipped == ()
    if kind == "none":
        # The tree grows by sixteen notes: where that is more than what matters, the rise is made of several commits.
        assert found.culprit is None
        assert found.found.first_slow is None or found.found.spread
        return
    assert found.culprit is not None
    assert found.culprit.subject == "Test the sensor's memory"
    goal = found.found.goals_ns[len(found.revisions) - 1]
    assert 0.003 <= found.found.cost_ns / goal < 0.02
    assert next(iter(found.stages_grew_ns())) == "RC scripts"
    assert grown == []


def test_the_functions_that_grew_are_those_of_the_commit(demo, debian_kernel, tmp_path, monkeypatch) -> None:
    """Four commits, so that most of the boots are the two traces."""
    monkeypatch.setenv("BOOTLAB_KERNEL", str(debian_kernel))
    monkeypatch.setattr(revision_history, "COUNT", 4)
    folder = tmp_path / "repository"
    commits = revision_history.make(folder, "cmdline", 2)
    with GitRevisions(folder, commits, folder / "system.toml") as revisions:
        found, grown = api.bisect(revisions, store=tmp_path / "store")
    assert found.culprit is not None
    assert found.culprit.subject == "Crypto self-tests on again"
    # They run in threads of their own: in Linux 6.12 half of them while the start scripts already run.
    assert found.stages_grew_ns()["kernel"] * 3 > found.found.cost_ns
    assert grown
    assert grown[0].own > 0
    # Which ciphers are built in depends on the kernel: hashes, elliptic curves (vli_), long numbers (mpihelp_).
    ciphers = ("crypto", "alg_test", "sha", "vli_", "mpi")
    assert any(part in row.function for row in grown[:12] for part in ciphers)
