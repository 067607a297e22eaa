# SPDX-License-Identifier: MIT
"""The verbs of CI on recordings: exit codes, files, JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.cli import __main__ as program
from tests.conftest import REPLAYED


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOTLAB_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BOOTLAB_HISTORY", raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*words: str):
        return CliRunner().invoke(program.app, [str(word) for word in words])

    return call


@pytest.fixture
def quiet(tmp_path) -> Path:
    text = REPLAYED.read_text(encoding="utf-8").replace("panic=-1", "panic=-1 quiet")
    file = tmp_path / "quiet.toml"
    file.write_text(text.replace('"fixture"', f'"{REPLAYED.parent / "fixture"}"'), encoding="utf-8")
    return file


@pytest.mark.telling("gate")
def test_a_gate_passes_fails_and_stays_undecided(run):
    assert run("gate", REPLAYED, "--budget", "total=4s").exit_code == 0
    assert run("gate", REPLAYED, "--budget", "total=3s", "--budget", "kernel=3s").exit_code == 11
    assert run("gate", REPLAYED, "--budget", "nothing=3s").exit_code == 14
    assert run("gate", "last", "--budget", "kernel=3s").exit_code == 0


def test_boot_is_a_gate_too_and_writes_reports(run, tmp_path):
    done = run("boot", REPLAYED, "--budget", "total=3s", "--junit", "gate.xml", "--annotate", "github")
    assert done.exit_code == 11
    assert "::error title=budget total::" in done.output
    assert b"<failure" in (tmp_path / "gate.xml").read_bytes()
    done = run("boot", REPLAYED, "--budget", "total=4s", "--annotate", "gitlab")
    assert done.exit_code == 0
    assert json.loads((tmp_path / "gl-code-quality-report.json").read_text()) == []


def test_against_another_system(run, quiet):
    done = run("gate", REPLAYED, "--against", quiet, "--json")
    assert done.exit_code == 11
    found = json.loads(done.stdout)
    assert found["answer"] == "failed"
    assert found["gate"]["compared"][0]["judged"]["verdict"] == "slower"
    assert run("gate", quiet, "--against", REPLAYED, "--budget", "total=+1%").exit_code == 0
    assert run("boot", REPLAYED, "--against", quiet).exit_code == 11


def test_the_history_is_a_base(run, quiet, tmp_path):
    run("boot", quiet)
    assert run("history", "add", "last", "--system", "small", "--revision", "v1").exit_code == 0
    run("boot", REPLAYED)
    # One exact boot of each side proves nothing; nor does a replay, which holds no others.
    assert run("gate", "last", "--against", "history", "--kcidb", "k.json").exit_code == 14
    assert run("gate", REPLAYED, "--against", "history").exit_code == 14
    assert json.loads((tmp_path / "k.json").read_text())["version"] == {"major": 5, "minor": 3}
    added = json.loads(run("history", "add", "last", "--system", "small", "--revision", "v2", "--json").stdout)
    assert added == {"added": 1, "known": 0, "system": "small", "revision": "v2"}
    done = run("compare", "rev:v1", "rev:v2")
    assert done.exit_code == 0
    assert "unknown against rev:v1: +" in done.output
    shown = run("history", "show", "small")
    assert "v1 -> v2" in shown.output
    assert "cmdline:" in shown.output
    assert len(json.loads(run("history", "show", "small", "--stage", "kernel", "--json").stdout)["trends"]) == 1
    assert run("history", "show", "--system", "small").stdout == shown.stdout
    assert run("history", "show", "small", "--system", "other").exit_code != 0
    assert run("history", "export", "--csv", "-").stdout.count("\n") == 18
    assert run("history", "prune", "--recordings-older", "90").exit_code == 0
    shutil.rmtree(tmp_path / "store" / "boots")
    assert run("compare", "rev:v1", "rev:v2").exit_code == 0


def test_costs_that_a_kept_base_leaves_out_are_named(run, quiet):
    run("history", "add", quiet, "--system", "small", "--revision", "v1")
    with quiet.open("a", encoding="utf-8") as file:
        file.write("\n[costs.console]\nbaud = 115200\n")
    assert "is not counted: the base was booted before" in run("gate", quiet, "--against", "history").output


def test_a_history_of_boots_under_dithers_is_a_base(run, quiet):
    added = json.loads(run("history", "add", quiet, "--system", "small", "--revision", "v1", "--json").stdout)
    assert added == {"added": 5, "known": 0, "system": "small", "revision": "v1"}
    assert run("history", "add", quiet, "--system", "small", "--revision", "v1").output.endswith("0 added, 5 known\n")
    same = json.loads(run("gate", quiet, "--against", "history", "--json").stdout)
    assert (same["answer"], same["gate"]["boots"], same["gate"]["moved_ns"] > 0) == ("passed", [5, 1], True)
    slower = run("gate", REPLAYED, "--against", "history", "--json")
    assert slower.exit_code == 11
    assert json.loads(slower.stdout)["gate"]["boots"] == [5, 5]
    # A boot that was made before is judged by the same ones: alone it cannot be shown to be slower.
    run("boot", REPLAYED)
    assert run("gate", "last", "--against", "history").exit_code == 14
    run("boot", quiet)
    assert run("gate", "last", "--against", "history").exit_code == 0
    # The dithers of a revision are no changes of level.
    shown = run("history", "show", "small").output
    assert "one boot reached its goal: there is nothing to compare" in shown
    assert "what means nothing moves a boot by up to" in shown


@pytest.mark.parametrize(
    "words",
    [
        ("gate", "last"),
        ("gate", "nothing", "--budget", "total=3s"),
        ("gate", REPLAYED, "--budget", "total"),
        ("gate", REPLAYED, "--budget", "total=+1%"),
        ("gate", REPLAYED, "last", "--budget", "total=1s"),
        ("gate", REPLAYED, "--budget", "total=1s", "--annotate", "sourcehut"),
        ("boot", REPLAYED, "--junit", "x.xml"),
        ("history", "show", "nothing"),
        ("history", "export"),
        ("bisect", "HEAD~1..HEAD"),
        ("bisect", "x.toml"),
    ],
)
def test_what_is_wrong_is_said_with_a_hint(run, words):
    done = run(*words)
    error = done.exception
    assert error is not None
    assert getattr(error, "exit_code", 2) == 2
    assert getattr(error, "hint", "x")


@pytest.mark.telling("bisect")
def test_bisect_over_system_files(run, quiet):
    done = run("bisect", quiet, REPLAYED, "--no-functions", "--json")
    assert done.exit_code == 11
    assert json.loads(done.stdout)["culprit"]["name"] == str(REPLAYED)
    assert run("bisect", quiet, quiet, "--no-functions").exit_code == 0


def test_pages_of_gate_compare_and_history(run, quiet, tmp_path):
    assert run("gate", REPLAYED, "--against", quiet, "--budget", "kernel=1s", "--html", "gate.html").exit_code == 11
    text = (tmp_path / "gate.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert '"failed","","answer","slower"' in text
    assert '"0 of 1"' in text
    assert run("boot", REPLAYED).exit_code == 0
    assert run("compare", "last", "last", "--html", "compare.html").exit_code == 0
    assert '"same","","verdict on the whole boot","same"' in (tmp_path / "compare.html").read_text(encoding="utf-8")
    assert run("history", "add", "last", "--system", "small", "--revision", "v1").exit_code == 0
    assert run("history", "show", "small", "--html", "history.html").exit_code == 0
    assert '"History"' in (tmp_path / "history.html").read_text(encoding="utf-8")
    assert "<!doctype html>" in run("compare", "last", "last", "--html", "-").stdout
    assert run("history", "show", "--html", "x.html").exit_code != 0
    assert not (tmp_path / "x.html").exists()
