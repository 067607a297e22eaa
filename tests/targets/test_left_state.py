# SPDX-License-Identifier: MIT
"""What a boot leaves is kept by what was booted, named when damaged, never used for another key, never half."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.emulator import Emulator
from bootlab.model.earlier import Earlier
from bootlab.model.launch import LoadedPlugin, Medium
from bootlab.model.processors import Processors
from bootlab.model.system import Clockwork, Goal, Kernel, SystemDescription
from bootlab.targets import left_state
from bootlab.targets.left_state import LeftStates
from tests.launches import launch

S = 1_000_000_000
SYSTEM = SystemDescription(name="box", kernel=Kernel(image="/k"), goal=Goal(console="g"), earlier=Earlier())


@pytest.fixture
def boots(monkeypatch):
    """Have boots write their number onto their medium; return what was booted."""
    made: list[Path] = []

    def ended(plan, launch, asked, number, folder):
        made.append(folder)
        medium = Path(launch.media[0].file)
        assert launch.media[0].kept
        medium.write_bytes(medium.read_bytes()[:-1] + bytes([len(made)]))
        return 2 * S, 62 * S

    monkeypatch.setattr(left_state, "_ended", ended)
    monkeypatch.setattr(left_state, "loaded", lambda *_: LoadedPlugin(file="/ends.so"))
    return made


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    path.write_bytes(bytes(4096))
    return path


def first(disk, system=SYSTEM, machine_key="m", **fields) -> BootPlan:
    usual = {
        "system": system,
        "purpose": "timing",
        "launch": launch(media=(Medium(file=str(disk), bus="virtio", holds="root"),)),
        "key": "k",
        "machine_key": machine_key,
        "info": KernelInfo(),
        "sizes_bytes": {},
        "sha256": {},
        "stamped": True,
    }
    return BootPlan(**usual | fields)


def later(plan, cache, noted=lambda _text: None) -> BootPlan:
    emulator = Emulator(path="/qemu", version="7.2", numbers=(7, 2, 0))

    def keyed(launch, left):
        loaded = "".join(plugin.file for plugin in launch.plugins)
        key = f"{plan.machine_key}+{loaded}+{'+'.join(left)}"
        return msgspec.structs.replace(plan, launch=launch, machine_key=key)

    return LeftStates(cache, emulator, noted).later(plan, keyed)


def test_the_second_boot_starts_from_what_the_first_left(boots, disk, cache):
    plan = first(disk)
    told: list[str] = []
    found = later(plan, cache, told.append)
    (medium,) = found.launch.media
    assert Path(medium.file).read_bytes()[-1] == 1
    assert (medium.boots, medium.kept, medium.holds, medium.format) == (1, False, "root", "raw")
    assert found.launch.clock.rtc_base == "2026-01-01T01:00:00"
    assert found.first_launch == plan.launch
    assert "boot 2 of box: its media are as boot 1 left them (power-cut, 60 s" in found.notes[-1]
    assert told == ["box: boot 1 is made, to keep what it leaves on its media"]
    assert disk.read_bytes() == bytes(4096)
    assert later(plan, cache) == found
    assert len(boots) == 1


def test_the_third_starts_from_the_second_s(boots, disk, cache):
    system = msgspec.structs.replace(SYSTEM, earlier=Earlier(boots=2))
    found = later(first(disk, system), cache)
    assert Path(found.launch.media[0].file).read_bytes()[-1] == 2
    assert found.launch.media[0].boots == 2
    assert found.launch.clock.rtc_base == "2026-01-01T02:00:00"
    # The first boot's state is the one that the second boot starts from.
    later(first(disk), cache)
    assert len(boots) == 2


@pytest.mark.parametrize(
    "other",
    [
        {"machine_key": "other"},
        {"system": msgspec.structs.replace(SYSTEM, goal=Goal(console="h"))},
        {"system": msgspec.structs.replace(SYSTEM, earlier=Earlier(after_goal_s=5))},
        {"system": msgspec.structs.replace(SYSTEM, earlier=Earlier(end="ctrl-alt-del"))},
    ],
)
def test_nothing_kept_is_used_for_another_key(boots, disk, cache, other):
    one, two = later(first(disk), cache), later(first(disk, **other), cache)
    assert len(boots) == 2
    assert one.launch.media[0].file != two.launch.media[0].file
    assert one.machine_key != two.machine_key


def test_who_only_watches_does_not_count(boots, disk, cache):
    watched = first(disk)
    stamper = LoadedPlugin(file="/stamp.so", arguments=("mark=1",))
    later(msgspec.structs.replace(watched, launch=watched.launch.with_plugin(stamper)), cache)
    later(watched, cache)
    assert len(boots) == 1
    carried = LoadedPlugin(file="/devices.so", carried_as="devices.so")
    later(msgspec.structs.replace(watched, launch=watched.launch.with_plugin(carried)), cache)
    assert len(boots) == 2


@pytest.mark.parametrize("what", ["0.raw", "left.json"])
def test_damage_is_named_and_made_again(boots, disk, cache, caplog, what):
    kept = Path(later(first(disk), cache).launch.media[0].file)
    path = kept.with_name(what)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    with caplog.at_level(logging.WARNING):
        later(first(disk), cache)
    assert f"{path} is damaged" in caplog.text
    assert len(boots) == 2
    path.unlink()
    later(first(disk), cache)
    assert len(boots) == 3


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_what_is_cut_off_leaves_nothing(boots, disk, cache, monkeypatch, fault):
    def cut_off(*_args):
        raise fault

    whole = left_state._ended
    monkeypatch.setattr(left_state, "_ended", cut_off)
    with pytest.raises((KeyboardInterrupt, EnvironmentFault)):
        later(first(disk), cache)
    assert list((cache.root / "left").iterdir()) == []
    monkeypatch.setattr(left_state, "_ended", whole)
    assert later(first(disk), cache).launch.media[0].boots == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"system": msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))}, "need exact mode"),
        ({"stamped": False, "lacks": ("no stamp plugin",)}, "no stamp plugin"),
        ({"launch": launch()}, "its second boot is its first"),
        ({"processors": Processors(count=4, mode="shared")}, "one processor only"),
    ],
)
def test_what_has_no_second_boot_is_refused(boots, disk, cache, given, said):
    with pytest.raises(UserError, match=said):
        later(first(disk, **given), cache)
    assert boots == []
