# SPDX-License-Identifier: MIT
"""A change that costs 20 ms, in the jobs of both forges: red with commit, stage and comment; green after its revert."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ET

import pytest

from tests.forges.kept_forge import kept_forge
from tests.integration.ci_jobs import Team, git

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def team(debian_kernel, tmp_path_factory) -> Team:
    return Team(tmp_path_factory.mktemp("team"), debian_kernel.resolve())


def counted(comment: str) -> tuple[int, int]:
    """Return how many boots a run made, and how many it had from earlier ones, as its comment says."""
    found = re.search(r"(\d+) boots? made, (\d+) kept from earlier runs", comment)
    assert found is not None, comment
    return int(found[1]), int(found[2])


def red(comment: str, commit: str) -> None:
    """Hold what a comment says of the change: the answer, the stage, the commit, what differs, and by how much."""
    assert "### ❌ boot time failed: small: slower than main " in comment
    assert f"The one commit: {commit[:12]} Wait for the sensor (Ada)" in comment
    assert "* changed in the root tree: /init" in comment
    assert "only the new boots print: sensor: awake" in comment
    grew = re.search(r"The stage \*\*RC scripts\*\* grew most: \+(\d+\.\d+) ms", comment)
    assert grew is not None, comment
    # BusyBox starts, waits at least 20 ms on the kernel's timer, and prints: a few milliseconds more.
    assert 20 <= float(grew[1]) < 30


def refused(done: subprocess.CompletedProcess[str]) -> str:
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def test_red_with_the_commit_and_green_after_the_revert(team) -> None:
    commit = git(team.origin, "rev-parse", "change")
    with kept_forge() as (github, api), kept_forge() as (gitlab, api_of_gitlab):
        done, checkout = team.job("github", "first", api)
        assert done.returncode == 11, refused(done)
        (comment,) = (str(one["body"]) for one in github.kept)
        red(comment, commit)
        made, kept = counted(comment)
        assert kept == 0
        assert made >= 6, "the base under five dithers, and the change"
        assert (checkout.parent / "first-home" / "output").read_text() == "answer=failed\n"
        assert "### ❌ boot time failed" in (checkout.parent / "first-home" / "summary").read_text()
        assert "::error title=boot time::failed: small: slower" in done.stdout
        assert ET.parse(checkout / "boot-time" / "gate.xml").find(".//failure") is not None
        assert "https://forge.example/a/b/actions/runs/12" in comment

        done, _ = team.job("github", "again", api)
        assert done.returncode == 11, refused(done)
        (comment,) = (str(one["body"]) for one in github.kept)
        red(comment, commit)
        assert counted(comment) == (0, made), "the second run has every boot from the first"

        done, checkout = team.job("gitlab", "merge", api_of_gitlab)
        assert done.returncode == 11, refused(done)
        (comment,) = (str(one["body"]) for one in gitlab.kept)
        red(comment, commit)
        assert "https://forge.example/a/b/-/jobs/12/artifacts/file/boot-time/report.html" in comment

        team.revert()
        for forge, where, name in (("github", api, "reverted"), ("gitlab", api_of_gitlab, "reverted-merge")):
            done, checkout = team.job(forge, name, where)
            assert done.returncode == 0, refused(done)
        for comments in (github.kept, gitlab.kept):
            (comment,) = (str(one["body"]) for one in comments)
            assert "### ✅ boot time passed: small: same as main " in comment
            assert "only the new boots print" not in comment
