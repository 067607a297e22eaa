# SPDX-License-Identifier: MIT
"""Board files: what they say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bootlab.errors import SystemFileError
from bootlab.model.board_parts import changed_parts, deliverable, why_not
from bootlab.model.change import SetKernelForm, SetParam
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.systemfile.board import load_board
from bootlab.systemfile.board_template import board_template
from bootlab.systemfile.raw_board import (
    RawBoard,
    RawBoardLimits,
    RawCapture,
    RawInstall,
    RawLabgrid,
    RawPower,
    RawSerial,
    RawSsh,
)

REPOSITORY = Path(__file__).resolve().parents[1]
SERIAL = '[serial]\ndevice = "tty"\n[power]\non = "true"\noff = ["relay", "off"]\n'


def read(tmp_path: Path, text: str):
    path = tmp_path / "board.toml"
    path.write_text(text)
    return load_board(path, environ={"HOST": "lab"})


def test_a_serial_board(tmp_path):
    file = read(tmp_path, 'name = "camera"\ncmdline = "quiet"\n[goal]\nconsole = "login:"\n' + SERIAL)
    board = file.board
    assert board.reach == "serial"
    assert board.serial.device == str(tmp_path / "tty")
    assert board.power.on == ("sh", "-c", "true")
    assert board.power.off == ("relay", "off")
    system = file.system()
    assert (system.target, system.clock.mode, system.board) == ("serial", "free", board)
    assert str(system.cmdline) == "quiet"
    assert system.limits.wall_s == board.limits.total_s


def test_a_system_keeps_what_the_board_does_not_say(tmp_path):
    file = read(tmp_path, 'name = "camera"\n' + SERIAL)
    given = SystemDescription(name="demo", kernel=Kernel(image="bzImage"), goal=Goal(console="up"))
    system = file.system(given)
    assert (system.name, system.goal, system.kernel) == ("demo", given.goal, given.kernel)
    with pytest.raises(SystemFileError, match="when the board is up"):
        file.system()


def test_other_ways(tmp_path):
    found = read(tmp_path, 'name = "a"\n[labgrid]\nplace = "a"\ncoordinator = "$HOST:20408"\nreserve = { board = "x" }')
    assert found.board.labgrid.coordinator == "lab:20408"
    assert found.board.labgrid.reserve == (("board", "x"),)
    assert read(tmp_path, 'name = "a"\n[ssh]\nhost = "root@$HOST"').board.ssh.host == "root@lab"
    remote = read(tmp_path, 'name = "a"\n[ssh]\nhost = "b"\ncommand = "ssh -i \'my key\' -p 22"').board.ssh
    assert remote.ssh == ("ssh", "-i", "my key", "-p", "22"), "host and command are put behind these words"
    assert read(tmp_path, 'name = "a"\nrecordings = "."').board.reach == "replay"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this key must be given"),
        ('name = "a"', "nothing says how"),
        ('name = "a"\n[serial]\ndevice = "tty"', r"\[serial\] needs \[power\]"),
        ('name = "a"\nrecordings = "."\n' + SERIAL, "several ways"),
        ('name = "a"\n[serial]\ndevice = "tty"\nbuad = 9600', 'unknown key "buad"'),
        ('name = "a"\n[serial]\ndevice = "udp://x:1"\n[power]\non="true"\noff="true"', "is not a device"),
        ('name = "a"\n[serial]\ndevice = "t"\n[power]\non=""\noff="true"', "a command is needed"),
        ('name = "a"\n[ssh]\nhost = "-oProxyCommand=x"', "is not a host"),
        ('name = "a"\n[ssh]\nhost = "b"\ncommand = "ssh \'x"', "ssh.command"),
        ('name = "a"\n[ssh]\nhost = "b"\ncollect = { "../x" = "y" }', "not a file name"),
        ('name = "a b"\nrecordings = "."', "cannot be a name"),
        ('name = "a"\nrecordings = "none"', "no folder"),
        ('name = "a"\nrecordings = "."\n[goal]\nconsole = "("', "not a regular expression"),
        ('name = "a"\nrecordings = "."\n[capture]\nshared = "D0"\nmarks = {}', "not an edge"),
        ('name = "a"\nrecordings = "."\n[limits]\nkernels = 0', "limits.kernels"),
        ("\xff", "nvalid statement"),
        ("name = ", "board.toml"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, text, said):
    with pytest.raises(SystemFileError, match=said):
        read(tmp_path, text)


def test_rubbish(tmp_path):
    path = tmp_path / "board.toml"
    path.write_bytes(bytes(range(256)) * 8)
    with pytest.raises(SystemFileError):
        load_board(path)
    with pytest.raises(SystemFileError, match="this is a folder"):
        load_board(tmp_path)


def test_the_template_is_a_board(tmp_path):
    file = read(tmp_path, board_template("camera", device="/dev/ttyUSB0"))
    assert file.board.name == "camera"
    assert file.goal.console == "login:"


def test_every_key_is_in_the_reference():
    text = (REPOSITORY / "docs" / "reference" / "board-file.md").read_text(encoding="utf-8")
    for table in (RawBoard, RawSerial, RawPower, RawLabgrid, RawSsh, RawInstall, RawCapture, RawBoardLimits):
        for key in table.__struct_fields__:
            assert f"`{key}`" in text or f"`[{key}]`" in text, f"{table.__name__}: {key}"


def test_what_a_board_can_be_given(tmp_path):
    install = "[install]\ncmdline = 'echo $BOARD_CMDLINE'\n"
    file = read(tmp_path, 'name = "a"\n[goal]\nconsole = "up"\n' + SERIAL + install)
    system = file.system()
    assert deliverable(file.board) == {"cmdline"}
    quiet, other = SetParam("quiet").apply(system), SetKernelForm("vmlinux").apply(system)
    assert changed_parts(system, quiet) == {"cmdline"}
    assert why_not(system, quiet, file.board) == ""
    assert "kernel" in why_not(system, other, file.board)
