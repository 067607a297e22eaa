# SPDX-License-Identifier: MIT
"""Power switches by name: each switches what its device's documentation says, and a switch that lies is found out."""

from __future__ import annotations

import os
from importlib.metadata import EntryPoint
from pathlib import Path

import msgspec
import pytest

from bootlab.boards.power import CommandPower, PowerFailed
from bootlab.errors import SystemFileError
from bootlab.model.real_board import PowerSwitch
from bootlab.power_switches import registry
from bootlab.power_switches.switch import PowerSwitchKeys
from bootlab.systemfile.board import load_board
from tests.power_switches.fake_device import FakeDevice, serving

WEB = {
    "tasmota": ("tasmota", {"host": "{at}"}),
    "shelly1": ("shelly", {"host": "{at}", "generation": 1}),
    "shelly2": ("shelly", {"host": "{at}"}),
    "pdudaemon": ("pdudaemon", {"server": "{at}", "pdu": "rack1", "port": 3}),
}
SAYS_ITS_STATE = ("tasmota", "shelly1")
PROGRAMS = {
    "uhubctl": ({"hub": "1-1", "port": 2}, "uhubctl -l 1-1 -p 2 -a on", "uhubctl -l 1-1 -p 2 -a off"),
    "usbrelay": ({"relay": "HURTM_1", "opens": True}, "usbrelay HURTM_1=0", "usbrelay HURTM_1=1"),
    "snmp": (
        {"host": "pdu", "oid": "1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.7"},
        "snmpset -v 1 -c private pdu 1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.7 i 1",
        "snmpset -v 1 -c private pdu 1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.7 i 2",
    ),
    "gpiod": (
        {"chip": "gpiochip0", "line": 17, "active_low": True},
        "gpioset --toggle=0 --active-low --chip=gpiochip0 17=1",
        "gpioset --toggle=0 --active-low --chip=gpiochip0 17=0",
    ),
}


def power(name: str, keys: dict[str, object]) -> CommandPower:
    switch = msgspec.convert(keys, registry.switch_named(name))
    return CommandPower(PowerSwitch(on=switch.on(), off=switch.off()))


def at(keys: dict[str, object], place: str) -> dict[str, object]:
    return {key: value.format(at=place) if isinstance(value, str) else value for key, value in keys.items()}


@pytest.mark.parametrize("kind", WEB)
def test_a_device_over_http_is_switched(kind):
    device, (name, keys) = FakeDevice(kind), WEB[kind]
    with serving(device) as place:
        switch = power(name, at(keys, place))
        switch.on()
        assert device.on
        switch.off()
        assert not device.on


@pytest.mark.parametrize("kind", SAYS_ITS_STATE)
def test_a_device_that_answers_and_does_not_switch_fails(kind):
    device, (name, keys) = FakeDevice(kind), WEB[kind]
    device.broken = True
    with serving(device) as place, pytest.raises(PowerFailed, match="the switch says"):
        power(name, at(keys, place)).on()


@pytest.mark.parametrize("kind", WEB)
def test_a_device_that_is_not_there_fails(kind):
    name, keys = WEB[kind]
    with pytest.raises(PowerFailed):
        power(name, at(keys, "127.0.0.1:9")).off()


def test_a_device_of_another_kind_fails():
    with serving(FakeDevice("shelly1")) as place, pytest.raises(PowerFailed, match="404"):
        power("shelly", {"host": place, "generation": 2}).on()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gets_the_words_of_its_manual(name, tmp_path, monkeypatch):
    keys, on, off = PROGRAMS[name]
    log = tmp_path / "log"
    program = tmp_path / on.split()[0]
    program.write_text(f'#!/bin/sh\necho "${{0##*/}} $*" >> {log}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    switch = power(name, keys)
    switch.on()
    switch.off()
    assert log.read_text().splitlines() == [on, off]


def test_libgpiod_1_has_other_options():
    switch = msgspec.convert({"chip": "gpiochip0", "line": 4, "tools": 1}, registry.switch_named("gpiod"))
    assert switch.off() == ("gpioset", "--mode=exit", "gpiochip0", "4=0")


class Lever(PowerSwitchKeys, frozen=True, kw_only=True):
    """A switch of somebody else's package."""

    reach_cm: float

    def on(self):
        return ("lever", "up", str(self.reach_cm))

    def off(self):
        return ("lever", "down", str(self.reach_cm))


def test_a_switch_of_another_package_is_found_by_its_entry_point():
    points = [EntryPoint("lever", f"{__name__}:Lever", registry.ENTRY_POINTS)]
    assert registry.switch_named("lever", points) is Lever


class Half(PowerSwitchKeys, frozen=True, kw_only=True):
    """A switch that nobody finished."""

    def on(self):
        return ("lever", "up")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("nowhere_at_all:Lever", "does not load"),
        ("pathlib:Path", "is no power switch"),
        (f"{__name__}:Half", "is no power switch"),
    ],
)
def test_a_bad_entry_point_is_named(value, expected):
    with pytest.raises(registry.NoSuchSwitch, match=expected):
        registry.switch_named("lever", [EntryPoint("lever", value, registry.ENTRY_POINTS)])


def board(tmp_path: Path, power_table: str):
    path = tmp_path / "board.toml"
    path.write_text(f'name = "camera"\n[serial]\ndevice = "/dev/tty"\n[power]\n{power_table}\n')
    return load_board(path, environ={"HUB": "1-1"}).board


def test_a_board_file_names_a_driver_with_its_keys(tmp_path):
    switch = board(tmp_path, 'driver = "uhubctl"\nhub = "$HUB"\nport = 2\noff_s = 3').power
    assert switch.on == ("uhubctl", "-l", "1-1", "-p", "2", "-a", "on")
    assert switch.off_s == 3


@pytest.mark.parametrize(
    ("table", "where", "hint"),
    [
        ('driver = "tasmta"\nhost = "x"', "power.driver", "did you mean tasmota"),
        ('driver = "tasmota"\nhots = "x"', "power.hots", "host"),
        ('driver = "uhubctl"\nhub = "1-1"\nport = "2"', "power.port", "without quotes"),
        ('driver = "tasmota"\nhost = "x"\non = "true"', "power.driver", "leave out on and off"),
        ('host = "x"\non = "true"\noff = "true"', "power.host", ""),
    ],
)
def test_a_mistake_names_its_key(tmp_path, table, where, hint):
    with pytest.raises(SystemFileError) as raised:
        board(tmp_path, table)
    assert raised.value.where == where
    assert hint in raised.value.hint


def test_every_switch_is_documented():
    page = (Path(__file__).resolve().parents[2] / "docs/reference/board-file.md").read_text(encoding="utf-8")
    for name, kind in registry.BUILT_IN.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert all(f"`{key}`" in row for key in kind.__struct_fields__), name
