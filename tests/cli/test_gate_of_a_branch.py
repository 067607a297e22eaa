# SPDX-License-Identifier: MIT
"""The gate of a job: against the commit at which HEAD left a branch, with a comment, a badge, budgets of a file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.cli import __main__ as program
from bootlab.errors import UserError
from tests.conftest import REPLAYED, REPOSITORY

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
QUIET = "panic=-1 quiet"


def git(folder: Path, *words: str) -> str:
    names = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Path:
    """A repository whose branch `change` makes the kernel talk, which costs milliseconds; recordings tell both."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    text = REPLAYED.read_text(encoding="utf-8").replace('"fixture"', f'"{REPLAYED.parent / "fixture"}"')
    (folder / "system.toml").write_text(text.replace("panic=-1", QUIET), encoding="utf-8")
    (folder / ".gitignore").write_text(".bootlab\nboot-time\ngl-*\n")
    (folder / "budgets").write_text("# of the whole boot\ntotal=4s\n\nkernel = 3s # at most\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "The camera")
    git(folder, "checkout", "-q", "-b", "change")
    (folder / "system.toml").write_text(text, encoding="utf-8")
    git(folder, "commit", "-q", "-a", "-m", "Let the kernel talk")
    # Main goes on; that is no part of what the change costs.
    git(folder, "checkout", "-q", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Meanwhile")
    git(folder, "checkout", "-q", "change")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BOOTLAB_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BOOTLAB_HISTORY", raising=False)
    return folder


def run(*words: str):
    return CliRunner().invoke(program.app, list(words))


def test_red_with_the_stage_and_green_after_the_revert(repository):
    words = ("gate", "system.toml", "--against", "git:main", "--budget", "@budgets", "--markdown", "c.md")
    red = run(*words, "--badge", "b.svg", "--report-url", "https://example.org/1")
    assert red.exit_code == 11, red.output
    assert f"base: {git(repository, 'rev-parse', 'main~')[:12]} of main: The camera" in red.output
    comment = Path("c.md").read_text()
    assert comment.startswith("### ❌ boot time failed: small: slower than main ")
    assert "The stage **kernel** grew most: +" in comment
    assert f"The one commit: {git(repository, 'rev-parse', 'HEAD')[:12]} Let the kernel talk (t)" in comment
    assert "* quiet is gone from the command line: shown active in the base (there against here): quiet: " in comment
    assert "; 10 boots made, 0 kept from earlier runs" in comment
    assert "\n| quantity | base ms | new ms | change ms | verdict |\n|---|--:|--:|--:|---|\n" in comment
    assert "| total | 4000.000 ms |" in comment
    assert "[The whole report](<https://example.org/1>)" in comment
    badge = ET.fromstring(Path("b.svg").read_text())
    assert badge.attrib["aria-label"] == "boot: 3139.553 ms"
    git(repository, "revert", "--no-edit", "HEAD")
    green = run(*words)
    assert green.exit_code == 0, green.output
    assert Path("c.md").read_text().startswith("### ✅ boot time passed: small: same as main ")
    assert git(repository, "status", "--porcelain", "--untracked-files=no") == ""
    assert git(repository, "worktree", "list").count("\n") == 1, "nothing is left of the checkout"


def test_the_base_is_built_in_its_own_checkout(repository):
    done = run("gate", "system.toml", "--against", "git:main", "--build", "touch built; test -f system.toml")
    assert done.exit_code == 11, done.output
    assert not (repository / "built").exists()
    failed = run("gate", "system.toml", "--against", "git:main", "--build", "echo no such board; exit 3")
    assert "the build command ended with 3: no such board" in str(failed.exception)


@pytest.mark.parametrize(("words", "said"), [
    (("system.toml", "--against", "git:nowhere"), "git knows no commit at which HEAD left nowhere"),
    (("last", "--against", "git:main"), "so NEW has to be a system file"),
    (("system.toml", "--against", "git:main", "last"), "a branch cannot be combined"),
    (("system.toml", "--budget", "@nowhere"), "nowhere cannot be read"),
    (("system.toml", "--budget", "total=4s", "--comment", "forge"), "no such forge"),
])  # fmt: skip
def test_what_cannot_be_asked_for_is_said(repository, words, said):
    done = run("gate", *words)
    assert isinstance(done.exception, UserError)
    assert said in str(done.exception)


def test_the_script_of_every_ci(repository, tmp_path):
    event = tmp_path / "event.json"
    event.write_text("{}")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = os.environ | {
        "PATH": programs,
        "BOOTLAB_AGAINST": "git:main",
        "BOOTLAB_BUDGET": "total=4s\n@budgets",
        "BOOTLAB_FORGE": "github",
        "BOOTLAB_COMMENT": "true",
        "BOOTLAB_INSTALL": "",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_EVENT_PATH": str(event),
    }
    done = subprocess.run(
        ["sh", str(REPOSITORY / "ci" / "gate.sh")], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 11, done.stderr
    assert "::error title=boot time::failed" in done.stdout
    assert (tmp_path / "output").read_text() == "answer=failed\n"
    assert (tmp_path / "summary").read_text() == Path("boot-time/comment.md").read_text()
    assert {path.name for path in Path("boot-time").iterdir()} == {"report.html", "comment.md", "badge.svg", "gate.xml"}
    assert "this job is not for a pull request" in done.stderr + done.stdout
    environ |= {"BOOTLAB_FORGE": "gitlab", "BOOTLAB_AGAINST": "", "BOOTLAB_BUDGET": "total=4s"}
    done = subprocess.run(
        ["sh", str(REPOSITORY / "ci" / "gate.sh")], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(Path("gl-code-quality-report.json").read_text()) == []
