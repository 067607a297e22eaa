# SPDX-License-Identifier: MIT
"""Off means off: switches that hang, fail, answer late and lie, and a bootlab that is killed at every stage."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from bootlab.boards import command, guard, left_on
from bootlab.boards.choose import board_target
from bootlab.boards.command import CommandFailed, run
from bootlab.boards.holder import holder_of
from bootlab.boards.lock import BoardBusy, BoardLock
from bootlab.builders.cache import Cache
from bootlab.model.real_board import BoardLimits, Installation, PowerSwitch
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal
from bootlab.systemfile.board import BoardFile
from bootlab.views.board_holder_text import holder_line
from tests.running_board import RunningBoard

GOAL = Goal(console="camera: ready")


@pytest.fixture
def running(tmp_path):
    with RunningBoard(tmp_path / "board", seed=3, speed=8.0) as board:
        yield board
    left_on.remember("virtual", "")


def boot(running, folder: Path, *, fault: str = "none", **fields):
    running.ask(f"fault {fault}")
    file = BoardFile(board=running.board(**fields), goal=GOAL)
    system = file.system()
    target = board_target(file.board, Cache(folder / "cache"), system)
    return target.boot(target.plan(system), folder / "boot", stop=threading.Event())


def script(running, text: str, verb: str = "on") -> tuple[str, ...]:
    """Return a command of the shell; `$SWITCH` switches the board."""
    return ("sh", "-c", f"SWITCH='{' '.join(running.switch_words)}'\n{text}", verb)


def wait_for(holds) -> None:
    until = time.monotonic() + 280
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def switches(running, **fields) -> PowerSwitch:
    words = running.switch_words
    return PowerSwitch(**({"on": (*words, "on"), "off": (*words, "off"), "off_s": 0.02} | fields))


# Commands


@pytest.mark.parametrize("how", ["", "setsid "])
def test_nothing_of_a_command_lives_on_after_its_limit(tmp_path, how):
    """Not its children either, in whatever session they run."""
    late = tmp_path / "late"
    with pytest.raises(CommandFailed, match=r"did not end within 0\.3 s"):
        run(("sh", "-c", f"{how}sh -c 'sleep 1; touch {late}' & sleep 60"), timeout_s=0.3)
    time.sleep(1.5)
    assert not late.exists()
    assert guard.marked(command.OWN_MARK) == []


def test_what_a_failed_command_left_behind_ends_too(tmp_path):
    with pytest.raises(CommandFailed, match="ended with 3: no such port"):
        run(("sh", "-c", "sleep 60 & echo no such port; exit 3"), timeout_s=30)
    assert guard.marked(command.OWN_MARK) == []


def test_a_good_command_may_leave_a_program_behind_and_is_not_waited_for():
    """A switch that starts a server of its own: it holds the output open."""
    began = time.monotonic()
    try:
        assert run(("sh", "-c", "sleep 200 & echo done"), timeout_s=100) == "done\n"
        assert time.monotonic() - began < 90
        assert len(guard.marked(command.OWN_MARK)) == 1
    finally:
        assert guard.end_marked(command.OWN_MARK) == []


def test_a_process_that_becomes_another_program_is_seen_all_the_same():
    """While execve changes the program, /proc shows no environment."""
    words = ("sh", "-c", 'exec sh -c "$0" "$0"', 'exec sh -c "$0" "$0"')
    process = subprocess.Popen(words, env=command.marked_environment(command.next_mark()))
    try:
        assert all(process.pid in guard.marked(command.OWN_MARK) for _ in range(300))
    finally:
        assert guard.end_marked(command.OWN_MARK) == []
        process.wait()


# Switches


def test_an_on_that_overruns_its_limit_does_not_switch_on_later(running, tmp_path):
    slow = switches(running, on=script(running, "sleep 1.5; $SWITCH on"), timeout_s=0.5)
    recording = boot(running, tmp_path, power=slow)
    assert recording.meta.outcome is Outcome.POWER_FAILED
    assert "did not end within 0.5 s" in recording.meta.reason
    time.sleep(2.0)
    assert running.ask("status").startswith("ok off")


@pytest.mark.slow
def test_an_on_that_works_late_is_switched_off_again(running, tmp_path):
    """The switch has taken the order and carries it out when bootlab has given up: nothing of ours can be killed."""
    order = tmp_path / "order"
    worker = subprocess.Popen(
        ["sh", "-c", f"while ! test -e {order}; do sleep 0.05; done; sleep 1.5; {' '.join(running.switch_words)} on"]
    )
    late = switches(running, on=("sh", "-c", f"touch {order}; sleep 60"), timeout_s=0.3)
    recording = boot(running, tmp_path, power=late)
    worker.wait()
    assert recording.meta.outcome is Outcome.POWER_FAILED
    assert running.ask("status").startswith("ok off 1"), "it was on, and is off"


def test_an_off_that_fails_once_is_tried_again(running, tmp_path):
    once = script(running, f"test -e {tmp_path}/tried || {{ touch {tmp_path}/tried; echo busy; exit 1; }}; $SWITCH off")
    recording = boot(running, tmp_path, power=switches(running, off=once))
    assert recording.meta.outcome is Outcome.GOAL
    assert running.ask("status").startswith("ok off")
    assert left_on.boards() == {}


@pytest.mark.parametrize(
    ("off", "said"),
    [
        ("test -e {once} || exit 0; echo the relay is stuck; exit 1", "ended with 1: the relay is stuck"),
        pytest.param("test -e {once} || exit 0; sleep 60", "did not end within", marks=pytest.mark.slow),
    ],
)
def test_a_board_that_stays_on_is_an_end_of_its_own(running, tmp_path, off, said):
    """The boot was good: it is not the exit code of a good boot all the same."""
    once = tmp_path / "once"
    power = switches(
        running,
        on=script(running, f"touch {once}; $SWITCH on"),
        off=script(running, off.format(once=once)),
        timeout_s=5.0,
    )
    recording = boot(running, tmp_path, power=power)
    assert recording.meta.outcome is Outcome.LEFT_ON
    assert recording.meta.outcome.exit_code == 57
    assert recording.by_host
    assert not recording.ok
    assert said in recording.meta.reason
    assert "the boot itself ended as goal" in recording.meta.reason
    assert recording.meta.goal_ns
    assert said in left_on.sentences()[0]
    assert left_on.sentences()[0].startswith("THE BOARD virtual MAY STILL BE ON: ")


@pytest.mark.slow
def test_an_off_that_lies_is_heard(running, tmp_path):
    """It returns 0, and the board goes on printing lines."""
    lies = switches(running, off=("true",), off_s=1.2)
    recording = boot(running, tmp_path, fault="reboot-loop", power=lies)
    assert recording.meta.outcome is Outcome.LEFT_ON, recording.meta.reason
    assert "returned 0, but the board goes on printing" in recording.meta.reason
    assert "ended as rebooted" in recording.meta.reason


def test_a_board_that_was_never_off_is_not_measured(running, tmp_path):
    """It is in the middle of its boot when "power comes": its kernel's clock says so."""
    log = tmp_path / "log"
    lines = [f"[   93.{n}00000] camera: {'still here' if n < 9 else 'ready'}" for n in range(2, 10)]
    log.write_text("\n".join(lines))
    with RunningBoard(tmp_path / "on", log=log, speed=1000.0) as board:
        recording = boot(board, tmp_path)
    assert recording.meta.outcome is Outcome.POWER_FAILED
    assert "the board was not off before this boot: its kernel's clock was at 93.200 s" in recording.meta.reason


