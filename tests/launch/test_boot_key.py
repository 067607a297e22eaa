# SPDX-License-Identifier: MIT
"""The key of a boot: contents count, places do not, and recordings that were kept keep theirs."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.artefacts import Artefacts
from bootlab.launch import plugin, processors, qemu_launch
from bootlab.launch.boot_key import key_of
from bootlab.launch.emulator import Emulator
from bootlab.launch.plugin import Plugin
from bootlab.model.launch import InMemory, LoadedFirst, LoadedPlugin, Medium
from bootlab.model.system import Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.targets.replay import fingerprint
from tests.launches import CLOCK, launch

SYSTEM = SystemDescription(name="s", kernel=Kernel(image="/k"), goal=Goal(console="g"))
ARTEFACTS = Artefacts(kernel=Path("/k"), sha256={"kernel": "aa", "initramfs": "bb"})
BASE = launch(
    initramfs="/i",
    dtb="/d",
    media=(Medium(file="/r", bus="sd", holds="root"), Medium(file="/own", bus="virtio")),
    plugins=(LoadedPlugin(file="/p/stamp-1.so", arguments=("con=c", "shift=1"), digest="d1"),),
)


def key(given=BASE, artefacts=ARTEFACTS) -> str:
    return key_of(SYSTEM, given, artefacts, ("dd",), "7.2", "timing")


def test_the_key_is_that_of_kept_recordings():
    # Made by 0.1: a change of it has every system booted again.
    assert key() == "0747f550e6c03e38871b5ccdacb4aace"


def test_a_longer_check_is_another_boot():
    later = msgspec.structs.replace(SYSTEM, limits=Limits(check_s=8.0))
    assert key_of(later, BASE, ARTEFACTS, ("dd",), "7.2", "timing") != key()


def test_where_a_boot_loader_lies_does_not_count_but_what_it_does():
    def loaded(folder: str, instead_of="firmware", address=0x100) -> str:
        memory = (InMemory(file=f"{folder}/image", address=address),)
        loader = LoadedFirst(file=f"{folder}/u-boot", instead_of=instead_of, dtb=f"{folder}/tree", memory=memory)
        return key(msgspec.structs.replace(BASE, loader=loader))

    assert loaded("/a") == loaded("/b")
    assert len({loaded("/a"), loaded("/a", "kernel"), loaded("/a", address=0x200), key()}) == 4


@pytest.mark.parametrize(
    "moved",
    [
        {"kernel": "/elsewhere"},
        {"initramfs": "/elsewhere"},
        {"dtb": "/elsewhere"},
        {"media": (Medium(file="/other", bus="sd", holds="root"), BASE.media[1])},
        {"plugins": (LoadedPlugin(file="/q/x.so", arguments=("con=c", "shift=1"), digest="d1"),)},
    ],
)
def test_where_a_file_lies_does_not_count(moved):
    assert key(msgspec.structs.replace(BASE, **moved)) == key()


@pytest.mark.parametrize(
    "changed",
    [
        {"initramfs": None},
        {"dtb": None},
        {"cpu": "qemu64"},
        {"processors": 2},
        {"cmdline": "quiet"},
        {"extra": ("-s",)},
        {"devices": ("VGA",)},
        {"clock": msgspec.structs.replace(CLOCK, seed=2)},
        {"media": BASE.media[:1]},
        {"media": (BASE.media[0], Medium(file="/another", bus="virtio"))},
        {"plugins": ()},
        {"plugins": (LoadedPlugin(file="/p/stamp-1.so", arguments=("con=c", "shift=1"), digest="d2"),)},
        {"plugins": (LoadedPlugin(file="/p/stamp-1.so", arguments=("con=c", "shift=2"), digest="d1"),)},
    ],
)
def test_what_is_started_counts(changed):
    assert key(msgspec.structs.replace(BASE, **changed)) != key()


def test_a_medium_that_was_booted_from_is_named_by_its_contents_and_its_boots():
    def left(file: str, boots: int) -> str:
        return key(msgspec.structs.replace(BASE, media=(Medium(file=file, bus="virtio", boots=boots),)))

    assert left("/cache/left/a/0.raw", 1) == left("/elsewhere/0.raw", 1)
    assert left("/own", 1) != left("/own", 0)


def test_what_is_in_the_files_counts():
    other = msgspec.structs.replace(ARTEFACTS, sha256={"kernel": "ac", "initramfs": "bb"})
    assert key(artefacts=other) != key()


def test_modes_quanta_and_numbers_of_processors_never_share_a_recording(monkeypatch, tmp_path):
    """Each is planned as QemuTarget plans it: a boot in one must never be served from the cache for another."""
    qemu = tmp_path / "qemu"
    qemu.write_text('#!/bin/sh\necho "qemu-smp: ok"\n')
    qemu.chmod(0o755)
    found = Emulator(path=str(qemu), version="10.0.2", numbers=(10, 0, 2))
    monkeypatch.setattr(plugin, "prepare_processors", lambda *_: Plugin("/smp.so", digest="d1"))
    clocks = [
        *((cpus, Clockwork(quantum_ns=quantum_ns)) for cpus in (1, 2, 4) for quantum_ns in (2000, 5000, 20000)),
        *((cpus, Clockwork(processors="shared")) for cpus in (1, 2, 4)),
    ]
    keys: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for cpus, clock in clocks:
        system = msgspec.structs.replace(SYSTEM, machine=Machine(cpus=cpus), clock=clock)
        several = processors.prepare(system, found, None)
        parts = qemu_launch.Parts(
            emulator=found.path,
            kernel="/k",
            initramfs=None,
            accel="tcg",
            plugin="/stamp.so",
            plugin_digest="d2",
            processors_plugin=several.plugin,
        )
        started = qemu_launch.launch_of(system, parts)
        made = key_of(system, started, ARTEFACTS, (), found.version, "timing")
        keys.setdefault((made, several.processors.text), []).append((cpus, clock.processors))
    assert len({made for made, _ in keys}) == len(keys) == 1 + 2 * 4, "one processor has one clock, and one key"


def test_a_replay_tells_them_apart_too():
    base = msgspec.structs.replace(SYSTEM, machine=Machine(cpus=4))
    clocks = (Clockwork(), Clockwork(quantum_ns=20000), Clockwork(processors="shared"))
    systems = [base, msgspec.structs.replace(base, machine=Machine(cpus=2))]
    systems += [msgspec.structs.replace(base, clock=clock) for clock in clocks[1:]]
    prints = [fingerprint(system, "timing") for system in systems]
    assert all(a != b for a, b in itertools.combinations(prints, 2))


def test_the_pace_of_a_console_counts():
    slow, fast = (msgspec.structs.replace(BASE, console_baud=baud) for baud in (9_600, 115_200))
    assert len({key(), key(slow), key(fast)}) == 3
