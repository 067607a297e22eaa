# SPDX-License-Identifier: MIT
"""Kernels and root trees for processors that bootlab has no machine for: named as what they are, and why they stay."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import inspect
from bootlab.errors import SystemFileError, UserError
from bootlab.formats.processor import without_machine
from bootlab.model.system import Kernel
from bootlab.sources.look import Looker
from bootlab.systemfile.proposal import propose

BANNER = b"Linux version 6.1.0-9 (a@b) (gcc) #1 SMP Debian 6.1.27-1\n\0"
S390X = bytes(0x10008) + b"S390EP" + bytes(4096)
"""arch/s390/boot/head.S: what a kernel for IBM Z has there."""


def elf(machine: int, *, little: bool, wide: bool = True) -> bytes:
    """Return an ELF program with one segment, which says that it is a Linux."""
    ends = "<" if little else ">"
    head = b"\x7fELF" + bytes([1 + wide, 2 - little, 1]) + bytes(9)
    if wide:
        head += struct.pack(f"{ends}HHIQQQIHHHHHH", 2, machine, 1, 1 << 30, 64, 0, 0, 64, 56, 1, 64, 0, 0)
        head += struct.pack(f"{ends}IIQQQQQQ", 1, 5, 4096, 1 << 30, 0, len(BANNER), len(BANNER), 4096)
    else:
        head += struct.pack(f"{ends}HHIIIIIHHHHHH", 2, machine, 1, 1 << 30, 52, 0, 0, 52, 32, 1, 40, 0, 0)
        head += struct.pack(f"{ends}IIIIIIII", 1, 4096, 1 << 30, 0, len(BANNER), len(BANNER), 5, 4096)
    return head.ljust(4096, b"\0") + BANNER


def refused(tmp_path: Path, *given: Path) -> UserError:
    """Return why a system of what is given is not described."""
    looker = Looker(tmp_path / "kept", Cache(tmp_path / "cache"), tmp_path / "store")
    with pytest.raises(UserError) as caught:
        propose(looker.all(list(given)), "x")
    return caught.value


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (elf(21, little=True), "ppc64le"),
        (elf(21, little=False), "ppc64"),
        (elf(20, little=False, wide=False), "powerpc"),
        (elf(22, little=False), "s390x"),
        (S390X, "s390x"),
        (elf(8, little=True, wide=False), "mipsel"),
        (elf(258, little=True), "loongarch64"),
        (elf(50, little=True), "ia64"),
    ],
)
def test_a_kernel_is_named_and_why_it_does_not_boot(tmp_path, data, name):
    (tmp_path / "vmlinux").write_bytes(data)
    said = refused(tmp_path, tmp_path / "vmlinux")
    because = "not supported, because bootlab has machines for x86_64, arm, arm64 and riscv64 only"
    assert said.message == f"{tmp_path / 'vmlinux'} is a kernel for {name}: {because}"
    assert "bootlab analyze" in said.hint


def test_a_kernel_in_a_system_file_is_not_called_no_kernel(tmp_path):
    (tmp_path / "image").write_bytes(S390X)
    with pytest.raises(SystemFileError, match="a kernel for s390x: not supported, because") as caught:
        inspect(Kernel(image=str(tmp_path / "image")), tmp_path / "cache", "0" * 32)
    assert "not a kernel" not in caught.value.message


@pytest.mark.parametrize(("machine", "little", "name"), [(21, True, "ppc64le"), (22, False, "s390x")])
def test_a_root_tree_is_named_by_its_programs(tmp_path, machine, little, name):
    root = tmp_path / "root"
    for folder in ("sbin", "etc"):
        (root / folder).mkdir(parents=True)
    (root / "sbin/init").write_bytes(elf(machine, little=little))
    assert f"the programs of {root} are for {name}: not supported, because" in refused(tmp_path, root).message


def test_what_has_a_machine_is_not_named():
    for machine in (3, 40, 62, 183, 243):
        assert without_machine(elf(machine, little=True)) == ""
    u_boot = bytearray(b"\x27\x05\x19\x56".ljust(80, b"\0"))
    for number, name in ((2, ""), (22, ""), (7, "powerpc")):
        u_boot[29] = number
        assert without_machine(bytes(u_boot)) == name
    assert without_machine(b"\x7fELF") == ""
