# SPDX-License-Identifier: MIT
"""The first picture on a screen as a goal, in real machines: when it comes, and that the guest sees nothing of it."""

from __future__ import annotations

import threading

import msgspec
import pytest

from bootlab.launch.picture import LINE, SCREEN_FILE
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal, Machine
from bootlab.targets.qemu import QemuTarget
from tests.mini_kernel import DRAWN

pytestmark = pytest.mark.qemu

MS = 1_000_000


def ppm(path, width: int, height: int, colour: bytes) -> str:
    path.write_bytes(b"P6\n# a splash\n%d %d\n255\n" % (width, height) + colour * (width * height))
    return str(path)


def boot(system, cache, folder):
    target = QemuTarget(cache)
    return target.boot(target.plan(system), folder, stop=threading.Event())


@pytest.fixture
def drawing(mini):
    def make(picture: str | None, *devices: str, goal: str = f"^{LINE}"):
        machine = Machine(memory_mib=32, devices=devices, picture=picture)
        return mini("hello\n", "draw", goal=goal, machine=machine)

    return make


@pytest.mark.parametrize("size", [(2 * DRAWN[0], 2 * DRAWN[1]), (64, 32)], ids=["whole", "in the middle"])
def test_the_goal_comes_when_the_screen_shows_the_picture(drawing, cache, tmp_path, size):
    system = drawing(ppm(tmp_path / "splash.ppm", *size, DRAWN[2]), "VGA")
    folders = [tmp_path / "one", tmp_path / "other"]
    boots = [boot(system, cache, folder) for folder in folders]
    for recording, folder in zip(boots, folders, strict=True):
        assert recording.meta.outcome is Outcome.GOAL
        assert recording.meta.goal_ns % MS == 0, "it is looked at each millisecond of virtual time"
        assert {"picture.ppm", SCREEN_FILE}.isdisjoint(file.name for file in folder.iterdir())
    assert boots[0].meta.goal_insns == boots[1].meta.goal_insns
    assert boots[0].console == boots[1].console
    said = next(line for line in boots[0].lines if line.text == "hello")
    assert said.first_ns is not None
    assert 0 < boots[0].meta.goal_ns - said.first_ns < 20 * MS, "it is drawn right behind the text"


def test_the_guest_sees_nothing_of_it(drawing, cache, tmp_path):
    watched = drawing(ppm(tmp_path / "splash.ppm", 64, 32, b"\0\xff\0"), "VGA", goal="hello")
    plain = msgspec.structs.replace(watched, machine=msgspec.structs.replace(watched.machine, picture=None))
    one, other = boot(watched, cache, tmp_path / "watched"), boot(plain, cache, tmp_path / "plain")
    assert one.console == other.console
    assert (one.meta.goal_ns, one.meta.goal_insns) == (other.meta.goal_ns, other.meta.goal_insns)
    assert [line.first_ns for line in one.lines] == [line.first_ns for line in other.lines]


def test_what_the_screen_shows_is_kept_where_it_is_another_picture(drawing, cache, tmp_path):
    system = drawing(ppm(tmp_path / "splash.ppm", 64, 32, b"\0\xff\0"), "VGA")
    recording = boot(system, cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.HANG
    head, pixels = (tmp_path / "boot" / SCREEN_FILE).read_bytes().split(b"\n255\n", 1)
    assert head == b"P6\n%d %d" % (2 * DRAWN[0], 2 * DRAWN[1])
    red, green, blue = pixels[:3]
    assert (abs(red - DRAWN[2][0]) <= 8, green, blue) == (True, 0, 0)


def test_a_machine_without_a_screen_is_told(drawing, cache, tmp_path):
    recording = boot(drawing(ppm(tmp_path / "splash.ppm", 64, 32, DRAWN[2])), cache, tmp_path / "boot")
    assert recording.meta.outcome is Outcome.HANG
    assert b"bootlab: the machine has no screen" in recording.console


def test_a_goal_behind_the_picture_keeps_its_line(drawing, cache, tmp_path):
    """The line is one of the console's like any other: marks and checks find it."""
    system = drawing(ppm(tmp_path / "splash.ppm", 64, 32, DRAWN[2]), "VGA")
    system = msgspec.structs.replace(system, goal=Goal(console="picture shown", name="splash"))
    recording = boot(system, cache, tmp_path / "boot")
    assert [line.text for line in recording.lines][-1] == LINE
