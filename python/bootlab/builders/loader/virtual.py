# SPDX-License-Identifier: MIT
"""The machine `virt`: the emulator puts U-Boot, or what starts it, in place, and the kernel where U-Boot finds it."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from bootlab.builders.boot_image import legacy_header
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import tool
from bootlab.builders.loader.built import BuiltLoader
from bootlab.errors import UserError
from bootlab.model.boot_loader import Loader
from bootlab.model.launch import InMemory, LoadedFirst
from bootlab.model.system import SystemDescription

_VERSION = 2
_ARCHS = ("arm64", "riscv64")
_TF_A = b"Booting Trusted Firmware"
# core/kernel: what OP-TEE says of itself; and where TF-A puts it, in RAM that only the secure world sees
# (plat/qemu/qemu/include/platform_def.h: BL32_DRAM_BASE).
_OP_TEE, _OP_TEE_AT = b"OP-TEE version", 0xE100000
# include/configs/qemu-arm.h: kernel_addr_r; boot/image.c: booti_setup() leaves a kernel there that may be anywhere.
_ARM64_KERNEL = 0x40400000
_ARM64_ANYWHERE = 1 << 3
# plat/qemu/common/include/platform_def.h of TF-A: NS_IMAGE_OFFSET. OpenSBI: FW_JUMP_ADDR, and where it lies itself.
_BEHIND_TF_A, _OPENSBI, _BEHIND_OPENSBI = 0x60000000, 0x80000000, 0x80200000


class LoadedImage(msgspec.Struct, frozen=True, kw_only=True):
    """What the emulator starts first, and the addresses at which the parts are entered.

    `loads_kernel`: the emulator also hands the kernel on (`-kernel`), which U-Boot asks for. `built`: who built it.
    `sizes_bytes`: how long that is which the SPL loads.
    """

    first: LoadedFirst
    entries: dict[str, int]
    loads_kernel: bool
    built: BuiltLoader | None = None
    sizes_bytes: dict[str, int] = {}


class InRam(msgspec.Struct, frozen=True, kw_only=True):
    """RISC-V: where the kernel's image and the initramfs wait in RAM, and where U-Boot copies the kernel to."""

    image: int = 0x84000000
    initramfs: int = 0x88300000
    kernel: int = 0x82000000


def is_virtual(system: SystemDescription) -> bool:
    """Tell whether a system's machine is one of these."""
    return system.machine.type.partition("-")[0] == "virt" and system.machine.arch in _ARCHS


def placed(
    system: SystemDescription,
    loader: Loader,
    kernel: Path,
    initramfs: Path | None,
    cmdline: str,
    emulator: str,
    cache: Cache,
) -> LoadedImage:
    """Say what the emulator starts. Raise UserError, ToolMissing, EnvironmentFault, OSError."""
    if loader.image is None or loader.start != "extlinux" or loader.wrapped:
        raise UserError(
            f"on {system.machine.type}, U-Boot is given its kernel by the emulator, and finds it itself",
            hint='[loader] image = "u-boot.bin" (Debian: u-boot-qemu), and no other key',
        )
    image = Path(loader.image)
    if system.machine.arch == "arm64":
        first = LoadedFirst(file=str(image), instead_of="firmware")
        return LoadedImage(first=first, entries=_arm64_entries(image, kernel), loads_kernel=True)
    at = InRam()
    tree, memory = kernel_in_memory(system, kernel, initramfs, cmdline, at, emulator, cache)
    first = LoadedFirst(file=str(image), instead_of="kernel", dtb=tree, memory=memory)
    entries = {"opensbi": _OPENSBI, "u-boot": _BEHIND_OPENSBI, "kernel-entry": at.kernel, "kernel-image": at.kernel}
    return LoadedImage(first=first, entries=entries, loads_kernel=False)


def kernel_in_memory(
    system: SystemDescription,
    kernel: Path,
    initramfs: Path | None,
    cmdline: str,
    at: InRam,
    emulator: str,
    cache: Cache,
) -> tuple[str, tuple[InMemory, ...]]:
    """Return the device tree and the files in memory from which U-Boot on RISC-V starts a kernel.

    Raise ToolMissing, EnvironmentFault, OSError.
    """
    end = None if initramfs is None else at.initramfs + initramfs.stat().st_size
    tree = str(_tree(system, cmdline, at, end, emulator, cache))
    image = InMemory(file=str(_wrapped(kernel, at, cache)), address=at.image)
    return tree, (image, *((InMemory(file=str(initramfs), address=at.initramfs),) if initramfs is not None else ()))


def _arm64_entries(image: Path, kernel: Path) -> dict[str, int]:
    data = image.read_bytes()
    found = {"tf-a": 0, "u-boot": _BEHIND_TF_A} if _TF_A in data else {"u-boot": 0}
    found |= {"op-tee": _OP_TEE_AT} if _OP_TEE in data else {}
    with kernel.open("rb") as file:
        head = file.read(64)
    if head[56:60] == b"ARM\x64" and int.from_bytes(head[24:32], "little") & _ARM64_ANYWHERE:
        start = _ARM64_KERNEL + int.from_bytes(head[8:16], "little")
        found |= {"kernel-entry": start, "kernel-image": start}
    return found


def _wrapped(kernel: Path, at: InRam, cache: Cache) -> Path:
    """Return the kernel with the header that bootm wants."""

    def make(path: Path) -> None:
        data = kernel.read_bytes()
        path.write_bytes(legacy_header(data, load=at.kernel, arch="riscv64") + data)

    return cache.file(key_of("virtual-kernel", _VERSION, cache.digest(kernel), at.kernel), ".uimage", make)


def _tree(
    system: SystemDescription, cmdline: str, at: InRam, initramfs_end: int | None, emulator: str, cache: Cache
) -> Path:
    """Return the machine's own device tree, with the command line and where the kernel is (board_late_init()).

    `emulator`: the program that is asked for the machine's.
    """
    machine = system.machine
    options = ",".join((machine.type, *machine.options))
    hardware = ["-cpu", machine.cpu, "-m", str(machine.memory_mib), "-smp", str(machine.cpus)]
    seen = shutil.which(emulator) or emulator
    key = key_of("virtual-tree", _VERSION, cache.digest(Path(seen)), options, hardware, cmdline, initramfs_end, at)

    def make(path: Path) -> None:
        fdtput = tool.find("fdtput", "device-tree-compiler", "to tell U-Boot where the kernel is")
        tool.run([emulator, "-machine", f"{options},dumpdtb={path}", *hardware, "-display", "none", "-seed", "1"])
        tool.run([fdtput, "-t", "s", str(path), "/chosen", "bootargs", cmdline])
        tool.run([fdtput, "-t", "x", str(path), "/chosen", "riscv,kernel-start", "0", f"{at.image:x}"])
        # U-Boot took that property for its boot command until 2023; the command itself is taken by every version
        # (common/cli.c: cli_process_fdt()).
        tool.run([fdtput, "-c", str(path), "/config"])
        tool.run([fdtput, "-t", "s", str(path), "/config", "bootcmd", f"bootm {at.image:#x} - ${{fdtcontroladdr}}"])
        # A boot gets one of its own seed; fdtput leaves the bytes in the file, so that they must be the same each time.
        tool.run([fdtput, "-d", str(path), "/chosen", "rng-seed"])
        if initramfs_end is not None:
            for name, address in (("start", at.initramfs), ("end", initramfs_end)):
                tool.run([fdtput, "-t", "x", str(path), "/chosen", f"linux,initrd-{name}", f"{address:x}"])

    return cache.file(key, ".dtb", make)