def test_an_on_that_lies_is_a_board_without_a_word(running, tmp_path):
    recording = boot(running, tmp_path, power=switches(running, on=("true",)))
    assert recording.meta.outcome is Outcome.NO_CONSOLE
    assert running.ask("status").startswith("ok off 0")


def test_the_command_line_ends_with_the_code_of_a_board_that_is_on(running, tmp_path):
    """In JUnit too, and with a line that nobody can miss."""
    file = tmp_path / "board.toml"
    words = " ".join(running.switch_words)
    off = f"test -e {tmp_path}/once || exit 0; exit 1"
    file.write_text(
        f'name = "camera"\n[serial]\ndevice = "{running.device}"\n[goal]\nconsole = "camera: ready"\n'
        f'[power]\non = "touch {tmp_path}/once; {words} on"\noff = "{off}"\noff_s = 0.02\n'
    )
    junit = tmp_path / "junit.xml"
    command = [sys.executable, "-m", "bootlab.cli", "boot", "--board", str(file), "--store", str(tmp_path / "store")]
    gated = [*command, "--budget", "total=60s", "--junit", str(junit)]
    for asked in (command, gated):
        (tmp_path / "once").unlink(missing_ok=True)
        running.ask("off")
        done = subprocess.run(asked, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"})
        assert done.returncode == 57, done.stdout + done.stderr
        assert done.stderr.strip().splitlines()[-1].startswith("THE BOARD camera MAY STILL BE ON: ")
    assert "MAY STILL BE ON" in junit.read_text()
    assert "<error" in junit.read_text()


# Killed

KILLED = """
import os, sys, threading
from pathlib import Path
import msgspec
from bootlab.builders.cache import Cache
from bootlab.model.cmdline import CommandLine
from bootlab.model.real_board import Board
from bootlab.model.system import Goal
from bootlab.systemfile.board import BoardFile
from bootlab.boards.choose import board_target
board = msgspec.json.decode(sys.argv[1], type=Board)
system = BoardFile(board=board, goal=Goal(console='never')).system()
target = board_target(board, Cache(Path(sys.argv[2])), system)
target.boot(target.plan(system), Path(sys.argv[2]) / 'boot', stop=threading.Event())
"""
STAGES = ("off", "install", "on", "on-late", "boot", "off-at-the-end", "finish")


@pytest.mark.parametrize("stage", [s if s == "on-late" else pytest.param(s, marks=pytest.mark.slow) for s in STAGES])
def test_a_bootlab_killed_at_any_stage_leaves_nothing_on_running_or_locked(running, tmp_path, stage):
    """SIGKILL runs no code of bootlab's."""
    here, count = tmp_path / "here", tmp_path / "count"
    hang = f"touch {here}; sleep 300"

    def at(name: str, text: str, *, after: str = "") -> tuple[str, ...]:
        return script(running, f"{hang if stage == name else ''}\n{text}\n{after if stage == name else ''}")

    # The guard's own `off` comes when `count` says that bootlab is gone.
    off = f"if test -e {count}; then $SWITCH off; exit; fi\n"
    first = f"{off}{hang}" if stage == "off" else f"{off}$SWITCH off"
    last = f"if test -e {tmp_path}/was-on; then {hang}; fi\n" if stage == "off-at-the-end" else ""
    late = f"(touch {here}; sleep 1; $SWITCH on) & wait" if stage == "on-late" else ""
    power = PowerSwitch(
        on=script(running, late or f"touch {tmp_path}/was-on; $SWITCH on\n{hang if stage == 'on' else ''}"),
        off=script(running, f"{off}{last}{first}"),
        off_s=0.02,
        timeout_s=280.0,
    )
    how = Installation(
        parts=(("cmdline", at("install", f"touch {tmp_path}/installed")),),
        roll_back=script(running, f"touch {tmp_path}/rolled-back\n{hang if stage == 'finish' else ''}"),
        timeout_s=280.0,
    )
    quick = stage in {"off-at-the-end", "finish"}
    limits = BoardLimits(total_s=1.0 if quick else 3600.0, stall_s=3600.0, prompt_s=3600.0, wait_s=280.0)
    running.ask("fault silent")
    board = running.board(power=power, install=how, limits=limits, cmdline="quiet")
    program = [sys.executable, "-c", KILLED, msgspec.json.encode(board).decode(), str(tmp_path)]
    process = subprocess.Popen(program, env=dict(os.environ))
    try:
        wait_for(lambda: running.ask("status").startswith("ok on") if stage == "boot" else here.exists())
    finally:
        count.touch()
        (tmp_path / "was-on").unlink(missing_ok=True)
        process.send_signal(signal.SIGKILL)
        process.wait()
    # The guard holds the lock until all is done.
    with BoardLock(board, threading.Event()):
        assert running.ask("status").startswith("ok off")
    time.sleep(1.5)
    assert running.ask("status").startswith("ok off"), "a late command switched it on again"
    ours = f"{guard.MARK}={process.pid}-".encode()
    assert not [p for p in Path("/proc").glob("[0-9]*/environ") if ours in _read(p)], "something runs on"
    if stage not in {"off"}:
        assert (tmp_path / "rolled-back").exists()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


# Two at once


def test_two_bootlabs_on_one_board_take_turns(running, tmp_path):
    """Neither switches off what the other boots."""
    recordings = {}

    def one(name: str) -> None:
        recordings[name] = boot(running, tmp_path / name)

    threads = [threading.Thread(target=one, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {r.meta.outcome for r in recordings.values()} == {Outcome.GOAL}
    events = [note["event"] for note in running.truth() if note["event"] in {"on", "off"}]
    assert events == ["on", "off", "on", "off"]


def test_who_waits_too_long_for_a_board_is_told_who_has_it(running, tmp_path):
    board = running.board(limits=BoardLimits(wait_s=0.2))
    # A terminal's number is soon given anew, and the guard of who had it before may hold the lock a moment longer.
    patient = running.board(limits=BoardLimits(wait_s=300.0))
    heard: list[str] = []
    with BoardLock(patient, threading.Event()):
        with pytest.raises(BoardBusy, match=rf"process {os.getpid()}\) has had the board virtual"):
            BoardLock(board, threading.Event(), heard.append).__enter__()
        assert "has the board" in heard[0]
        stop = threading.Event()
        stop.set()
        with pytest.raises(BoardBusy, match="stopped while"):
            BoardLock(board, stop).__enter__()
    with BoardLock(patient, threading.Event()):
        pass


def test_who_has_a_board_is_told_without_waiting(running):
    board = running.board()
    assert holder_line(holder_of(board)).endswith(": free")
    with BoardLock(board, threading.Event()):
        holder = holder_of(board)
        assert (holder.held, holder.process) == (True, os.getpid())
        assert holder.since is not None
        assert 0 < time.time() - holder.since < 86_400
        assert f"process {os.getpid()}: " in holder_line(holder)
    assert not holder_of(board).held


def test_who_waits_for_a_board_is_counted(running):
    board = running.board(limits=BoardLimits(wait_s=300.0))
    stop, waits = threading.Event(), threading.Event()

    def wait() -> None:
        with contextlib.suppress(BoardBusy):
            BoardLock(board, stop, lambda _: waits.set()).__enter__()

    with BoardLock(board, threading.Event()):
        assert holder_of(board).waiting == ()
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert waits.wait(300)
        holder = holder_of(board)
        stop.set()
        waiting.join()
    assert holder.waiting == (os.getpid(),)
    assert holder_line(holder).endswith(f"; 1 waiting (process {os.getpid()})")


def test_a_board_whose_bootlab_was_killed_is_its_guards(running):
    """The lock outlives the process that took it; nobody is named who is not there."""
    board = running.board()
    with BoardLock(board, threading.Event()) as lock:
        ended = subprocess.run(["sh", "-c", "echo $$"], check=True, capture_output=True).stdout
        os.ftruncate(lock.descriptor, 0)
        os.pwrite(lock.descriptor, ended, 0)
        holder = holder_of(board)
        assert (holder.held, holder.process) == (True, None)
        assert "has ended" in holder_line(holder)
