# SPDX-License-Identifier: MIT
"""The program that measures a board: built for each architecture, and run here, over ssh's way, over a console's."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from bootlab.api import calibration as api
from bootlab.boards import calibration
from bootlab.boards.calibration import run_on_console, run_over_ssh
from bootlab.builders.calibrate_program import calibrate_program
from bootlab.builders.guest_program import compiler_name
from bootlab.costs.calibration.document import calibrated
from bootlab.costs.calibration.lines import read_lines
from bootlab.costs.cores import core_of
from bootlab.errors import TargetError, UserError
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.real_board import Board, RemoteHost, SerialPort

USER_MODE = {"x86_64": "qemu-x86_64", "arm": "qemu-arm", "arm64": "qemu-aarch64", "riscv64": "qemu-riscv64"}


def program(arch):
    if shutil.which(compiler_name(arch)) is None:
        pytest.skip(f"no {compiler_name(arch)}: scripts/setup-debian.sh cross")
    return calibrate_program(arch)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_it_is_small(arch):
    assert program(arch).stat().st_size < 100_000


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_an_emulated_processor_is_told_from_a_board(arch):
    if shutil.which(USER_MODE[arch]) is None:
        pytest.skip(f"no {USER_MODE[arch]}: apt-get install qemu-user")
    done = subprocess.run([USER_MODE[arch], program(arch), "--quick", "--once"], capture_output=True, check=True)
    found = calibrated(read_lines(done.stdout))
    assert (found.machine.arch, found.lost) == (arch, 0)
    assert found.machine.emulated
    assert found.core.title.startswith("NO BOARD")


@pytest.fixture(scope="module")
def here():
    """A run on this machine, in a second."""
    return api.calibrate(quick=True)


def test_this_machine_is_a_board(here, tmp_path):
    lines = read_lines(here)
    assert (lines.lost, lines.ended) == (0, True)
    assert here.count(b" begin ") == 2, "each line is printed twice"
    found = api.calibrated(here)
    file = tmp_path / "costs.toml"
    file.write_text(found.text())
    core = core_of(str(file), found.machine.arch)
    assert 0.01 < core.ghz.low <= core.ghz.high < 10
    figures = {name: one.between for name, one in core.core.figures.items()}
    # No times of this machine are asserted, but what is so on every processor.
    assert figures["mul"].high >= figures["alu"].low
    assert figures["l2_hit"].high > figures["l1d_hit"].low
    assert any(name.startswith("device_ns: not measured") for name in found.unknown)


def test_a_medium_is_read_past_the_cache_where_that_works(tmp_path):
    file = tmp_path / "medium"
    file.write_bytes(os.urandom(1 << 20) * 24)
    found = api.calibrated(api.calibrate(quick=True, medium=str(file)))
    assert found.medium is not None
    low, high = found.medium["megabytes_per_s"]
    assert 0 < low <= high
    small = tmp_path / "small"
    small.write_bytes(b"x" * 4096)
    assert "medium: it has less than 16 MiB" in api.calibrated(api.calibrate(quick=True, medium=str(small))).unknown


def test_over_ssh_it_goes_and_leaves_nothing(tmp_path):
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\n[ "$1" = board ] || exit 9\nshift\nexec sh -c "$*"\n')
    ssh.chmod(0o755)
    told: list[str] = []
    before = set(Path("/tmp").iterdir())
    printed = run_over_ssh(RemoteHost(host="board", ssh=(str(ssh),)), ("--quick",), told.append)
    assert read_lines(printed).ended
    assert told
    assert not [one for one in set(Path("/tmp").iterdir()) - before if one.name.startswith("bootlab-calibrate")]
    ssh.write_text("#!/bin/sh\necho no route to host >&2\nexit 255\n")
    with pytest.raises(TargetError, match="no route to host"):
        run_over_ssh(RemoteHost(host="board", ssh=(str(ssh),)), (), told.append)


@pytest.fixture
def shell():
    """A shell behind a line, as on a board's console."""
    master, slave = pty.openpty()
    device = os.ttyname(slave)
    process = subprocess.Popen(["sh", "-c", "cat | sh 2>&1 | cat"], stdin=master, stdout=master, start_new_session=True)
    yield device
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.close(master)
    os.close(slave)


def test_over_a_console_it_goes_through_the_shell(shell):
    board = Board(name="calibrated", serial=SerialPort(device=shell, baud=1_500_000))
    printed = run_on_console(board, ("--quick",), list[str]().append)
    lines = read_lines(printed)
    assert (lines.ended, lines.lost) == (True, 0)


def test_a_console_without_a_shell_is_told(monkeypatch):
    monkeypatch.setattr(calibration, "_ANSWER_S", 0.3)
    master, slave = pty.openpty()
    board = Board(name="silent", serial=SerialPort(device=os.ttyname(slave)))
    stop = threading.Event()
    with pytest.raises(TargetError, match="no shell answered") as raised:
        run_on_console(board, (), list[str]().append, stop=stop)
    assert "log in by hand" in raised.value.hint
    os.close(master)
    os.close(slave)
    with pytest.raises(UserError, match="neither"):
        run_on_console(Board(name="none"), (), list[str]().append)
