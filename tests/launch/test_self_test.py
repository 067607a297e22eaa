# SPDX-License-Identifier: MIT
"""The plugins' self-test: its programs are their sources, its answers are counted, and what fails is refused."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from bootlab.data import source_folder
from bootlab.launch import emulator, plugin, plugin_interface, self_test
from bootlab.launch.plugin import Plugin
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.system import Machine

NAMES = {"x86_64": "x86_64", "aarch64": "arm64", "arm": "arm", "riscv64": "riscv64"}
TOOLS = {
    "x86_64": ("x86_64-linux-gnu-", ("-m32",)),
    "aarch64": ("aarch64-linux-gnu-", ()),
    "arm": ("arm-linux-gnueabihf-", ()),
    "riscv64": ("riscv64-linux-gnu-", ()),
}


@pytest.mark.parametrize("target", self_test.PROGRAMS)
def test_each_program_is_what_its_source_says(target, tmp_path):
    prefix, words = TOOLS[target]
    if shutil.which(f"{prefix}gcc") is None:
        pytest.skip(f"no {prefix}gcc here: scripts/setup-debian.sh boards")
    source = source_folder("", f"self-test/{NAMES[target]}.S", top="qemu-plugin") / f"self-test/{NAMES[target]}.S"
    subprocess.run([f"{prefix}gcc", "-c", *words, "-o", "made.o", str(source)], cwd=tmp_path, check=True)
    subprocess.run([f"{prefix}objcopy", "-O", "binary", "-j", ".text", "made.o", "made"], cwd=tmp_path, check=True)
    made = (tmp_path / "made").read_bytes()
    code = self_test.PROGRAMS[target].code
    assert code[: len(made)] == made
    assert target == "x86_64" or len(code) == len(made)


@pytest.mark.parametrize(
    ("target", "ticks", "hertz"),
    [
        ("x86_64", 4096, 1_193_182),
        ("aarch64", 62_500, 62_500_000),
        ("arm", 62_500, 62_500_000),
        ("riscv64", 10_000, 10**7),
    ],
)
def test_the_answers_follow_from_instructions_and_ticks(target, ticks, hertz):
    first, second, third = self_test.PROGRAMS[target].letters
    slept_ns = ticks * 10**9 / hertz
    # The timer starts within its tick, and there are some instructions of 2 ns each before it is set and behind it.
    tick_ns = 10**9 / hertz
    assert -tick_ns < second.ns - first.ns - slept_ns < 100
    assert third.ns - second.ns == 2 * (third.insns[0] - second.insns[0])
    assert third.insns[0] - second.insns[0] in range(1000, 2005)
    assert all(letter.insns == tuple(sorted(letter.insns)) for letter in (first, second, third))


class FakeBoots:
    """In the place of boots: what each shows."""

    def __init__(self, monkeypatch, *shown, target="aarch64"):
        self.shown, self.n = list(shown), 0
        monkeypatch.setattr(self_test, "_boot", self)
        interface = plugin_interface.Interface(minimum=1, newest=1, target=target, build="b1")
        monkeypatch.setattr(plugin_interface, "ask", lambda *_: interface)
        self_test._run.cache_clear()

    def __call__(self, _path, _program, _stamper, _devices, n_letters):
        self.n += 1
        seen, said = self.shown[(self.n - 1) % len(self.shown)]
        return (seen and seen[:n_letters]), said


RIGHT = ([(24, 12), (1000020, 21), (1004026, 2024)], "")
STAMPER = Plugin("/stamp.so", digest="d1")
QEMU = emulator.Emulator(path="/q", version="", numbers=())


def test_a_test_that_passed_is_kept_for_that_build_and_plugin(tmp_path, monkeypatch):
    (tmp_path / "plugin").mkdir()
    boots = FakeBoots(monkeypatch, RIGHT)
    assert self_test.failure(QEMU, tmp_path, STAMPER) == ""
    self_test._run.cache_clear()
    assert self_test.failure(QEMU, tmp_path, STAMPER) == ""
    assert boots.n == 2, "two boots, once"
    assert self_test.failure(QEMU, tmp_path, Plugin("/stamp.so", digest="d2")) == ""
    assert self_test.failure(QEMU, tmp_path, STAMPER, anew=True) == ""
    assert boots.n == 6


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (([(24, 12), (1000022, 21), (1004026, 2024)], ""), "letter 2 .* at 1000022 ns, not after 21 at 1000020 ns"),
        (([(24, 12), (1000020, 22), (1004026, 2024)], ""), "letter 2 .* after 22 instructions"),
        ((None, "self-test: the program printed 1 of 3 letters"), "printed 1 of 3"),
    ],
)
def test_a_qemu_with_another_answer_is_refused(tmp_path, monkeypatch, shown, said):
    (tmp_path / "plugin").mkdir()
    FakeBoots(monkeypatch, shown)
    reason = self_test.failure(QEMU, tmp_path, STAMPER)
    assert re.search(said, reason), reason
    kept = list((tmp_path / "plugin").glob("self-test-*.txt"))
    assert bool(kept) is (shown[0] is not None), "what this hour's machine did is not kept"
    self_test._run.cache_clear()
    assert re.search(said, self_test.failure(QEMU, tmp_path, STAMPER))


def test_a_damaged_answer_is_asked_for_again(tmp_path, monkeypatch):
    (tmp_path / "plugin").mkdir()
    boots = FakeBoots(monkeypatch, RIGHT)
    self_test.failure(QEMU, tmp_path, STAMPER)
    (kept,) = (tmp_path / "plugin").glob("self-test-*.txt")
    kept.write_text("no\n")
    self_test._run.cache_clear()
    assert self_test.failure(QEMU, tmp_path, STAMPER) == ""
    assert boots.n == 4


@pytest.mark.qemu
@pytest.mark.parametrize("arch", ["x86_64", "arm64", "arm", "riscv64"])
def test_this_machines_qemu_passes(arch, cache):
    if shutil.which(ARCHITECTURES[arch].emulator) is None:
        pytest.skip(f"no {ARCHITECTURES[arch].emulator} here: scripts/setup-debian.sh boards")
    found = emulator.find(Machine(arch=arch))
    stamper = plugin.prepare(found, cache.root)
    assert stamper.path, stamper.reason
    assert self_test.failure(found, cache.root, stamper, anew=True) == ""
    devices = plugin.prepare_devices(found, cache.root)
    assert devices.path, devices.reason


def test_a_disk_at_the_hosts_pace_is_found_out(tmp_path, monkeypatch):
    (tmp_path / "plugin").mkdir()
    # Seen on QEMU 7.2 without the plugin.
    FakeBoots(monkeypatch, ([(40, 20), (3432906, 36), (3434912, 1039), (3614616, 90891)], ""), target="x86_64")
    assert self_test.failure(QEMU, tmp_path, STAMPER) == ""
    assert "letter 4" in self_test.failure(QEMU, tmp_path, STAMPER, Plugin("/devices.so", digest="d3"))


def test_a_qemu_without_the_machine_passes_but_was_not_tried(tmp_path, script):
    found = script("[ \"$BOOTLAB_ASK_API\" ] && { echo 7 7 arm b2; exit; }; echo 'no machine virt' >&2; exit 1")
    assert self_test.failure(found, tmp_path, STAMPER) == ""
    assert self_test.tried_now(found, tmp_path, STAMPER) == self_test.NOT_TRIED


@pytest.fixture
def script(tmp_path):
    def make(text: str) -> emulator.Emulator:
        path = tmp_path / "qemu"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return emulator.Emulator(path=str(path), version="", numbers=())

    return make
