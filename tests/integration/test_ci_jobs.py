# SPDX-License-Identifier: MIT
"""A change that costs 20 ms, in the jobs of both forges: red with commit, stage and comment; green after its revert."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ET

import pytest

from tests.forges.kept_forge import kept_forge
from tests.integration.ci_jobs import Team, counted, git, green, red

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def team(debian_kernel, tmp_path_factory) -> Team:
    return Team(tmp_path_factory.mktemp("team"), debian_kernel.resolve())


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
            green(comment)
