# SPDX-License-Identifier: MIT
"""The flash bank: what lies where, and what does not fit."""

import shutil
import struct

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.flash_image import flash_image, loader_code
from bootlab.errors import UserError
from bootlab.experiments.xip import variant
from bootlab.model.flash_layout import ARM_VIRT, RISCV_VIRT, STARTS, banks, entry, layout
from bootlab.model.system import Goal, Kernel, KernelBuild, Machine, SystemDescription

COMPILERS = {ARM_VIRT: "arm-linux-gnueabihf-gcc", RISCV_VIRT: "riscv64-linux-gnu-gcc"}
needs_compiler = pytest.mark.skipif(
    shutil.which(COMPILERS[ARM_VIRT]) is None, reason="no compiler for arm: scripts/setup-debian.sh boards"
)


def with_compiler(place, *values):
    skipped = pytest.mark.skipif(
        shutil.which(COMPILERS[place]) is None, reason=f"no compiler for {place.arch}: scripts/setup-debian.sh boards"
    )
    return pytest.param(place, *values, marks=skipped, id="-".join((place.arch, *values)))


SYSTEM = SystemDescription(
    name="lab",
    kernel=Kernel(image="", build=KernelBuild()),
    goal=Goal(console="x"),
    machine=Machine(arch="arm", type="virt", memory_mib=128),
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "cache"))
    kernel, initramfs = tmp_path / "Image", tmp_path / "initramfs"
    kernel.write_bytes(b"KERNEL" * 100)
    initramfs.write_bytes(b"INITRAMFS" * 10)
    return kernel, initramfs, Cache(tmp_path / "cache")


@pytest.mark.parametrize(
    ("place", "start"), [with_compiler(place, start) for place in (ARM_VIRT, RISCV_VIRT) for start in place.starts]
)
def test_everything_lies_where_the_loader_looks(files, place, start):
    kernel, initramfs, cache = files
    bank = flash_image(place, start, kernel, initramfs, cache)
    assert bank.stat().st_size == place.bank_bytes
    with bank.open("rb") as file:
        head = file.read(256)
        file.seek(place.kernel - place.bank)
        assert file.read(600) == kernel.read_bytes()
        # What a RISC-V kernel reads behind its end must be zero.
        assert file.read(1 << 20).count(0) == 1 << 20
        file.seek(place.initramfs - place.bank)
        assert file.read(90) == initramfs.read_bytes()
    table = struct.unpack_from("<4s9I", head, 4)
    assert table[0] == b"BLFL"
    assert table[3:6] == (place.initramfs, place.initramfs_to, 90)
    assert table[8] == (600 if start in {"copied", "unpacked"} else 0)
    assert table[9] == entry(place, start)
    # Two ways never share a bank; the same one is made once.
    assert flash_image(place, start, kernel, initramfs, cache) == bank
    other = "copied" if start != "copied" else "in-place"
    assert flash_image(place, other, kernel, initramfs, cache) != bank


@needs_compiler
def test_the_mark_of_the_copy_is_an_instruction_of_the_loader(files):
    code = loader_code(ARM_VIRT)
    # ldr r0, [pc, #...]: kernel_from
    assert code[ARM_VIRT.copy_mark + 2 : ARM_VIRT.copy_mark + 4] == b"\x1f\xe5"
    assert code[ARM_VIRT.copy_mark - 4 : ARM_VIRT.copy_mark] == b"\0\0\0\0"


@pytest.mark.skipif(
    shutil.which(COMPILERS[RISCV_VIRT]) is None, reason="no compiler for riscv64: scripts/setup-debian.sh boards"
)
def test_the_mark_of_the_copy_is_an_instruction_of_the_loader_on_riscv(files):
    code = loader_code(RISCV_VIRT)
    mark = RISCV_VIRT.copy_mark - RISCV_VIRT.bank
    # lwu a2, 20(s0): kernel_from
    assert struct.unpack_from("<I", code, mark) == (20 << 20 | 8 << 15 | 0b110 << 12 | 12 << 7 | 0b0000011,)
    assert code[mark - 4 : mark] == b"\0\0\0\0"


@needs_compiler
def test_a_kernel_that_is_too_large_is_said(files):
    _, initramfs, cache = files
    big = initramfs.with_name("big")
    with big.open("wb") as file:
        file.truncate(ARM_VIRT.bank_bytes)
    with pytest.raises(UserError, match="does not fit"):
        flash_image(ARM_VIRT, "copied", big, None, cache)
    with pytest.raises(UserError, match="does not fit"):
        flash_image(ARM_VIRT, "copied", initramfs, big, cache)


@pytest.mark.parametrize(
    "fields", [{"type": "vexpress-a9"}, {"arch": "arm64"}, {"flash": ("x.img",)}, {"memory_mib": 64}]
)
def test_machines_that_cannot_start_so_are_named(fields):
    with pytest.raises(UserError) as raised:
        layout(msgspec.structs.replace(SYSTEM, machine=msgspec.structs.replace(SYSTEM.machine, **fields)))
    assert raised.value.hint


def test_each_way_asks_for_its_kernel():
    built = {start: variant(SYSTEM, start).kernel for start in STARTS}
    assert [built[s].build.image for s in STARTS] == ["xipImage", "Image", "zImage", "zImage"]
    assert [built[s].flash for s in STARTS] == list(STARTS)
    assert dict(built["in-place"].build.changes[0]) == {"XIP_KERNEL": "y", "XIP_PHYS_ADDR": "0x00080000"}
    assert dict(built["unpacked-in-place"].build.changes[0])["ZBOOT_ROM_TEXT"] == "0x80000"
    assert built["copied"].build.changes == ()


def test_the_banks_that_a_machine_has_besides_stay():
    assert banks(ARM_VIRT, "made", ()) == ("made",)
    assert banks(ARM_VIRT, "made", ("", "root.img")) == ("made", "root.img")
    assert banks(RISCV_VIRT, "made", ()) == ("", "made")
    assert banks(RISCV_VIRT, "made", ("firmware.bin",)) == ("firmware.bin", "made")


def test_riscv_names_its_ram_and_has_no_unpacker():
    machine = Machine(arch="riscv64", type="virt", memory_mib=128)
    system = msgspec.structs.replace(SYSTEM, machine=machine)
    assert layout(system) is RISCV_VIRT
    options = dict(variant(system, "in-place").kernel.build.changes[0])
    assert options == {"XIP_KERNEL": "y", "XIP_PHYS_ADDR": "0x22200000", "PHYS_RAM_BASE": "0x80200000"}
    assert variant(system, "copied").kernel.build.changes == ()
    assert RISCV_VIRT.starts == ("in-place", "copied")
    taken = msgspec.structs.replace(system, machine=msgspec.structs.replace(machine, flash=("", "x.img")))
    with pytest.raises(UserError, match="bank 1 is in use"):
        layout(taken)
