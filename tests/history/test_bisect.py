# SPDX-License-Identifier: MIT
"""Bisection: at most seven boots for 64 revisions, and nothing is found where nothing is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bootlab.api import history as api
from bootlab.errors import MeasurementError, UserError
from bootlab.history.bisect import bisect
from bootlab.history.revisions import GitRevisions, SystemFiles
from bootlab.views.history.bisect_text import sentence, view
from tests.conftest import REPLAYED
from tests.rendered import to_text

BOOT = 3_000_000_000
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]


@pytest.mark.parametrize("planted", range(1, 64))
def test_a_regression_of_a_third_of_a_percent_is_found_in_at_most_seven_boots(planted: int) -> None:
    found = bisect(64, lambda place: BOOT + place * 1000 + (9_000_000 if place >= planted else 0))
    assert found.first_slow == planted
    assert found.suspects == (planted,)
    assert found.cost_ns == 9_000_000 + 1000
    assert not found.spread
    assert found.boots <= 7


@pytest.mark.parametrize("planted", range(1, 64))
def test_a_great_step_is_found_though_the_slow_ones_differ_among_themselves(planted: int) -> None:
    # Self-tests of ciphers on again: 1.7 s, and since then a change of nothing moves the goal by 12 ms.
    moved = (0, 12_000_000, 4_000_000, 9_000_000)
    found = bisect(64, lambda p: BOOT + p * 1000 + (1_700_000_000 + moved[p % 4] if p >= planted else 0))
    assert found.suspects == (planted,)
    assert not found.spread
    assert found.boots <= 7


def test_none_is_reported_in_a_history_without_one() -> None:
    for goal in (lambda place: BOOT, lambda place: BOOT + place * 10_000, lambda place: BOOT - place * 10_000_000):
        found = bisect(64, goal)
        assert found.first_slow is None
        assert found.cost_ns is None
        assert found.boots <= 7


def test_a_rise_made_of_many_blames_nobody() -> None:
    found = bisect(64, lambda place: BOOT + place * 200_000)
    assert found.spread


@pytest.mark.parametrize("broken", [{31}, {15, 31, 32}, set(range(20, 40))])
def test_revisions_that_do_not_boot_are_gone_around(broken: set[int]) -> None:
    found = bisect(64, lambda place: None if place in broken else BOOT + (9_000_000 if place >= 45 else 0))
    assert found.suspects == (45,)
    assert set(found.skipped) <= broken


def test_where_those_around_it_do_not_boot_all_of_them_are_suspects() -> None:
    found = bisect(64, lambda place: None if 40 <= place < 45 else BOOT + (9_000_000 if place >= 42 else 0))
    assert found.suspects == (40, 41, 42, 43, 44, 45)
    assert found.first_slow == 45


def test_what_cannot_be_searched() -> None:
    with pytest.raises(UserError, match="nothing to search in 1"):
        bisect(1, lambda place: BOOT)
    with pytest.raises(MeasurementError, match="newest"):
        bisect(8, lambda place: None if place == 7 else BOOT)


def repository(folder: Path, planted: int | None, *, count: int = 64) -> tuple[Path, str]:
    """Make a history of commits whose system is a recorded one; from commit `planted` on it is not quiet any more."""
    folder.mkdir()
    text = REPLAYED.read_text(encoding="utf-8").replace('"fixture"', f'"{REPLAYED.parent / "fixture"}"')
    quiet = text.replace("panic=-1", "panic=-1 quiet")
    subprocess.run([*GIT, "init", "-q", "."], cwd=folder, check=True)
    for number in range(count):
        slow = planted is not None and number >= planted
        (folder / "system.toml").write_text((text if slow else quiet) + f"# change {number}\n", encoding="utf-8")
        subprocess.run([*GIT, "add", "-A"], cwd=folder, check=True)
        subprocess.run([*GIT, "commit", "-q", "-m", f"change {number}"], cwd=folder, check=True)
    first = subprocess.run(
        ["git", "rev-list", "--max-parents=0", "HEAD"], cwd=folder, check=True, capture_output=True, text=True
    )
    return folder, f"{first.stdout.strip()}..HEAD"


@pytest.mark.parametrize("planted", [41, pytest.param(None, marks=pytest.mark.slow)])
def test_a_history_of_64_commits(tmp_path: Path, planted: int | None) -> None:
    folder, commits = repository(tmp_path / "repository", planted)
    told: list[str] = []
    with GitRevisions(folder, commits, folder / "system.toml", build='test -n "$BOOTLAB_REVISION"') as revisions:
        found, _ = api.bisect(
            revisions, store=tmp_path / "store", functions=False, told=lambda step: told.append(step.revision.subject)
        )
    assert len(found.revisions) == 64
    assert found.found.boots == len(told) <= 7
    assert told[0] == "change 63"
    if planted is None:
        assert found.culprit is None
        assert sentence(found).startswith("none of 64 revisions")
    else:
        assert found.culprit is not None
        assert found.culprit.subject == "change 41"
        assert next(iter(found.stages_grew_ns())) == "kernel"
        assert "change 41 made the boot slower by +" in to_text(view(found, []), width=200)
    status = subprocess.run(["git", "status", "--short"], cwd=folder, check=True, capture_output=True, text=True)
    assert status.stdout == ""
    listed = subprocess.run(["git", "worktree", "list"], cwd=folder, check=True, capture_output=True, text=True)
    assert len(listed.stdout.splitlines()) == 1


def test_commits_that_cannot_be_built_are_skipped(tmp_path: Path) -> None:
    folder, commits = repository(tmp_path / "repository", 5, count=8)
    build = "grep -q 'change 3' system.toml && { echo no such file; exit 1; } || true"
    with GitRevisions(folder, commits, folder / "system.toml", build=build) as revisions:
        found, _ = api.bisect(revisions, store=tmp_path / "store", functions=False)
    assert found.culprit is not None
    assert found.culprit.subject == "change 5"
    (skipped,) = [step for step in found.steps if step.goal_ns is None]
    assert "the build command ended with 1: no such file" in skipped.why


@pytest.mark.parametrize("commits", ["HEAD", "..HEAD", "a...b", "nothing..HEAD", "--output=x..HEAD", "HEAD..-x"])
def test_what_is_no_range_is_refused(tmp_path: Path, commits: str) -> None:
    folder, _ = repository(tmp_path / "repository", None, count=1)
    with pytest.raises(UserError):
        GitRevisions(folder, commits, folder / "system.toml")
    assert not (folder / "x").exists()


def test_system_files_in_their_order(tmp_path: Path) -> None:
    text = REPLAYED.read_text(encoding="utf-8").replace('"fixture"', f'"{REPLAYED.parent / "fixture"}"')
    files = []
    for number in range(5):
        files.append(tmp_path / f"{number}.toml")
        files[-1].write_text(text if number >= 2 else text.replace("panic=-1", "panic=-1 quiet"), encoding="utf-8")
    found, _ = api.bisect(SystemFiles(files), store=tmp_path / "store", functions=False)
    assert found.culprit is not None
    assert found.culprit.name == str(files[2])
