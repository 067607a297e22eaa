# SPDX-License-Identifier: MIT
"""One process that never outlives bootlab."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bootlab.errors import EnvironmentFault
from bootlab.launch.process import EmulatorProcess


def gone(pid: int) -> bool:
    """Wait until a process has ended (a zombie has)."""
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_it_is_killed_with_its_children_when_the_block_is_left(tmp_path):
    command = ["sh", "-c", "sleep 300 & echo $!; wait"]
    with EmulatorProcess(command, folder=tmp_path, log=tmp_path / "log") as process:
        while not process.words():
            time.sleep(0.01)
        child = int(process.words())
        assert process.exit_code is None
    assert process.exit_code == -signal.SIGKILL
    assert gone(child)
    process.kill()


def test_exit_code_and_words(tmp_path):
    with EmulatorProcess(["sh", "-c", "echo sorry >&2; exit 3"], folder=tmp_path, log=tmp_path / "log") as process:
        while process.exit_code is None:
            time.sleep(0.01)
        assert (process.exit_code, process.words()) == (3, "sorry")
    (tmp_path / "log").unlink()
    assert process.words() == ""


def test_no_such_program(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _name: None)
    process = EmulatorProcess([str(tmp_path / "no")], folder=tmp_path, log=tmp_path / "log")
    with pytest.raises(EnvironmentFault, match="cannot start"), process:
        pass
    assert process.exit_code is None
    process.kill()


def test_it_does_not_start_when_its_parent_is_gone_already(tmp_path, monkeypatch):
    # Killed between the fork and the moment at which the kernel is told: the parent is another process then.
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with EmulatorProcess(["sh", "-c", "echo started"], folder=tmp_path, log=tmp_path / "log") as process:
        while process.exit_code is None:
            time.sleep(0.01)
        assert (process.exit_code, process.words()) == (1, "")


def test_it_dies_with_a_parent_that_is_killed(tmp_path):
    parent = (
        "import pathlib, sys, time\nfrom bootlab.launch.process import EmulatorProcess\n"
        "f = pathlib.Path(sys.argv[1])\n"
        "with EmulatorProcess(['sh', '-c', 'echo $$; exec sleep 300'], folder=f, log=f / 'log'):\n    time.sleep(300)\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent, str(tmp_path)]) as outer:
        log = tmp_path / "log"
        while not (log.exists() and log.read_text().endswith("\n")):
            assert outer.poll() is None
            time.sleep(0.01)
        pid = int(log.read_text())
        os.kill(outer.pid, signal.SIGKILL)
    assert gone(pid)
