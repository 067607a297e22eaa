# SPDX-License-Identifier: MIT
"""Boots of the virtual board: every fault is told from every other, nothing has to be mended by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from bootlab.analysis.stages import stages_of, timeline_of
from bootlab.boards.choose import board_target
from bootlab.boards.reader import NoConsoleDevice
from bootlab.boards.virtual.script import FAULTS
from bootlab.builders.cache import Cache
from bootlab.model.cmdline import CommandLine
from bootlab.model.real_board import BoardLimits, Installation, PowerSwitch, SerialPort
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal
from bootlab.model.timeline import SERVICES
from bootlab.recordings import recording_dir
from bootlab.systemfile.board import BoardFile
from tests.running_board import RunningBoard

EXPECTED = {"none": Outcome.GOAL, **FAULTS}
GOAL = Goal(console="camera: ready")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with RunningBoard(tmp_path_factory.mktemp("board"), seed=3, speed=8.0) as board:
        yield board


def boot(running, folder: Path, *, fault: str = "none", stop: threading.Event | None = None, **fields):
    running.ask(f"fault {fault}")
    file = BoardFile(board=running.board(**fields), goal=GOAL)
    system = file.system()
    target = board_target(file.board, Cache(folder / "cache"))
    return target.boot(target.plan(system), folder / "boot", stop=stop or threading.Event())


@pytest.mark.parametrize(
    "fault", [fault if fault in {"none", "baud"} else pytest.param(fault, marks=pytest.mark.slow) for fault in EXPECTED]
)
def test_each_fault_is_what_it_is(running, tmp_path, fault):
    recording = boot(running, tmp_path, fault=fault)
    assert recording.meta.outcome is EXPECTED[fault], recording.meta.reason
    assert running.ask("status").startswith("ok off"), "the board was left on"
    assert recording.meta.goal_clock == "wall"
    assert (recording.meta.goal_ns is not None) == (EXPECTED[fault] is Outcome.GOAL)
    if fault == "baud":
        truth = [note for note in running.truth() if note["event"] == "on" and note["fault"] == "baud"]
        assert f"the board speaks {truth[-1]['baud']} baud" in recording.meta.reason


@pytest.mark.parametrize("fault", ["none", *(pytest.param(f, marks=pytest.mark.slow) for f in ("baud", "unplugged"))])
def test_a_console_behind_a_port_is_read_as_one_on_a_terminal(tmp_path, fault):
    with RunningBoard(tmp_path / "board", seed=3, speed=8.0, port=0) as board:
        recording = boot(board, tmp_path, fault=fault)
        assert board.board().serial.device.startswith("tcp://127.0.0.1:")
        assert board.ask("status").startswith("ok off")
        assert not any(note["lost"] for note in board.truth() if note["event"] == "sent" and fault != "unplugged")
    assert recording.meta.outcome is EXPECTED[fault], recording.meta.reason


@pytest.mark.telling("board")
def test_stages_come_from_arrivals(running, tmp_path):
    recording = boot(running, tmp_path)
    names = [s.name for s in stages_of(recording)]
    # On a busy machine two lines may come as one piece: the stage between them has no length then.
    assert {"firmware", "kernel", "RC scripts"} <= set(names) <= {"firmware", "kernel", "user space", "RC scripts"}
    assert sum(s.duration_ns for s in stages_of(recording)) == recording.meta.goal_ns
    assert {span.clock for span in timeline_of(recording).spans} == {"wall"}
    assert all(line.insns is None for line in recording.lines)
    firsts = [line.first_ns for line in recording.lines]
    assert firsts == sorted(firsts)
    assert recording_dir.load(Path(recording.path), whole=True).marks == recording.marks


@pytest.mark.parametrize("cmdline", ["", "quiet"])
def test_a_loader_that_starts_the_kernel_is_no_service(running, tmp_path, cmdline):
    """`Starting kernel ...` reads like a start script's line, and was the longest service of every board."""
    (running.folder / "cmdline").write_text(cmdline)
    try:
        recording = boot(running, tmp_path)
    finally:
        (running.folder / "cmdline").unlink()
    assert any(line.text == "Starting kernel ..." for line in recording.lines)
    services = [span.name for span in timeline_of(recording).spans if span.lane == SERVICES]
    assert services[0] == "Starting syslogd"
    assert len(services) == 6


def test_the_lines_are_those_that_the_board_sent(running, tmp_path):
    """No byte is lost, none comes from the boot before."""
    first = boot(running, tmp_path / "a", fault="hang")
    recording = boot(running, tmp_path / "b")
    assert first.console
    assert recording.console.startswith(b"U-Boot SPL 2025.01")
    assert recording.console.endswith(b"camera: ready\r\n")
    last = max(note["boot"] for note in running.truth() if note["event"] == "on")
    sent = sum(n["bytes"] for n in running.truth() if n["event"] == "sent" and n["boot"] == last)
    assert len(recording.console) == sent


