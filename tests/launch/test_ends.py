# SPDX-License-Identifier: MIT
"""A machine is let go on step by step and ended at its time: what bootlab writes for the plugin, and when."""

from __future__ import annotations

import struct

import pytest

from bootlab.errors import EnvironmentFault, MeasurementError
from bootlab.launch import ends, plugin
from bootlab.launch.emulator import Emulator
from bootlab.launch.ends import EndAfterGoal, Ends
from bootlab.launch.plugin import Plugin
from bootlab.model.earlier import Earlier
from bootlab.model.shutdown import Shutdown

S = 1_000_000_000
CUT = Ends(how="power-cut", after_ns=60 * S)
WORDS = struct.Struct("<8s7Q256s")


class Machine:
    """The plugin's side of the file (qemu-plugin/ends-file.h)."""

    def __init__(self, path, magic=b"BLENDS\0\0", version=1):
        self.path = path
        path.write_bytes(WORDS.pack(magic, version, *[0] * 6, b""))

    def stands(self, ns: int) -> None:
        with self.path.open("r+b") as file:
            file.seek(16)
            file.write(struct.pack("<Q", ns))

    @property
    def told(self) -> tuple[int, int, int]:
        """Return how far it may go on, how it is to be ended, and when."""
        return WORDS.unpack(self.path.read_bytes())[3:6]


def test_it_goes_on_a_step_behind_each_look(tmp_path):
    until = EndAfterGoal(tmp_path / "ends.bin", CUT)
    until()  # QEMU has not loaded the plugin yet
    machine = Machine(tmp_path / "ends.bin")
    until()
    assert machine.told == (0, 0, 0)
    machine.stands(15 * S)
    until()
    assert machine.told == (30 * S, 0, 0)
    until()
    assert machine.told == (30 * S, 0, 0)
    machine.stands(30 * S)
    until()
    assert machine.told == (45 * S, 0, 0)
    assert until.end(31 * S) == 91 * S
    assert machine.told == (45 * S, 1, 91 * S)
    assert until.done_ns == 0
    until.close()


@pytest.mark.parametrize(("how", "number"), [("power-cut", 1), ("power-button", 2), ("ctrl-alt-del", 3)])
def test_each_end_has_its_number(tmp_path, how, number):
    machine = Machine(tmp_path / "ends.bin")
    until = EndAfterGoal(tmp_path / "ends.bin", Ends(how=how, after_ns=S))
    until()
    until.end(5)
    assert machine.told == (0, number, S + 5)
    until.close()


def test_a_line_is_typed_with_its_end(tmp_path):
    machine = Machine(tmp_path / "ends.bin")
    until = EndAfterGoal(tmp_path / "ends.bin", Ends.of(Shutdown(ask="typed", typed="power off", after_goal_s=1)))
    until()
    until.end(5)
    assert machine.told == (0, 4, S + 5)
    assert machine.path.read_bytes()[64:].rstrip(b"\0") == b"power off\n"
    until.close()


def test_an_end_that_may_have_passed_is_never_asked_for(tmp_path):
    machine = Machine(tmp_path / "ends.bin")
    until = EndAfterGoal(tmp_path / "ends.bin", CUT)
    machine.stands(200 * S)
    until()
    with pytest.raises(MeasurementError, match="not held before 70 s"):
        until.end(10 * S)
    assert machine.told[1:] == (0, 0)
    until.close()
    with pytest.raises(MeasurementError, match="is not there"):
        EndAfterGoal(tmp_path / "none", CUT).end(10 * S)


@pytest.mark.parametrize("machine", [{"magic": b"BLTRACE\0"}, {"version": 2}])
def test_another_file_is_not_written_to(tmp_path, machine):
    other = Machine(tmp_path / "ends.bin", **machine)
    other.stands(15 * S)
    before = other.path.read_bytes()
    until = EndAfterGoal(other.path, CUT)
    until()
    assert other.path.read_bytes() == before


def test_the_plugin_and_its_words(monkeypatch, tmp_path):
    found = Emulator(path="/qemu", version="7.2", numbers=(7, 2, 0))
    monkeypatch.setattr(plugin, "prepare_ends", lambda *_: Plugin("/ends.so", digest="d"))
    asked = Ends.of(Earlier(end="power-button", after_goal_s=8))
    loaded = ends.loaded(asked, found, tmp_path)
    assert (loaded.file, loaded.arguments) == ("/ends.so", ("asks=ends.bin", "first=2000000000"))
    monkeypatch.setattr(plugin, "prepare_ends", lambda *_: Plugin(None, reason="no compiler"))
    with pytest.raises(EnvironmentFault, match="no compiler"):
        ends.loaded(asked, found, tmp_path)
