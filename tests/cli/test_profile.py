# SPDX-License-Identifier: MIT
"""`bootlab profile` on logs: what it prints, its JSON and page, and its errors."""

import json

import pytest
from typer.testing import CliRunner

from bootlab.cli.program import VERBS, make_app
from bootlab.errors import UserError
from tests.advice.test_application import HEAD, HELPER, POLLED, SLEEPS

TEXT = HEAD + POLLED + SLEEPS + HELPER + '70    10:00:07.500000 write(1, "\\33[31mready", 5) = 5 <0.000010>\n'


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "app.strace"
    path.write_text(TEXT)
    return path


def run(*words):
    return CliRunner().invoke(make_app(VERBS), ["profile", *map(str, words)], catch_exceptions=False)


def test_advice_comes_before_the_tables(log):
    said = run(log).stdout
    waits = "waits 202.0 ms for /dev/video0: 2 failed tries (ENOENT), until it was there (line 2)"
    assert waits in " ".join(said.split())
    assert said.index("What stands out") < said.index("Processes") < said.index("Longest waits")
    assert "/bin/helper -x" in said


def test_json_and_page(log, tmp_path):
    page = tmp_path / "app.html"
    found = json.loads(run(log, "--json", "--html", page, "--goal", "ready").stdout)
    assert (found["format"], found["version"]) == ("bootlab-profile", 1)
    assert found["profile"]["goal"]["line"] == TEXT.count("\n")
    assert {one["id"] for one in found["advice"]} >= {"polls-for-file", "sleeps", "helpers"}
    assert "What stands out" in page.read_text()


@pytest.mark.parametrize(
    ("content", "goal", "words"),
    [
        (b"[    0.000000] Linux version 6.1\n", None, "not a log of system calls"),
        (b"\0\xff" * 1000, None, "not a log of system calls"),
        (b"", None, "empty"),
        (TEXT.encode(), "never", "no line contains 'never'"),
    ],
)
def test_what_is_no_such_log(tmp_path, content, goal, words):
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        run(path, *(("--goal", goal) if goal else ()))
    assert caught.value.hint


def test_options_of_logs_are_refused_for_systems(tmp_path):
    with pytest.raises(UserError, match="are for logs"):
        run(tmp_path / "x.toml", "--goal", "x")


def test_analyze_shows_it_too(log):
    said = CliRunner().invoke(make_app(VERBS), ["analyze", str(log)], catch_exceptions=False).stdout
    assert "strace: 13 system calls of 2 processes" in said
