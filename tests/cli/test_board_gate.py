# SPDX-License-Identifier: MIT
"""`bootlab boot --board` as a gate, on the virtual board."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.errors import UserError
from bootlab.model.recording import Outcome
from bootlab.systemfile.board_template import board_template
from tests.running_board import RunningBoard


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory):
    with RunningBoard(tmp_path_factory.mktemp("board"), seed=5, speed=8.0) as board:
        yield board


@pytest.fixture
def boot(running: RunningBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BOOTLAB_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BOOTLAB_HISTORY", raising=False)
    words = shlex.join(running.switch_words).replace('"', '\\"')
    file = tmp_path / "board.toml"
    text = board_template("camera", device=str(running.wiring.tty), on=f"{words} on", off=f"{words} off")
    file.write_text(text.replace("login:", "camera: ready").replace("stall_s = 60", "stall_s = 2"), encoding="utf-8")

    def call(*words: str, fault: str = "none"):
        running.ask(f"fault {fault}")
        return CliRunner().invoke(app, ["boot", "--board", str(file), *words])

    return call


def test_boots_of_a_board_keep_a_budget_or_break_it(boot, tmp_path: Path) -> None:
    report = tmp_path / "gate.xml"
    done = boot("--repeat", "5", "--budget", "total=60s", "--junit", str(report), "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["answer"] == "passed"
    assert found["gate"]["boots"][1] == 5
    assert ElementTree.parse(report).getroot().find(".//testcase") is not None
    against = str(tmp_path / "store" / "boots")
    done = boot("--repeat", "5", "--budget", "total=1ms", "--against", against, "--annotate", "github")
    assert done.exit_code == 11
    assert "::error title=budget total::" in done.output


def test_one_boot_of_a_board_proves_nothing(boot) -> None:
    assert boot("--budget", "total=60s").exit_code == 14


def test_a_board_that_hangs_fails(boot) -> None:
    done = boot("--budget", "total=60s", fault="hang")
    assert done.exit_code == 11
    assert "a boot ended as hang" in done.output


def test_boots_without_a_budget_are_shown_with_median_range_and_every_end(boot) -> None:
    done = boot("--repeat", "3")
    assert done.exit_code == 0, done.output
    assert "median of 3" in done.output
    assert "earliest" in done.output
    assert [line.partition(": goal at ")[0] for line in done.output.splitlines() if line.startswith("boot ")] == [
        "boot 1",
        "boot 2",
        "boot 3",
    ]
    failed = boot("--repeat", "2", "--json", fault="hang")
    assert failed.exit_code == Outcome.HANG.exit_code
    document = json.loads(failed.stdout)
    # The board's fault is that of one boot.
    assert [one["outcome"] for one in document["boots"]] == ["hang", "goal"]
    assert document["boots"][0]["reason"]
    assert document["stages"]["facts"]["board_failed"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--budget", "total"], "not NAME=TIME"),
        (["--against", "other.toml"], "judged only against existing boots"),
        (["--against", "nothing-here"], "names no boot"),
        (["--junit", "x.xml"], "something to judge by"),
    ],
)
def test_what_cannot_be_judged_boots_nothing(boot, running: RunningBoard, words: list[str], said: str) -> None:
    before = len(list(running.truth()))
    done = boot(*words)
    assert isinstance(done.exception, UserError)
    assert said in done.exception.message
    assert done.exception.hint
    assert not any(note["event"] == "on" for note in list(running.truth())[before:])
