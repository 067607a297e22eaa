# SPDX-License-Identifier: MIT
"""A machine whose console is there only once it is switched on: a VMM that a command starts."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from bootlab.boards.choose import board_target
from bootlab.boards.reader import NoConsoleDevice
from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.model.recording import Outcome
from bootlab.systemfile.board import load_board
from tests.boards import fake_vmm

TEXT = """
name = "vm"
arch = "x86_64"

[serial]
device = "{device}"
with_power = {with_power}

[power]
on = "{vmm} on {kind} $PWD_OF_TEST/console {how}"
off = "{vmm} off {kind} $PWD_OF_TEST/console {how}"
off_s = 0.1
zero = "command"

[goal]
console = 'guest: ready'

[limits]
total_s = 20.0
stall_s = 2.0
"""


def boot(folder: Path, kind: str, *, how: str = "ready", with_power: str = "true"):
    """Boot the made-up machine once; return its recording."""
    path = folder / "console"
    text = TEXT.replace("$PWD_OF_TEST", str(folder)).format(
        device=f"unix://{path}" if kind == "unix" else path,
        with_power=with_power,
        vmm=f"{sys.executable} -I -S {fake_vmm.__file__}",
        kind=kind,
        how=how,
    )
    (folder / "board.toml").write_text(text)
    file = load_board(folder / "board.toml")
    target = board_target(file.board, Cache(folder / "cache"))
    return target.boot(target.plan(file.system()), folder / "boot", stop=threading.Event())


@pytest.mark.parametrize("kind", ["unix", "pipe", "pty"])
def test_a_console_that_comes_with_the_power_is_read_from_its_first_byte(tmp_path, kind):
    if kind == "pipe":
        os.mkfifo(tmp_path / "console")
    recording = boot(tmp_path, kind)
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    assert recording.console == fake_vmm.LINES
    assert not (tmp_path / "vmm.pid").exists(), "the machine was left on"


def test_a_console_that_never_comes_is_said(tmp_path):
    recording = boot(tmp_path, "unix", how="silent")
    assert recording.meta.outcome is Outcome.NO_CONSOLE
    assert "did not come with the power" in recording.meta.reason
    assert "No such file" in recording.meta.reason
    assert not (tmp_path / "vmm.pid").exists()


def test_a_machine_that_ends_early_takes_its_console_with_it(tmp_path):
    recording = boot(tmp_path, "unix", how="ends")
    assert recording.meta.outcome is Outcome.CONSOLE_LOST
    assert recording.console == b"vmm: started\r\n"


def test_without_the_key_the_error_names_it(tmp_path):
    with pytest.raises(NoConsoleDevice) as caught:
        boot(tmp_path, "unix", with_power="false")
    assert "with_power" in caught.value.hint
    assert not (tmp_path / "vmm.pid").exists()


def test_a_path_that_fits_into_no_socket_is_refused(tmp_path):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with pytest.raises(UserError, match="107 bytes"):
        boot(folder, "unix")
