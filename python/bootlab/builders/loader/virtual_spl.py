# SPDX-License-Identifier: MIT
"""U-Boot with an SPL on RISC-V's machine `virt`: built here, its parts put into RAM by the emulator."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.loader.built import BuiltLoader
from bootlab.builders.loader.fit import FitImage, fit
from bootlab.builders.loader.uboot import UbootBuilder
from bootlab.builders.loader.virtual import InRam, LoadedImage, kernel_in_memory
from bootlab.errors import ToolMissing, UserError
from bootlab.model.boot_loader import FALCON_SIZE, RISCV_VIRT, SECOND_SIZE, Loader
from bootlab.model.launch import InMemory, LoadedFirst
from bootlab.model.source_build import Options
from bootlab.model.system import SystemDescription

OPENSBI = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin")
"""Where Debian's package opensbi has it."""

_VERSION = 1
# Behind what the SPL and U-Boot use themselves (CONFIG_SPL_BSS_START_ADDR and the memory behind it).
_AT = InRam(image=0x90000000, initramfs=RISCV_VIRT.initramfs_address, kernel=0x82000000)
_U_BOOT_FIT, _FALCON_FIT, _RAM_END = 0xA0000000, 0xA8000000, 0xC0000000
_OPENSBI_AT, _SPL_BSS = 0x80100000, 0x84000000
# Documentation/riscv/boot-image-header.rst.
_MAGIC, _MAGIC_AT = b"RSC\x05", 0x38
# What the SPL puts behind the kernel: the device tree, with room for what OpenSBI adds.
_TREE_ROOM_BYTES = 1 << 20


def spl_options(loader: Loader) -> Options:
    """Return what has to be set besides what the user asked for."""
    found = [("SPL_LOAD_FIT_ADDRESS", f"{_U_BOOT_FIT:#x}")]
    if loader.start == "falcon":
        found += [("SPL_FALCON_RAM", "y"), ("SPL_FALCON_RAM_ADDRESS", f"{_FALCON_FIT:#x}")]
        found += [("SPL_FALCON_RAM_CRC", "y" if loader.checked else "n")]
    return tuple(found)


def placed(
    system: SystemDescription,
    loader: Loader,
    kernel: Path,
    initramfs: Path | None,
    cmdline: str,
    emulator: str,
    cache: Cache,
    builder: UbootBuilder,
) -> LoadedImage:
    """Build U-Boot; say what the emulator starts. Raise what the builder raises, UserError, ToolMissing, OSError."""
    _check(system, loader)
    if loader.build is None:
        raise ValueError("a loader that is not built")
    if not OPENSBI.is_file():
        raise ToolMissing(str(OPENSBI), package="opensbi", needed_for="to start what an SPL has loaded")
    falcon = loader.start == "falcon"
    made = builder.build(loader.build, RISCV_VIRT, system.machine.arch, spl_options(loader), falcon=falcon)
    spl = cache.file(key_of("virtual-spl", _VERSION, cache.digest(made.image)), ".spl", lambda path: _spl(made, path))
    second = _u_boot(made, cache)
    sizes = {SECOND_SIZE: second.stat().st_size}
    tree, handed = kernel_in_memory(system, kernel, initramfs, cmdline, _AT, emulator, cache)
    memory = [InMemory(file=str(second), address=_U_BOOT_FIT), *handed]
    entries = {"spl": RISCV_VIRT.spl_entry, "opensbi": _OPENSBI_AT, "u-boot": RISCV_VIRT.u_boot_entry}
    load = made.spl_symbols().get("board_init_r")
    entries |= {} if load is None else {"spl-load": load}
    entered = _AT.kernel
    if falcon:
        linux, entered = _linux(kernel, cache)
        memory.append(InMemory(file=str(linux), address=_FALCON_FIT))
        sizes[FALCON_SIZE] = linux.stat().st_size
    entries |= {"kernel-entry": entered, "kernel-image": entered}
    first = LoadedFirst(file=str(spl), instead_of="firmware", dtb=tree, memory=tuple(memory))
    return LoadedImage(first=first, entries=entries, loads_kernel=False, built=made, sizes_bytes=sizes)


def _check(system: SystemDescription, loader: Loader) -> None:
    if system.machine.arch != "riscv64":
        raise UserError(
            f"bootlab builds no U-Boot for the machine {system.machine.type} of {system.machine.arch}",
            hint='[loader] image = "/usr/lib/u-boot/qemu_arm64/u-boot.bin" (Debian: u-boot-qemu)',
        )
    kept = msgspec.structs.replace(
        Loader(), build=loader.build, start=loader.start, fallback=loader.fallback, checked=loader.checked
    )
    if loader != kept or loader.start not in {"extlinux", "falcon"}:
        raise UserError(
            "on virt there is no card: the emulator puts everything into RAM, and the device tree has the boot command",
            hint='leave all keys of [loader] out but source, defconfig, config, options, patches; or start = "falcon"',
        )
    least_mib = (_RAM_END - RISCV_VIRT.spl_entry) >> 20
    if system.machine.memory_mib < least_mib:
        raise UserError(
            f"U-Boot with an SPL has its parts spread over {least_mib} MiB of RAM, and the machine has "
            f"{system.machine.memory_mib}",
            hint=f"[machine] memory_mib = {least_mib}",
        )


def _spl(made: BuiltLoader, path: Path) -> None:
    path.write_bytes(made.part(RISCV_VIRT, 0))


def _u_boot(made: BuiltLoader, cache: Cache) -> Path:
    key = key_of("virtual-u-boot", _VERSION, cache.digest(made.image), cache.digest(OPENSBI))
    data = made.part(RISCV_VIRT, 1)
    return cache.file(key, ".itb", lambda path: _fit("u-boot", RISCV_VIRT.u_boot_entry, data, path))


def _linux(kernel: Path, cache: Cache) -> tuple[Path, int]:
    """Return the FIT with OpenSBI and the kernel, and where the kernel is entered.

    The kernel stands in it as long as it is in memory: the SPL puts the device tree behind what it has loaded, and
    there are variables that the kernel clears.
    """
    data = kernel.read_bytes()
    if data[_MAGIC_AT : _MAGIC_AT + 4] != _MAGIC:
        raise UserError(
            f"{kernel} has no header of a RISC-V kernel, so its load address is not known",
            hint="falcon mode takes an Image that is not packed",
        )
    offset, size = (int.from_bytes(data[at : at + 8], "little") for at in (8, 16))
    load = RISCV_VIRT.spl_entry + offset
    if not _OPENSBI_AT < load <= load + max(size, len(data)) <= _SPL_BSS - _TREE_ROOM_BYTES:
        raise UserError(
            f"the kernel wants {size} bytes of RAM from {load:#x} on, and there is room up to {_SPL_BSS:#x}",
            hint="a smaller kernel, or no falcon mode",
        )
    key = key_of("virtual-linux", _VERSION, cache.digest(kernel), cache.digest(OPENSBI))
    return cache.file(key, ".itb", lambda path: _fit("linux", load, data.ljust(size, b"\0"), path)), load


def _fit(name: str, load: int, data: bytes, path: Path) -> None:
    firmware = FitImage(name="opensbi", kind="firmware", os="opensbi", load=_OPENSBI_AT, data=OPENSBI.read_bytes())
    # spl_invoke_opensbi() enters what the FIT says is U-Boot, whatever it is.
    fit(firmware, FitImage(name=name, kind="standalone", os="u-boot", load=load, data=data), arch="riscv", path=path)
