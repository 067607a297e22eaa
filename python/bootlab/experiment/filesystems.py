"""The file-system comparison: one root tree packed in every way that kernel and machine can read, each booted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.compress import compress
from bootlab.builders.images import first_program, formats
from bootlab.builders.images.formats import FORMATS, Format, Image
from bootlab.builders.images.members import root_of, size_of
from bootlab.builders.initramfs import build_initramfs
from bootlab.errors import BootlabError, UserError
from bootlab.experiment.bench import Bench
from bootlab.experiment.filesystem_boot import preset_lpj, read_row
from bootlab.model.filesystems import Filesystems, FilesystemRow, LeftOut, Medium
from bootlab.model.storage import Storage
from bootlab.model.system import Check, Initramfs, System
from bootlab.model.tree import Compression, FileTree

_RAM_DISK_COMPRESSIONS: tuple[Compression, ...] = ("none", "gzip", "lz4", "xz")
_INITRAMFS_COMPRESSIONS: tuple[Compression, ...] = ("none", "gzip", "lz4", "xz")
_UNPACKERS: dict[Compression, str] = {"gzip": "RD_GZIP", "lz4": "RD_LZ4", "xz": "RD_XZ"}
# What other distributions of this comparison know and bootlab makes no image of; title and the kernel's option.
_NOT_MADE = (
    ("ubifs", "UBIFS", "UBIFS_FS"),
    ("xfs", "XFS", "XFS_FS"),
    ("btrfs", "Btrfs", "BTRFS_FS"),
    ("f2fs", "F2FS", "F2FS_FS"),
)
_PRESET = "-lpj"
_PRESET_OF = "cramfs-xip"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A row before its boot: the system that boots it."""

    id: str
    title: str
    medium: Medium
    form: Format | None
    image: Image
    system: System


def known_ids() -> tuple[str, ...]:
    """Return every row that there can be."""
    flash = [form.id for form in FORMATS]
    ram = [f"ramdisk-ext2-{name}" for name in _RAM_DISK_COMPRESSIONS] + ["ramdisk-cramfs"]
    rest = [f"initramfs-{name}" for name in _INITRAMFS_COMPRESSIONS]
    return (*flash, _PRESET_OF + _PRESET, *ram, *rest, *(name for name, _, _ in _NOT_MADE))


def compare(bench: Bench, cache: Cache, system: System, wanted: frozenset[str] = frozenset()) -> Filesystems:
    """Boot the system's tree in every file system, or in the wanted ones. Exact systems' boots are kept.

    Raise UserError for a system without a tree, without [storage], or whose init cannot start.
    """
    tree, storage = _tree_of(system)
    first_program.check(tree, _init_of(system), system.machine.arch)
    config = bench.target.plan(_plain(system)).info.config
    candidates, left_out = _candidates(system, tree, storage, cache, config, wanted)
    futures = [bench.submit(candidate.system, candidate.id) for candidate in candidates]
    rows = [
        read_row(candidate.system, recording, candidate.id, candidate.title, candidate.medium, candidate.form, candidate.image, storage)
        for candidate, recording in zip(candidates, bench.wait_all(futures), strict=True)
    ]
    preset_wanted = not wanted or _PRESET_OF + _PRESET in wanted
    base = next((candidate for candidate in candidates if candidate.id == _PRESET_OF), None)
    if preset_wanted and base is not None:
        recording = bench.boot(base.system, base.id)
        lpj = preset_lpj(recording)
        if lpj is None:
            reason = "the kernel does not calibrate its delay loop: no lpj= in its log, or it is computed from a timer"
            left_out.append(LeftOut(base.id + _PRESET, f"{base.title}, lpj preset", reason))
        else:
            preset = msgspec.structs.replace(base.system, cmdline=base.system.cmdline.with_param("lpj", str(lpj)))
            booted = bench.boot(preset, base.id + _PRESET)
            title = f"{base.title}, lpj preset"
            rows.append(read_row(preset, booted, base.id + _PRESET, title, base.medium, base.form, base.image, storage))
    if wanted:
        rows = [row for row in rows if row.id in wanted]
    members = list(root_of(tree).walk())
    return Filesystems(
        system=system.name,
        clock="virtual" if system.clock.mode == "exact" else "wall",
        tree_files=len(members) - 1,
        tree_bytes=sum(size_of(member) for member in members),
        rows=tuple(sorted(rows, key=_order)),
        left_out=tuple(left_out),
    )


