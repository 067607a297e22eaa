"""The flash bank: what lies where, and what does not fit."""

import shutil
import struct

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.flash_image import flash_image, loader_code
from bootlab.errors import UserError
from bootlab.experiment.xip import STARTS, variant
from bootlab.model.flash_layout import ARM_VIRT, entry, layout
from bootlab.model.system import Goal, Kernel, KernelBuild, Machine, System

needs_compiler = pytest.mark.skipif(shutil.which("arm-linux-gnueabihf-gcc") is None, reason="no compiler for arm")
SYSTEM = System(
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


@needs_compiler
@pytest.mark.parametrize("start", STARTS)
def test_everything_lies_where_the_loader_looks(files, start):
    kernel, initramfs, cache = files
    bank = flash_image(ARM_VIRT, start, kernel, initramfs, cache)
    assert bank.stat().st_size == ARM_VIRT.bank_bytes
    with bank.open("rb") as file:
        head = file.read(256)
        file.seek(ARM_VIRT.kernel)
        assert file.read(600) == kernel.read_bytes()
        file.seek(ARM_VIRT.initramfs)
        assert file.read(90) == initramfs.read_bytes()
    table = struct.unpack_from("<4s9I", head, 4)
    assert table[0] == b"BLFL"
    assert table[3:6] == (ARM_VIRT.initramfs, ARM_VIRT.initramfs_to, 90)
    assert table[8] == (600 if start in {"copied", "unpacked"} else 0)
    assert table[9] == entry(ARM_VIRT, start)
    # Two ways never share a bank; the same one is made once.
    assert flash_image(ARM_VIRT, start, kernel, initramfs, cache) == bank
    other = "copied" if start != "copied" else "unpacked"
    assert flash_image(ARM_VIRT, other, kernel, initramfs, cache) != bank


@needs_compiler
def test_the_mark_of_the_copy_is_an_instruction_of_the_loader(files):
    code = loader_code()
    # ldr r0, [pc, #...]: kernel_from
    assert code[ARM_VIRT.copy_mark + 2 : ARM_VIRT.copy_mark + 4] == b"\x1f\xe5"
    assert code[ARM_VIRT.copy_mark - 4 : ARM_VIRT.copy_mark] == b"\0\0\0\0"


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
