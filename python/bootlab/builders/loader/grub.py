# SPDX-License-Identifier: MIT
"""GRUB on a PC's card: its boot sector, its core, its files and the kernel, put together without root."""

from __future__ import annotations

import struct
from pathlib import Path

from bootlab import host_packages
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import tool
from bootlab.builders.loader import partition
from bootlab.builders.loader.commands import INITRAMFS_FILE, KERNEL_FILE, SECTOR_BYTES
from bootlab.errors import UserError
from bootlab.model.boot_loader import Loader

_VERSION = 1
PARTITION_BYTES = 1 << 20
"""Where the partition begins: as on every disk of today."""
BOOT_SECTOR, DECOMPRESSOR, UNPACKED = 0x7C00, 0x8200, 0x100000
"""Where GRUB's parts are entered (include/grub/i386/pc/boot.h, grub-core/boot/i386/pc/startup_raw.S)."""
# Of a boot sector, what comes behind is the disk's number and its partition table.
_BOOT_CODE_BYTES = 440
_MODULES = ("biosdisk", "part_msdos", "fat")
_PREFIX = "(hd0,msdos1)"
_HEADER_AT, _HEADER_MAGIC = 0x202, b"HdrS"
_RELOCATABLE_AT, _PREFERRED_AT, _START_AT = 0x234, 0x258, 0x214


def disk(loader: Loader, parts: partition.PcBoot, cache: Cache) -> Path:
    """Return the image, from the cache or made. Raise ToolMissing, EnvironmentFault, UserError."""
    modules = Path(loader.grub or "")
    if not (modules / "boot.img").is_file() or not (modules / "kernel.img").is_file():
        raise UserError(
            f"{modules} holds no GRUB for a BIOS: no boot.img and kernel.img",
            hint=f"{host_packages.install('grub-pc-bin grub-common')}; it is then in /usr/lib/grub/i386-pc",
        )
    core = _core(loader, modules, parts, cache)
    files = [None if path is None else cache.digest(path) for path in (core, parts.kernel, parts.initramfs)]
    # What lies in the FAT beside the kernel is this GRUB's.
    own = [cache.digest(path) for path in (modules / "boot.img", *_own_files(loader, modules))]
    key = key_of("grub-disk", _VERSION, files, own, parts.cmdline, loader.start, loader.wait_s)
    return cache.file(key, ".disk", lambda path: _write(loader, modules, core, parts, path))


def kernel_entry(kernel: Path) -> int | None:
    """Return the address at which GRUB enters a bzImage (grub-core/loader/i386/linux.c); None: it is none.

    Raise OSError.
    """
    with kernel.open("rb") as file:
        head = file.read(0x260)
    if head[_HEADER_AT : _HEADER_AT + 4] != _HEADER_MAGIC or len(head) < 0x260:
        return None
    (start,) = struct.unpack_from("<I", head, _START_AT)
    if not head[_RELOCATABLE_AT]:
        return int(start)
    return int(struct.unpack_from("<Q", head, _PREFERRED_AT)[0])


def commands(parts: partition.PcBoot) -> list[str]:
    """Return the commands that load the kernel and start it."""
    # In single quotes GRUB's parsers take every character as it is, but for that quote.
    words = (word.replace("'", "'\\''") for word in parts.cmdline.split())
    line = " ".join(f"'{word}'" for word in words)
    found = [f"linux {_PREFIX}/{KERNEL_FILE} {line}".rstrip()]
    return [*found, f"initrd {_PREFIX}/{INITRAMFS_FILE}"] if parts.initramfs is not None else found


def menu(loader: Loader, parts: partition.PcBoot) -> str:
    """Return grub.cfg: one entry, started after the wait, with what Debian's says while it loads."""
    load, *initrd = commands(parts)
    lines = ["set default=0", f"set timeout={loader.wait_s}", "menuentry 'Linux' {", "    echo 'Loading Linux ...'"]
    lines.append(f"    {load}")
    lines += [text for line in initrd for text in ("    echo 'Loading initial ramdisk ...'", f"    {line}")]
    return "\n".join([*lines, "}"]) + "\n"


def _core(loader: Loader, modules: Path, parts: partition.PcBoot, cache: Cache) -> Path:
    """Return GRUB's core: with its modules on the disk and a menu, or with all in it that loads the kernel."""
    own = loader.start == "command"
    names = (*_MODULES, "linux") if own else _MODULES
    early = "\n".join([*commands(parts), "boot", ""]) if own else ""
    used = [cache.digest(path) for path in sorted(modules.glob("*.img")) + sorted(modules.glob("*.mod"))]
    key = key_of("grub-core", _VERSION, used, names, early)

    def make(path: Path) -> None:
        program = tool.find("grub-mkimage", "grub-common", "to put GRUB on a disk")
        command = [program, "-d", str(modules), "-O", "i386-pc", "-o", str(path), "-p", f"{_PREFIX}/grub"]
        if not own:
            tool.run([*command, *names])
            return
        config = path.with_suffix(".cfg")
        config.write_text(early, encoding="utf-8")
        try:
            tool.run([*command, "-c", str(config), *names])
        finally:
            config.unlink(missing_ok=True)

    return cache.file(key, ".core", make)


def _own_files(loader: Loader, modules: Path) -> list[Path]:
    """Return the files of GRUB that the menu needs on the disk."""
    if loader.start == "command":
        return []
    return sorted(modules.glob("*.mod")) + sorted(modules.glob("*.lst"))


def _write(loader: Loader, modules: Path, core: Path, parts: partition.PcBoot, path: Path) -> None:
    code = core.read_bytes()
    if len(code) > PARTITION_BYTES - SECTOR_BYTES:
        raise UserError(
            f"GRUB's core image has {len(code)} bytes; before the partition is room for "
            f"{PARTITION_BYTES - SECTOR_BYTES}",
            hint="is this folder Debian's /usr/lib/grub/i386-pc?",
        )
    files = {KERNEL_FILE: parts.kernel.read_bytes()}
    if parts.initramfs is not None:
        files[INITRAMFS_FILE] = parts.initramfs.read_bytes()
    own = _own_files(loader, modules)
    if loader.start != "command":
        files["grub/grub.cfg"] = menu(loader, parts).encode()
    content = sum(len(data) for data in files.values()) + sum(source.stat().st_size for source in own)
    partition.make_table(path, PARTITION_BYTES, content)
    with path.open("r+b") as file:
        # boot.img reads its next sector, and the core says itself how long it is.
        file.write((modules / "boot.img").read_bytes()[:_BOOT_CODE_BYTES])
        file.seek(SECTOR_BYTES)
        file.write(code)
    partition.fill(path, PARTITION_BYTES, files, {"grub/i386-pc": own} if own else None)