def _order(row: FilesystemRow) -> tuple[bool, int, str]:
    return not row.ok, row.goal_ns or 0, row.id


def _tree_of(system: System) -> tuple[FileTree, Storage]:
    if system.storage is None:
        raise UserError(
            f"{system.name} says nothing about where a root can lie",
            hint="add [storage]: docs/how-to/compare-file-systems.md shows one",
        )
    if system.initramfs is None or not system.initramfs.tree.entries:
        raise UserError(
            f"{system.name} has no tree of files to pack", hint="add [initramfs] with a dir, an archive or files"
        )
    return system.initramfs.tree, system.storage


def _init_of(system: System) -> str:
    line = system.cmdline
    return line.value("init") or line.value("rdinit") or "/init"


def _plain(system: System) -> System:
    """Return the system with what the lines of `storage` tell in its check, so that the boot lasts until they came."""
    storage = system.storage or Storage()
    told = tuple(text for text in (storage.page_cache, storage.mapping) if text is not None)
    return msgspec.structs.replace(system, check=Check(console=(*system.check.console, *told)))


def _candidates(
    system: System,
    tree: FileTree,
    storage: Storage,
    cache: Cache,
    config: Mapping[str, str],
    wanted: frozenset[str],
) -> tuple[list[Candidate], list[LeftOut]]:
    found: list[Candidate] = []
    left_out: list[LeftOut] = []

    def add(row_id: str, title: str, options: tuple[str, ...], make: Callable[[], Candidate]) -> None:
        if wanted and row_id not in wanted and not (row_id == _PRESET_OF and _PRESET_OF + _PRESET in wanted):
            return
        lacking = [name for name in options if config.get(f"CONFIG_{name}") != "y"] if config else []
        if lacking:
            left_out.append(LeftOut(row_id, title, "the kernel lacks " + ", ".join(f"CONFIG_{x}" for x in lacking)))
            return
        try:
            found.append(make())
        except BootlabError as error:
            left_out.append(LeftOut(row_id, title, f"{error.message}; {error.hint}" if error.hint else error.message))

    for form in FORMATS:
        if storage.flash_bank is None:
            left_out.append(LeftOut(form.id, form.title, "the machine has no flash: storage.flash_bank is not set"))
            continue
        add(form.id, form.title, (*form.options, "MTD"), lambda form=form: _on_flash(system, tree, storage, cache, form))
    by_id = {form.id: form for form in FORMATS}
    for name in _RAM_DISK_COMPRESSIONS:
        title = "ext2 on a RAM disk" + ("" if name == "none" else f", {name}")
        options = ("EXT2_FS", "BLK_DEV_RAM", *([_UNPACKERS[name]] if name in _UNPACKERS else []))
        add(
            f"ramdisk-ext2-{name}", title, options,
            lambda name=name, title=title: _on_ram_disk(
                system, tree, storage, cache, config, f"ramdisk-ext2-{name}", title, by_id["ext2"], name
            ),
        )  # fmt: skip
    add(
        "ramdisk-cramfs", "CRAMFS on a RAM disk", ("CRAMFS", "CRAMFS_BLOCKDEV", "BLK_DEV_RAM"),
        lambda: _on_ram_disk(
            system, tree, storage, cache, config, "ramdisk-cramfs", "CRAMFS on a RAM disk", by_id["cramfs"], "none"
        ),
    )  # fmt: skip
    for name in _INITRAMFS_COMPRESSIONS:
        title = "initramfs" + ("" if name == "none" else f", {name}")
        options = ("BLK_DEV_INITRD", *([_UNPACKERS[name]] if name in _UNPACKERS else []))
        add(
            f"initramfs-{name}", title, options,
            lambda name=name, title=title: _as_initramfs(system, Initramfs(tree=tree), cache, name, title),
        )  # fmt: skip
    for row_id, title, option in _NOT_MADE:
        if not wanted or row_id in wanted:
            there = config.get(f"CONFIG_{option}") == "y"
            reason = "bootlab makes no image of it" if there else f"the kernel lacks CONFIG_{option}"
            left_out.append(LeftOut(row_id, title, reason))
    return found, left_out


