# SPDX-License-Identifier: MIT
"""Time zero from what the power switch says: a stamp of its own with its scatter, and what cannot be right."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path

import pytest

from bootlab.boards import left_on
from bootlab.boards.choose import board_target
from bootlab.boards.command import run
from bootlab.boards.power import CommandPower, PowerFailed
from bootlab.boards.switch_report import BothClocks, Reported, now, reported
from bootlab.builders.cache import Cache
from bootlab.errors import SystemFileError
from bootlab.model.real_board import PowerSwitch
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal
from bootlab.power_switches import web_switch
from bootlab.power_switches.pdudaemon import PduDaemon
from bootlab.power_switches.shelly import Shelly
from bootlab.power_switches.tasmota import Tasmota
from bootlab.systemfile.board import BoardFile, load_board
from tests.power_switches.fake_device import FakeDevice, serving
from tests.running_board import RunningBoard

S = 10**9
BEGAN, ENDED = BothClocks(100 * S, 1_000_100 * S), BothClocks(103 * S, 1_000_103 * S)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("", None),
        ("relay 3 is on\n", None),
        ("it switched at 1000101 within 0.5\n", None),
        ("switched at 1000101.25 within 0.5\n", Reported(101_250_000_000, 500_000_000)),
        ("on\r\nswitched at 1000101 within 0\r\nbye\r\n", Reported(101 * S, 0)),
        ("switched at 1000101 within 0\nswitched at 1000102.5 within 0.001\n", Reported(102_500_000_000, 1_000_000)),
        ("switched at 1000099.9 within 0.2", Reported(99_900_000_000, 200_000_000)),
        ("switched at 1000101.1234567891 within 1", Reported(101_123_456_789, S)),
    ],
)
def test_a_report_is_a_line_of_its_own_and_the_last_one_counts(said: str, found: Reported | None) -> None:
    assert reported(said, BEGAN, ENDED) == found


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("switched at 1000097 within 0.5", "switched 3.000 s before it was started"),
        ("switched at 1000104 within 0.1", "switched 1.000 s after it had returned"),
        ("switched at 0 within 0", "before it was started"),
    ],
)
def test_an_instant_at_which_the_switch_did_not_run_is_refused(said: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        reported(said, BEGAN, ENDED)


def test_a_clock_that_was_set_meanwhile_makes_the_instant_unsure_by_as_much() -> None:
    stepped = BothClocks(103 * S, 1_000_103 * S + 40_000_000)
    assert reported("switched at 1000101 within 0.001", BEGAN, stepped) == Reported(101 * S, 41_000_000)


def test_a_web_switch_reports_the_middle_and_half_of_its_question() -> None:
    said = web_switch.report(1_000_101 * S, 1_000_101 * S + 5_000_001)
    assert reported(said, BEGAN, ENDED) == Reported(101 * S + 2_500_000, 2_500_001)


@pytest.mark.parametrize(("kind", "tells"), [("shelly2", True), ("tasmota", True), ("pdudaemon", False)])
def test_a_switch_that_answers_when_it_has_switched_reports(kind: str, tells: bool) -> None:
    device = FakeDevice(kind)
    with serving(device) as host:
        switch = {
            "shelly2": lambda: Shelly(host=host),
            "tasmota": lambda: Tasmota(host=host),
            "pdudaemon": lambda: PduDaemon(pdu="rack1", port=3, server=host),
        }[kind]()
        began = now()
        said = run(switch.on(), timeout_s=60)
        ended = now()
    assert device.on
    found = reported(said, began, ended)
    assert (found is not None) is tells
    if found is not None:
        assert began.raw_ns <= found.at_ns <= ended.raw_ns
        # The question took less than the program that asked it, and that is known of the instant.
        assert 0 < 2 * found.scatter_ns < ended.raw_ns - began.raw_ns


def gpio_board(folder: Path, driver: str, keys: str, zero: str = "reported") -> Path:
    file = folder / "board.toml"
    power = f'driver = "{driver}"\n{keys}\nzero = "{zero}"'
    file.write_text(f'name = "b"\n[serial]\ndevice = "/dev/ttyUSB0"\n[power]\n{power}\n[goal]\nconsole = "up"\n')
    return file


def test_gpioset_switches_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "gpioset"
    program.write_text("#!/bin/sh\nexit $CODE\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    switch = load_board(gpio_board(tmp_path, "gpiod", 'chip = "gpiochip0"\nline = 17')).board.power
    monkeypatch.setenv("CODE", "0")
    found = CommandPower(switch).on()
    assert found.reported is not None
    first, last = (found.reported.at_ns + sign * found.reported.scatter_ns for sign in (-1, 1))
    assert 0 <= found.from_ns - first <= 1
    assert 0 <= last - found.to_ns <= 1
    monkeypatch.setenv("CODE", "1")
    with pytest.raises(PowerFailed, match="cannot be switched on"):
        CommandPower(switch).on()


@pytest.mark.parametrize(
    ("driver", "keys", "why"),
    [
        ("pdudaemon", 'pdu = "rack"\nport = 1', "answers before it switches"),
        ("snmp", 'host = "pdu"\noid = "1.3"', "may be pending then"),
        ("uhubctl", 'hub = "1-1"\nport = 2', "power is good up to 510 ms later"),
        ("usbrelay", 'relay = "HURTM_1"', "hears nothing of the relay"),
    ],
)
def test_a_switch_that_knows_no_instant_is_refused_before_a_boot(
    tmp_path: Path, driver: str, keys: str, why: str
) -> None:
    with pytest.raises(SystemFileError, match=f"{driver} does not know when power comes: it .*{why}") as caught:
        load_board(gpio_board(tmp_path, driver, keys))
    assert "power.zero" in str(caught.value)
    assert load_board(gpio_board(tmp_path, driver, keys, "console")).board.power is not None


ASKING = """
import sys, time
sys.path.insert(0, {place!r})
from switch import ask
before = time.time_ns()
answer = ask({socket!r}, "on")
after = time.time_ns()
time.sleep(0.5)
{report}
sys.exit(0 if answer.startswith("ok") else 1)
"""
TELLING = 'print(f"switched at {(before + after) / 2e9:.9f} within {(after - before) / 2e9 + 0.001:.9f}")'


@pytest.fixture
def running(tmp_path: Path):
    with RunningBoard(tmp_path / "board", seed=3, speed=8.0) as board:
        yield board
    left_on.remember("virtual", "")


def boot(running: RunningBoard, folder: Path, report: str, zero: str):
    from bootlab.boards.virtual import switch  # noqa: PLC0415

    code = ASKING.format(place=str(Path(switch.__file__).parent), socket=str(running.wiring.control), report=report)
    power = PowerSwitch(
        on=(sys.executable, "-I", "-S", "-c", code), off=(*running.switch_words, "off"), off_s=0.02, zero=zero
    )
    file = BoardFile(board=running.board(power=power), goal=Goal(console="camera: ready"))
    system = file.system()
    target = board_target(file.board, Cache(folder / "cache"), system)
    return target.boot(target.plan(system), folder / "boot", stop=threading.Event())


def test_a_boot_begins_when_the_switch_says_that_it_switched(running: RunningBoard, tmp_path: Path) -> None:
    recording = boot(running, tmp_path, TELLING, "reported")
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    (said,) = (note for note in recording.meta.notes if "time begins" in note)
    assert "the instant at which the power switch says that it switched, sure to" in said
    took_ms = float(re.search(r"the switch took ([\d.]+) ms", said)[1])
    assert took_ms > 500
    # The command returned half a second late, when the board had long begun to print: from its end on, lines would be
    # at nought or missing; from its start on, its own start-up would be in the boot.
    first = next(line for line in recording.lines if line.first_ns is not None)
    assert first.first_ns > 0
    assert recording.marks[0].name == "power-on"


def test_a_switch_that_reports_nothing_ends_the_boot(running: RunningBoard, tmp_path: Path) -> None:
    recording = boot(running, tmp_path, "", "reported")
    assert recording.meta.outcome is Outcome.POWER_FAILED
    assert "does not report when it switched" in recording.meta.reason
    assert running.ask("status").startswith("ok off")


def test_a_report_that_cannot_be_right_ends_the_boot(running: RunningBoard, tmp_path: Path) -> None:
    recording = boot(running, tmp_path, 'print("switched at 5 within 1")', "reported")
    assert recording.meta.outcome is Outcome.POWER_FAILED
    assert "cannot be right" in recording.meta.reason


def test_a_first_byte_before_the_end_of_the_switch_is_said_to_be_the_zero(
    running: RunningBoard, tmp_path: Path
) -> None:
    recording = boot(running, tmp_path, "", "switched")
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    (said,) = (note for note in recording.meta.notes if "time begins" in note)
    assert "the first byte on the console, which came before the end of the power switch's command" in said
