# SPDX-License-Identifier: MIT
"""UEFI: EFI programs read and put together, systemd-boot's files, and what is refused."""

import struct

import pytest

from bootlab.builders.artefacts import Artefacts
from bootlab.builders.loader import uefi
from bootlab.builders.loader.partition import PcBoot
from bootlab.builders.loader.started import started
from bootlab.errors import UserError
from bootlab.formats.portable_executable import read_pe
from bootlab.model.boot_loader import Loader
from bootlab.model.launch import LoadedFirst
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription
from tests.mini_kernel import mini_kernel
from tests.uefi_kernel import SETUP_BYTES, START_AT, STUB_AT, uefi_kernel


@pytest.fixture
def kernel(tmp_path):
    return uefi_kernel(tmp_path / "kernel", "GOAL\n")


@pytest.fixture
def system(kernel, tmp_path):
    (tmp_path / "OVMF.fd").write_bytes(b"firmware")
    return SystemDescription(
        name="uefi", kernel=Kernel(image=str(kernel)), goal=Goal(console="GOAL"), machine=Machine(),
        loader=Loader(uefi=str(tmp_path / "OVMF.fd"), start="stub"),
    )  # fmt: skip


def test_an_efi_program_says_where_it_is_entered(kernel):
    data = kernel.read_bytes()
    found = read_pe(data)
    assert (found.entry, [one[1:] for one in found.sections]) == (STUB_AT, [(SETUP_BYTES,) * 4])
    assert found.offset(found.entry) == STUB_AT
    assert found.offset(0x40) is None
    assert found.offset(2 * SETUP_BYTES) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"MZ",
        b"ELF".ljust(100),
        b"MZ".ljust(0x3C) + b"\xff\xff\xff\x7f",
        b"MZ".ljust(0x3C, b"\0") + b"@\0\0\0PE\0\0",
    ],
)
def test_what_is_no_efi_program(data):
    assert read_pe(data) is None


def test_every_truncated_program_is_refused_or_read(kernel):
    data = kernel.read_bytes()
    for size in range(0x200):
        found = read_pe(data[:size])
        assert found is None or found.entry == STUB_AT


def test_the_parts_are_known_by_their_first_bytes(kernel):
    data = kernel.read_bytes()
    found = uefi.codes(Loader(uefi="OVMF.fd", start="stub"), kernel)
    assert found == {
        "efi-stub": f"0x40:{data[STUB_AT : STUB_AT + 32].hex()}",
        "decompression": f"0x200:{data[START_AT : START_AT + 32].hex()}",
    }
    with_program = uefi.codes(Loader(uefi="OVMF.fd", start="menu", program=str(kernel)), kernel)
    assert with_program["efi-program"] == found["efi-stub"]


def test_a_kernel_without_a_stub_and_a_program_that_is_none_are_refused(kernel, tmp_path):
    with pytest.raises(UserError, match="no EFI stub") as caught:
        uefi.codes(Loader(uefi="OVMF.fd", start="stub"), mini_kernel(tmp_path / "mini", "x"))
    assert "EFI_STUB" in caught.value.hint
    other = tmp_path / "text"
    other.write_text("#!/bin/sh")
    with pytest.raises(UserError, match="not an EFI program"):
        uefi.codes(Loader(uefi="OVMF.fd", start="menu", program=str(other)), kernel)


def test_sections_are_added_behind_the_programs_own(kernel):
    program = kernel.read_bytes()
    made = uefi.with_sections(program, {".cmdline": b"quiet", ".linux": b"k" * 5000})
    found = read_pe(made)
    assert found.sections[0] == read_pe(program).sections[0]
    (line_name, line, line_size, line_at, _), (image_name, image, image_size, image_at, count) = found.sections[1:]
    assert (line_name, image_name) == (".cmdline", ".linux")
    assert (line, line_size, image, image_size, count) == (0x2000, 5, 0x3000, 5000, 5120)
    assert made[line_at : line_at + 5] == b"quiet"
    assert made[image_at : image_at + 5000] == b"k" * 5000
    assert struct.unpack_from("<I", made, found.header + 24 + 56) == (0x5000,)
    with pytest.raises(UserError, match="no room"):
        uefi.with_sections(program, {f".s{at}": b"x" for at in range(30)})
    with pytest.raises(UserError, match="not an EFI program"):
        uefi.with_sections(b"text", {".linux": b"k"})


def test_systemd_boot_has_one_entry(kernel, tmp_path):
    parts = PcBoot(kernel=kernel, initramfs=tmp_path / "i", cmdline="console=ttyS0 quiet")
    assert uefi.entry_file(parts, 3) == {
        "loader/loader.conf": b"timeout 3\ndefault linux.conf\n",
        "loader/entries/linux.conf": b"title Linux\nlinux /kernel\ninitrd /initramfs\noptions console=ttyS0 quiet\n",
    }


def test_the_emulator_gets_firmware_and_kernel(system, kernel, cache):
    found = started(system, Artefacts(kernel=kernel), "quiet", cache)
    assert found.first == LoadedFirst(file=system.loader.uefi, instead_of="firmware")
    assert found.system.machine.extra == system.machine.extra
    assert (found.loads_kernel, found.unified, found.card, list(found.codes)) == (
        True, None, None, ["efi-stub", "decompression"],
    )  # fmt: skip


def test_one_program_with_all_in_it(system, kernel, cache):
    loader = Loader(uefi=system.loader.uefi, program=str(kernel), start="unified")
    found = started(with_loader(system, loader), Artefacts(kernel=kernel), "quiet", cache)
    assert found.loads_kernel
    assert len(read_pe(found.unified.read_bytes()).sections) == 3


def test_another_architecture_is_refused(system, kernel, cache):
    arm = with_loader(system, system.loader, Machine(arch="arm64", type="virt"))
    with pytest.raises(UserError, match="on PCs"):
        started(arm, Artefacts(kernel=kernel), "quiet", cache)


def with_loader(system: SystemDescription, loader: Loader, machine: Machine | None = None) -> SystemDescription:
    return SystemDescription(
        name=system.name, kernel=system.kernel, goal=system.goal, loader=loader, machine=machine or system.machine
    )