def _on_flash(system: System, tree: FileTree, storage: Storage, cache: Cache, form: Format) -> Candidate:
    image = formats.build(form, tree, storage, cache)
    bank = formats.flash_bank(image, storage, cache, erased=form.erased)
    number = storage.flash_bank or 0
    banks = [*system.machine.flash, *[""] * (number + 1 - len(system.machine.flash))]
    banks[number] = str(bank)
    root = f"mtd:{storage.mtd_name}" if form.mtd and storage.mtd_name else storage.mtd_block
    machine = msgspec.structs.replace(system.machine, flash=tuple(banks))
    mounted = _with_root(msgspec.structs.replace(system, machine=machine), root, form.fstype)
    return Candidate(id=form.id, title=form.title, medium="flash", form=form, image=image, system=mounted)


def _on_ram_disk(
    system: System,
    tree: FileTree,
    storage: Storage,
    cache: Cache,
    config: Mapping[str, str],
    row_id: str,
    title: str,
    form: Format,
    name: Compression,
) -> Candidate:
    image = formats.build(form, tree, storage, cache)
    room_kib = int(config.get("CONFIG_BLK_DEV_RAM_SIZE", "0") or 0)
    if room_kib and image.size_bytes > room_kib << 10:
        raise UserError(
            f"the image is {image.size_bytes} bytes and a RAM disk {room_kib} KiB", hint="raise BLK_DEV_RAM_SIZE"
        )
    packed = image
    if name != "none":
        key = key_of("ram-disk", name, cache.digest(image.path))
        path = cache.file(key, f".{form.id}.{name}", lambda new: _pack(image.path, new, name))
        packed = Image(path, path.stat().st_size)
    mounted = msgspec.structs.replace(_with_root(system, storage.ram_disk, form.fstype), initrd=str(packed.path))
    return Candidate(id=row_id, title=title, medium="RAM disk", form=form, image=packed, system=mounted)


def _pack(source: Path, path: Path, name: Compression) -> None:
    compress(source, path, name)


def _as_initramfs(system: System, root: Initramfs, cache: Cache, name: Compression, title: str) -> Candidate:
    plain = _plain(system)
    root = msgspec.structs.replace(root, compression=name, level=None)
    # Unpacked beside other work, a slow compressor would hide in the waits of drivers.
    line = plain.cmdline.with_param("initramfs_async", "0")
    booted = msgspec.structs.replace(plain, initramfs=root, cmdline=line)
    path = build_initramfs(root, cache)
    image = Image(path, path.stat().st_size)
    return Candidate(id=f"initramfs-{name}", title=title, medium="initramfs", form=None, image=image, system=booted)


def _with_root(system: System, root: str, fstype: str) -> System:
    plain = _plain(system)
    line = plain.cmdline.with_param("root", root).with_param("rootfstype", fstype)
    line = line if line.has("rw") or line.has("ro") else line.with_param("ro")
    line = line.with_param("init", _init_of(system)).without("rdinit")
    return msgspec.structs.replace(plain, initramfs=None, cmdline=line)
