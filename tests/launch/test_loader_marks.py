# SPDX-License-Identifier: MIT
"""Marks of a boot loader: out of its lines, out of its symbols; and the note of a fallback."""

import itertools
from pathlib import Path

import msgspec
import pytest

from bootlab.analysis.stages import stages_of
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.builders.loader.started import CardStart
from bootlab.launch import load_address, loader_marks
from bootlab.model.boot_loader import Loader, loader_board
from bootlab.model.recording import Line, Mark, Meta, Recording
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription

BOARD = loader_board("orangepi-pc")
RAM = 0x40000000
INFO = KernelInfo(unpacked_entry=None, pvh_entry=None, symbols={"start_kernel": 0xC0900F00, "_text": 0xC0008000})
LOADER = Loader(image="u-boot.bin")
SAID = (
    "",
    "U-Boot SPL 2023.01+dfsg-2+deb12u3 (Aug 08 2025 - 18:00:46 +0000)",
    "DRAM: 1024 MiB",
    "Trying to boot from MMC1",
    "",
    "U-Boot 2023.01+dfsg-2+deb12u3 (Aug 08 2025 - 18:00:46 +0000) Allwinner Technology",
    "Hit any key to stop autoboot:  2  1  0 ",
    "switch to partitions #0, OK",
    "Retrieving file: /kernel",
    "Kernel image @ 0x42000000 [ 0x000000 - 0x532200 ]",
    "Starting kernel ...",
    "",
    "[    0.000000] Linux version 6.1.0",
    "[    1.000000] U-Boot 2023.01 as somebody else prints it",
)


def lines(*texts: str) -> tuple[Line, ...]:
    return tuple(Line(at, text, 0, first_ns=at * 1_000_000, insns=at) for at, text in enumerate(texts, 1))


def test_each_part_begins_with_its_line():
    found = {mark.name: mark.ns // 1_000_000 for mark in loader_marks.line_marks(lines(*SAID), {})}
    assert found == {
        "spl": 2, "spl-load": 4, "u-boot": 6, "autoboot": 7, "boot-command": 8, "kernel-loaded": 10,
        "starting-kernel": 11,
    }  # fmt: skip


def test_what_an_address_set_already_is_not_set_again():
    names = [mark.name for mark in loader_marks.line_marks(lines(*SAID), {"spl": 2_000_000, "u-boot": 6_000_000})]
    assert names == ["spl-load", "autoboot", "boot-command", "kernel-loaded", "starting-kernel"]


def test_a_line_that_arrives_after_the_kernel_was_entered_sets_no_mark():
    found = [mark.name for mark in loader_marks.line_marks(lines(*SAID), {"kernel-entry": 9_500_000})]
    assert found == ["spl", "spl-load", "u-boot", "autoboot", "boot-command"]


def test_the_stages_of_a_chain_add_up():
    marks = (
        Mark("power-on", 0), Mark("firmware", 0), *loader_marks.line_marks(lines(*SAID), {}),
        Mark("kernel-entry", 12_000_000), Mark("decompression", 12_000_000), Mark("kernel-image", 13_000_000),
        Mark("start-kernel", 14_000_000), Mark("goal", 20_000_000),
    )  # fmt: skip
    recording = Recording(meta=Meta(goal_ns=20_000_000), lines=(), marks=marks)
    stages = stages_of(recording)
    assert [stage.name for stage in stages] == [
        "firmware", "SPL", "SPL load", "U-Boot", "autoboot wait", "kernel load", "kernel checks", "jump to kernel",
        "decompression", "kernel start", "kernel",
    ]  # fmt: skip
    assert sum(stage.duration_ns for stage in stages) == 20_000_000
    assert all(a.start_ns + a.duration_ns == b.start_ns for a, b in itertools.pairwise(stages))


def started(tmp_path: Path, machine: str = "orangepi-pc") -> CardStart:
    board = Machine(arch="arm", type=machine)
    system = SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), machine=board, loader=LOADER)
    return CardStart(system=system, card=tmp_path, board=loader_board(machine))


def test_addresses_of_the_first_part_and_of_the_kernel(tmp_path):
    found = loader_marks.entries(LOADER, started(tmp_path), INFO)
    assert found == {
        "spl": 0, "kernel-entry": 0x42000000, "decompression": 0x42000000, "kernel-image": 0x40008000,
    }  # fmt: skip
    assert loader_marks.entries(Loader(card="card.img"), started(tmp_path), INFO) == {"spl": 0}
    assert loader_marks.entries(Loader(card="card.img"), started(tmp_path, "cubieboard"), INFO) == {}


@pytest.mark.parametrize(
    ("entry", "kind", "expected"),
    [
        (None, "arm-zimage", {"kernel-entry": 0x42000000, "decompression": 0x42000000, "kernel-image": 0x40008000}),
        # bootm copies it to where it will unpack itself: one instruction cannot be two marks.
        (0x40008000, "arm-zimage", {"kernel-entry": 0x40008000, "decompression": 0x40008000}),
        (None, "uimage", {"kernel-entry": 0x40008000, "kernel-image": 0x40008000}),
    ],
)  # fmt: skip
def test_where_the_kernel_is_entered(entry, kind, expected):
    info = msgspec.structs.replace(INFO, kind=kind)
    assert loader_marks.kernel_entries(BOARD, info, RAM, entry) == expected


@pytest.mark.parametrize(
    ("board", "ram"), [("sabrelite", 0x10000000), ("mcimx6ul-evk", 0x80000000), ("orangepi-pc", RAM)]
)
def test_boards_that_qemu_loads_have_a_decompressor_of_their_own(board, ram):
    found = load_address.entries(Machine(arch="arm", type=board), INFO)
    assert found == {"kernel-entry": ram + 0x10000, "decompression": ram + 0x10000, "kernel-image": ram + 0x8000}


def test_a_fallback_is_said_with_the_spls_own_words():
    falcon = msgspec.structs.replace(LOADER, start="falcon")
    said = (*SAID[:4], "Expected image is not found. Trying to start U-boot", *SAID[4:])
    console, marks = "\n".join(said).encode(), tuple(loader_marks.line_marks(lines(*said), {}))
    note = loader_marks.fallback_note(falcon, console, marks)
    assert "fell back to U-Boot" in note
    assert "Expected image is not found" in note
    assert loader_marks.fallback_note(falcon, console, ()) == ""
    assert loader_marks.fallback_note(LOADER, console, marks) == ""


def test_a_console_without_a_boot_loader_is_not_searched():
    assert loader_marks.speaks(b"\nU-Boot SPL 2023.01\n")
    assert not loader_marks.speaks(b"OpenSBI v1.1\n[    0.000000] Linux version 6.1\n")


def test_the_boot_command_begins_when_the_countdown_has_ended():
    said = (
        Line(1, "U-Boot 2023.01", 0, first_ns=1_000_000, insns=1),
        Line(
            2, "Hit any key to stop autoboot:  1 \b\b\b 0 ", 0,
            first_ns=2_000_000, insns=2, last_ns=9_000_000, last_insns=9,
        ),
        Line(3, "5000 bytes read in 3 ms", 0, first_ns=12_000_000, insns=12),
    )  # fmt: skip
    found = {mark.name: (mark.ns, mark.insns) for mark in loader_marks.line_marks(said, {})}
    assert found["autoboot"] == (2_000_000, 2)
    assert found["boot-command"] == (9_000_000, 9)