def test_a_failing_switch_is_said(running, tmp_path):
    refuses = PowerSwitch(on=("sh", "-c", "echo relay 3 is stuck >&2; exit 4"), off=("true",), off_s=0.0)
    recording = boot(running, tmp_path, power=refuses)
    assert recording.meta.outcome is Outcome.POWER_FAILED
    assert "relay 3 is stuck" in recording.meta.reason
    assert recording.meta.host_limit, "the switch says nothing of the system"


def test_an_installation_is_rolled_back_after_a_failed_boot(running, tmp_path):
    log = tmp_path / "log"

    def say(word: str) -> tuple[str, ...]:
        return ("sh", "-c", f'echo {word} "$BOARD_CMDLINE" >> {log}')

    how = Installation(
        parts=(("cmdline", say("cmdline")),), once=say("once"), confirm=say("confirm"), roll_back=say("roll_back")
    )
    file = BoardFile(board=running.board(install=how, cmdline="quiet"), goal=GOAL)
    system = file.system()
    assert system.cmdline == CommandLine.parse("quiet") or str(system.cmdline) == "quiet"
    target = board_target(file.board, Cache(tmp_path / "cache"))
    for number, fault in enumerate(("none", "panic")):
        running.ask(f"fault {fault}")
        target.boot(target.plan(system), tmp_path / str(number), stop=threading.Event())
    words = log.read_text().split("\n")
    assert words == [
        "cmdline quiet",
        "once quiet",
        "confirm quiet",
        "cmdline quiet",
        "once quiet",
        "roll_back quiet",
        "",
    ]


def test_what_cannot_be_installed_boots_nothing(running, tmp_path):
    how = Installation(parts=(("cmdline", ("false",)),))
    recording = boot(running, tmp_path, install=how, cmdline="quiet")
    file = BoardFile(board=running.board(install=how, cmdline="quiet"), goal=GOAL)
    assert file.system().cmdline.params
    assert recording.meta.outcome is Outcome.NOT_INSTALLED
    assert recording.console == b""


def test_a_stop_from_outside_ends_the_boot_and_the_power(running, tmp_path):
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    recording = boot(running, tmp_path, fault="silent", stop=stop)
    assert recording.meta.outcome is Outcome.INTERRUPTED
    assert running.ask("status").startswith("ok off")


def test_a_device_that_is_not_there_is_an_error_with_a_way_out(running, tmp_path):
    with pytest.raises(NoConsoleDevice) as caught:
        boot(running, tmp_path, serial=SerialPort(device=str(tmp_path / "ttyUSB7")))
    assert "No such file" in caught.value.message
    assert "plugged in" in caught.value.hint


def test_power_goes_off_when_bootlab_is_killed(running, tmp_path):
    """SIGKILL runs no code of bootlab's: the reader does it."""
    running.ask("fault silent")
    script = (
        "import sys, threading\nfrom pathlib import Path\nimport msgspec\n"
        "from bootlab.builders.cache import Cache\nfrom bootlab.model.real_board import Board\n"
        "from bootlab.model.system import Goal\nfrom bootlab.systemfile.board import BoardFile\n"
        "from bootlab.boards.choose import board_target\n"
        "board = msgspec.json.decode(sys.argv[1], type=Board)\n"
        "system = BoardFile(board=board, goal=Goal(console='never')).system()\n"
        "target = board_target(board, Cache(Path(sys.argv[2])))\n"
        "target.boot(target.plan(system), Path(sys.argv[2]) / 'boot', stop=threading.Event())\n"
    )
    # No limit of the boot's own may switch the board off before the kill, however slow this machine is.
    limits = BoardLimits(total_s=3600.0, stall_s=3600.0, prompt_s=3600.0)
    described = msgspec.json.encode(running.board(limits=limits)).decode()
    process = subprocess.Popen([sys.executable, "-c", script, described, str(tmp_path)], env=dict(os.environ))
    try:
        wait_for(lambda: running.ask("status").startswith("ok on"))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_for(lambda: running.ask("status").startswith("ok off"))


def wait_for(holds) -> None:
    until = time.monotonic() + 280
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_boots(tmp_path):
    told = []
    for name in ("a", "b"):
        with RunningBoard(tmp_path / name, seed=9, speed=50.0, faults=(("hang", 0.5),), paced=False) as board:
            for _ in range(6):
                board.ask("on")
                board.ask("off")
            told.append([note["fault"] for note in board.truth() if note["event"] == "on"])
    assert told[0] == told[1]
    assert len(set(told[0])) == 2
    json.dumps(told)
