# SPDX-License-Identifier: MIT
"""Commands of older recordings give the launch that they were made from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.launch.qemu_command import words
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.launch import InstructionClock, Launch, LoadedPlugin, Medium
from bootlab.recordings import recording_dir
from bootlab.recordings.recorded_command import launch_in

OLD = sorted((Path(__file__).parents[1] / "replay" / "fixture").glob("*/recording.json"))
TEXT = st.text(st.sampled_from("/ab,=.-"), min_size=1, max_size=8)
NAME = st.text(st.sampled_from("abc=."), min_size=1, max_size=6)
UNITS = st.integers(0, 3)
MEDIA = st.builds(
    Medium,
    file=TEXT,
    bus=st.sampled_from(["virtio", "virtio-mmio", "pflash", "sd"]),
    format=st.sampled_from(["raw", "qcow2"]),
    unit=UNITS,
)
CLOCKS = st.builds(
    InstructionClock, shift=st.integers(0, 10), rtc_base=NAME, seed=st.integers(0, 99), recorded=st.booleans()
)
LAUNCHES = st.builds(
    Launch,
    emulator=st.sampled_from([f"/usr/bin/{facts.emulator}" for facts in ARCHITECTURES.values()]),
    arch=st.just("x86_64"),
    machine=NAME,
    machine_options=st.tuples(NAME) | st.just(()),
    accel=st.sampled_from(["tcg", "kvm"]),
    cpu=TEXT,
    memory_mib=st.integers(1, 4096),
    processors=st.integers(1, 8),
    firmware=NAME | st.none(),
    mute=st.booleans(),
    console=TEXT,
    clock=CLOCKS | st.none(),
    plugins=st.lists(
        st.builds(LoadedPlugin, file=TEXT, arguments=st.lists(TEXT, max_size=2).map(tuple)), max_size=2
    ).map(tuple),
    media=st.lists(MEDIA, max_size=3).map(tuple),
    devices=st.lists(TEXT, max_size=2).map(tuple),
    kernel=TEXT,
    initramfs=TEXT | st.none(),
    dtb=TEXT | st.none(),
    cmdline=st.text(max_size=20),
    extra=st.lists(TEXT, max_size=3).map(tuple),
)


@given(LAUNCHES)
def test_a_launch_out_of_its_words_has_the_same_words(launch):
    command = words(launch)
    found = launch_in(command)
    assert found is not None
    assert words(found) == command
    assert (found.cmdline, found.extra, found.kernel) == (launch.cmdline, launch.extra, launch.kernel)
    assert len(found.media) == len(launch.media)


@given(
    st.lists(
        st.sampled_from(["qemu-system-arm", "-m", "-smp", "64", "-kernel", "-drive", "if=sd,unit=x", "-append", ""])
    )
)
def test_words_that_no_bootlab_wrote_are_no_error(command):
    found = launch_in(tuple(command))
    assert found is None or found.kernel is not None


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.parent.name)
def test_a_recording_of_before_says_what_was_started(path):
    written = msgspec.json.decode(path.read_bytes())
    assert written["version"] == 2
    meta = recording_dir.load(path.parent).meta
    assert meta.launch is not None
    assert words(meta.launch) == tuple(written["meta"]["command"])
    assert meta.launch.cmdline == meta.cmdline
    assert meta.launch.clock is not None
    assert meta.launch.clock.shift == meta.shift


def test_a_recording_that_is_packed_again_keeps_it(tmp_path):
    source = OLD[0].parent
    for file in source.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    before = recording_dir.load(tmp_path).meta
    recording_dir.pack(tmp_path)
    assert msgspec.json.decode((tmp_path / "recording.json").read_bytes())["version"] == before.version + 1
    assert recording_dir.load(tmp_path).meta.launch == before.launch
