# SPDX-License-Identifier: MIT
"""`history add`: the commit that was booted, from git or by hand."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from bootlab.api import history as api
from bootlab.cli import __main__ as program
from bootlab.errors import UserError
from tests.conftest import REPLAYED

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOTLAB_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BOOTLAB_HISTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(program.app, [str(word) for word in words])


def test_git_gives_revision_author_and_subject(run, tmp_path):
    names = ("-c", "user.name=Ada", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", *names, "commit", "-q", "--allow-empty", "-m", "Wait"], cwd=tmp_path, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert run("boot", REPLAYED).exit_code == 0
    assert run("history", "add", "last", "--system", "small", "--commit", "HEAD").exit_code == 0
    given = run(
        "history", "add", "last", "--system", "small", "--revision", "v2", "--author", "Eve", "--commit", "HEAD"
    )
    assert given.exit_code == 0, given.output
    with api.open_history(store=tmp_path / "store") as database:
        told = [(one.revision, one.times.facts["author"], one.times.facts["subject"]) for one in database.entries()]
    assert sorted(told) == sorted([(head.stdout.strip(), "Ada", "Wait"), ("v2", "Eve", "Wait")])


def test_a_commit_that_git_does_not_know(run):
    done = run("history", "add", "last", "--system", "small", "--commit", "nowhere")
    assert isinstance(done.exception, UserError)
    assert "git does not know the commit" in str(done.exception)
