# SPDX-License-Identifier: MIT
"""What a kernel image says about itself: version, configuration, symbols, entry points. Kept in the cache."""

from __future__ import annotations

import contextlib
import hashlib
import re
from pathlib import Path
from typing import Any

import msgspec

from bootlab import _core
from bootlab.errors import SystemFileError, cannot_write
from bootlab.formats import foreign_file, magics, symbol_list
from bootlab.formats.kernel_length import lacking_bytes
from bootlab.kernelsource.configuration import parse_config
from bootlab.model.system import Kernel
from bootlab.recordings import sealed
from bootlab.recordings.sealed import Form

_KERNELS = "give a bzImage, zImage, Image or an uncompressed vmlinux"
# Counted up whenever what is read out of an image changes.
_RULES = 9
_PARTS = ("arch", "linux", "setup", "elf", "arm_zimage", "flat", "efi_zboot", "uimage")
# The system call chroot() by architecture, since Linux 4.17 and before.
CHROOT = ("__x64_sys_chroot", "__arm64_sys_chroot", "__riscv_sys_chroot", "ksys_chroot", "sys_chroot", "SyS_chroot")
PIVOT = ("__x64_sys_pivot_root", "__arm64_sys_pivot_root", "__riscv_sys_pivot_root", "sys_pivot_root")
KEXEC = "machine_kexec"
"""The last function of a kernel that starts another one, of all architectures."""
NULLFS = "nullfs_fs_get_tree"
"""A function of kernels whose initramfs lies on another root, so that pivot_root() can leave it (7.0 and later)."""
# A function of each driver that a root may need. A kernel that has symbols and not this one lacks the driver.
DRIVER_SYMBOLS = {
    "VIRTIO_BLK": "virtblk_probe",
    "BLK_DEV_NVME": "nvme_probe",
    "BLK_DEV_PMEM": "nd_pmem_probe",
    "BLK_DEV_SD": "sd_probe",
    "MMC_BLOCK": "mmc_blk_probe",
    "MTD_BLOCK": "mtdblock_open",
    "BLK_DEV_RAM": "brd_init",
}
SYMBOLS = (
    "_text",
    "_stext",
    "_end",
    "start_kernel",
    "__idmap_text_start",
    "__idmap_text_end",
    "startup_64",
    "rest_init",
    "kernel_init",
    "run_init_process",
    "do_one_initcall",
    *("start_kernel", "startup_64", "rest_init", "kernel_init", "run_init_process", "do_one_initcall"),
    *("startup_64_setup_env", "startup_64_setup_gdt_idt", "x86_64_start_kernel"),
    *("__preempt_count", "pcpu_hot"),
    *CHROOT,
    *PIVOT,
    NULLFS,
    KEXEC,
    *DRIVER_SYMBOLS.values(),
)


class KernelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of one kernel. Addresses are those of the link (no KASLR).

    `unpacked_entry`: physical address of the first instruction of the kernel that an x86 image unpacks.
    `lacking_bytes`: how much of the image was cut off. `memory_bytes`: the memory that it needs to unpack itself.
    `behind_bytes`: what lies behind an ARM zImage (a device tree, perhaps).
    """

    format: str = "bootlab-kernelinfo"
    version: int = 2
    kind: str = ""
    arch: str = ""
    release: str = ""
    numbers: tuple[int, ...] = ()
    unpacked_entry: int | None = None
    text_offset_bytes: int = 0
    pvh_entry: int | None = None
    symbols: dict[str, int] = {}
    config: dict[str, str] = {}
    config_source: str = ""
    size_bytes: int = 0
    lacking_bytes: int = 0
    memory_bytes: int = 0
    behind_bytes: int = 0


FORM = Form(name="bootlab-kernelinfo", version=2, sealed_since=2, oldest=1)
"""That of a replay folder; the cache takes none without a digest."""


def inspect(
    kernel: Kernel, cache_folder: Path, sha256: str, watch: tuple[str, ...] = (), *, bare: bool = False
) -> KernelInfo:
    """Return the facts of a kernel image; `watch`: further symbols. Raise SystemFileError when it is no kernel.

    `bare`: the image may be code without any header (an ARM Image, an xipImage), of which only symbols are known then.
    """
    names = tuple(dict.fromkeys((*SYMBOLS, *watch)))
    asked = hashlib.sha256(" ".join((*names, *(("bare",) if bare else ()))).encode()).hexdigest()[:8]
    place = cache_folder / "kernelinfo" / f"{sha256[:32]}-{_RULES}-{asked}.json"
    info = sealed.kept(place, KernelInfo)
    if info is None:
        try:
            info = _read_image(kernel, names)
        except SystemFileError:
            if not bare:
                raise
            info = KernelInfo()
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            sealed.keep(place, info)
        except OSError as error:
            raise cannot_write(f"{place} cannot be written", error, cache_folder) from error
    if kernel.symbols:
        info = msgspec.structs.replace(info, symbols={**info.symbols, **_read_symbol_file(Path(kernel.symbols), names)})
    if kernel.config:
        text = Path(kernel.config).read_text(encoding="utf-8", errors="replace")
        return msgspec.structs.replace(info, config=parse_config(text), config_source=kernel.config)
    return info


def _read_image(kernel: Kernel, names: tuple[str, ...]) -> KernelInfo:
    data = Path(kernel.image).read_bytes()
    other = foreign_file.named_by(data[: foreign_file.HEAD_BYTES])
    if other is not None and other.kind == "kernel":
        other = None
    try:
        facts = _facts(data)
    except ValueError as fault:
        raise _no_kernel(kernel.image, other, f"bootlab does not recognise it as a kernel: {fault}") from fault
    if other is not None and (facts.get("uimage") or facts.get("elf")):
        # U-Boot's header stands before scripts and initramfs too; a module is an ELF file as a vmlinux is.
        raise _no_kernel(kernel.image, other, "")
    # Neither is there in every kernel; what lacks without them is said where it is missed.
    symbols: dict[str, int] = {}
    text: str | None = None
    with contextlib.suppress(ValueError):
        symbols = _core.kernel_symbols(data, list(names))
    with contextlib.suppress(ValueError):
        text = _core.kernel_config(data)
    linux = facts.get("linux") or {}
    setup = facts.get("setup") or {}
    elf = facts.get("elf") or {}
    flat = facts.get("flat") or {}
    zimage = facts.get("arm_zimage") or {}
    named = str(setup.get("kernel_version") or "")
    release = str(linux.get("release") or named.partition(" ")[0])
    return KernelInfo(
        kind=str(facts.get("kind") or ""),
        arch=str(facts.get("arch") or ""),
        release=release,
        numbers=_numbers(release, str(linux.get("banner") or named)),
        text_offset_bytes=flat.get("text_offset_bytes", 0),
        unpacked_entry=_unpacked_entry(setup, elf),
        pvh_entry=elf.get("pvh_entry"),
        symbols=symbols,
        config=parse_config(text) if text else {},
        config_source="the image (IKCONFIG)" if text else "",
        size_bytes=len(data),
        lacking_bytes=lacking_bytes(facts, data),
        memory_bytes=_memory_bytes(setup, flat),
        behind_bytes=max(0, len(data) - zimage["length_bytes"]) if zimage else 0,
    )


def _no_kernel(image: str, other: foreign_file.Named | None, message: str) -> SystemFileError:
    """Say that a file is no kernel: what else it is, where that is known."""
    return SystemFileError(
        message if other is None else f"this is {other.what}{f': {other.why}' if other.why else ', not a kernel'}",
        path=image,
        where="kernel.image",
        hint=(other.hint(image) if other is not None else "") or _KERNELS,
    )


def _unpacked_entry(setup: dict[str, Any], elf: dict[str, Any]) -> int | None:
    """Return where the decompressor jumps to when it unpacks to the preferred address.

    Since 6.8 that is the entry of the ELF file inside (arch/x86/boot/compressed/misc.c: extract_kernel() returns it).
    Before, it was the first byte unpacked, and the ELF entry of such kernels is the same address.
    """
    start: int | None = setup.get("pref_address")
    entry: int | None = elf.get("entry")
    return start if start is None or entry is None or entry < start else entry


def _memory_bytes(setup: dict[str, Any], flat: dict[str, Any]) -> int:
    """Return the least memory below whose end a kernel lies; 0 where its headers do not say.

    Documentation/x86/boot.rst: it is unpacked to pref_address, never below, and needs init_size there.
    """
    if setup.get("init_size_bytes"):
        return int((setup.get("pref_address") or 0) + setup["init_size_bytes"])
    return int(flat.get("text_offset_bytes", 0) + flat.get("image_size_bytes", 0))


def _read_symbol_file(path: Path, names: tuple[str, ...]) -> dict[str, int]:
    with path.open("rb") as file:
        is_elf = file.read(4) == magics.ELF
    if not is_elf:
        return _read_system_map(path, names)
    try:
        found: dict[str, int] = _core.kernel_symbols(path.read_bytes(), list(names))
    except ValueError as fault:
        raise SystemFileError(
            f"its symbols cannot be read: {fault}",
            path=str(path),
            where="kernel.symbols",
            hint="give the kernel's System.map, or a vmlinux that was not stripped",
        ) from fault
    return found


def _read_system_map(path: Path, names: tuple[str, ...]) -> dict[str, int]:
    """Return the named symbols of a System.map. Debian's is a stub of one line, which gives none."""
    wanted = set(names)
    found: dict[str, int] = {}
    for address, _, name in symbol_list.lines(path):
        if name in wanted:
            found.setdefault(name, address)
    return found


def _facts(data: bytes) -> dict[str, Any]:
    facts: dict[str, Any] = msgspec.json.decode(_core.kernel_inspect(data))
    if not any(facts.get(part) for part in _PARTS):
        raise ValueError(next(iter(facts.get("notes") or ()), "nothing in it is known"))
    return facts


def _numbers(release: str, banner: str) -> tuple[int, ...]:
    # Debian's release counts ABI changes (6.1.0-56); the banner names the upstream version behind it.
    match = re.search(r"\bDebian (\d+)\.(\d+)\.(\d+)-\d+ \(", banner) or re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", release)
    return tuple(int(n) for n in match.groups() if n) if match else ()
