# SPDX-License-Identifier: MIT
"""`bootlab board virtual`: the goal in the board's file is one that its boots print."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.boards.virtual.program import VirtualBoard
from bootlab.cli.__main__ import app
from bootlab.errors import UserError
from bootlab.systemfile.board import load_board

LOG = """[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1
[    0.000000] Kernel command line: console=ttyS0
[    0.400000] Run /sbin/init as init process
Starting web server: OK
Camera (front) is ready
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The board is described; nobody has to serve it.
    monkeypatch.setattr(VirtualBoard, "__init__", lambda self, wiring: None)
    monkeypatch.setattr(VirtualBoard, "device", "tty")
    monkeypatch.setattr(VirtualBoard, "run", lambda self: None)
    return tmp_path / "board"


def goal(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(app, ["board", "virtual", str(folder), *words])
    assert done.exit_code == 0, done.output
    found = load_board(folder / "board.toml").goal
    assert found is not None
    return found.console


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(app, ["board", "virtual", str(tmp_path), "--port", port])
    assert isinstance(done.exception, UserError)
    assert "in use" in done.exception.message
    assert "--port" in done.exception.hint
    assert not (tmp_path / "board.toml").exists()


def test_a_board_that_is_made_up_says_its_own_goal(folder):
    assert goal(folder) == "camera: ready"


def test_a_log_gives_its_goal(folder, tmp_path):
    (tmp_path / "boot.log").write_text(LOG)
    assert goal(folder, "--log", str(tmp_path / "boot.log")) == r"Camera \(front\) is ready"


def test_a_goal_that_is_given_counts(folder, tmp_path):
    (tmp_path / "boot.log").write_text(LOG)
    assert goal(folder, "--log", str(tmp_path / "boot.log"), "--goal", 'web "server"') == 'web "server"'


def test_a_log_without_a_boot_makes_no_board(folder, tmp_path):
    (tmp_path / "boot.log").write_text("GET / HTTP/1.1\n")
    done = CliRunner().invoke(app, ["board", "virtual", str(folder), "--log", str(tmp_path / "boot.log")])
    assert done.exit_code != 0
    assert not folder.exists()
