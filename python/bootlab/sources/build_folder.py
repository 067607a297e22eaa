# SPDX-License-Identifier: MIT
"""Folders that build systems leave: Buildroot's `output/`, Yocto's deploy folder, or one with images of any kind."""

from __future__ import annotations

import itertools
import re
import shlex
from pathlib import Path
from typing import Protocol

import msgspec

from bootlab.builders.cache import Cache
from bootlab.errors import SystemFileError, UserError
from bootlab.formats import device_tree
from bootlab.formats.device_tree import DeviceTreeFacts
from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.model.architecture import Arch
from bootlab.sources import boards, boot_entries, drivers, kernel_image, taken, unlisted_kernels
from bootlab.sources.facts import BootEntry, InitramfsFacts, SourceFacts

_FILES_MAX = 2000
_TEXT_MAX_BYTES = 1 << 20
_DISKS_NAMED_MAX = 6
# `linux` alone: the installer's folder, and netboot's. Behind a name: LinuxKit's, live systems' for the network.
_KERNELS = re.compile(
    r"(?:[zu]?Image|bzImage|vmlinuz|Image\.gz|fitImage|xipImage)(?:[-.].*)?$|linux$"
    r"|(?:.*[-_.])?(?:kernel|vmlinuz|bzImage)(?:[-_.](?:x86_64|amd64|aarch64|arm64|riscv64))?$"
)
# Not in the deploy folders of build systems, where it is the kernel with its symbols.
_VMLINUX = re.compile(r"vmlinux(?:[-._]|$)")
_INITRAMFS = re.compile(
    r".*\.cpio(?:\.(?:gz|bz2|lzma|xz|lzo|lz4|zst))?$|initrd.*|initramfs.*"
    r"|.*[-_.](?:initrd|initramfs)(?:[-_.](?:x86_64|amd64|aarch64|arm64|riscv64))?(?:\.img|\.gz|\.xz|\.zst)*$"
)
# What is called so mounts a root; other archives may be the same root in another form.
_EARLY = re.compile(r"init(?:rd|ramfs)(?:[-.].*)?$")
_INITRD_IMAGE = re.compile(r"(?:.*[-_.])?init(?:rd|ramfs)(?:[-_.].*)?\.img$")
# A command line in a file of its own.
_LINES = re.compile(r"(?:.*[-_.])?cmdline(?:\.txt)?$")
_DISKS = re.compile(r".*\.(?:wic|img|sdimg|rpi-sdimg|hddimg|qcow2|wic\.qcow2)$")
_ROOTS = re.compile(r".*\.(?:ext[234]|squashfs(?:-\w+)?|erofs|f2fs|btrfs|xfs|cramfs|romfs)$")
_PACKED = re.compile(r".*\.(?:wic|img|sdimg|rpi-sdimg|hddimg|ext[234])\.(?:gz|xz|bz2|zst)$")
# Files of the same folder that are parts of others, or belong to the firmware.
_NOT_DISKS = re.compile(r"(?:boot|efi-part|u-boot.*|bootloader.*|flash.*)\.(?:vfat|img)$|.*\.uboot\.img$")


_PLAIN = "a folder with images"


class _Hints(msgspec.Struct):
    """What the build system's own files say about a boot."""

    what: str
    machine: str = ""
    cmdline: str = ""
    device_tree: str = ""
    kernel: str = ""
    memory_mib: int = 0
    getty: str = ""


class FileLooker(Protocol):
    """Who looks at each file of a folder (:class:`bootlab.sources.look.Looker`)."""

    @property
    def cache(self) -> Cache:
        """Where what was found out about kernels is kept."""

    def look(self, path: Path) -> SourceFacts:
        """Look at a file or a folder, whatever it is."""

    def disk(self, path: Path) -> SourceFacts:
        """Look at the image of a medium."""

    def tree(self, path: Path) -> SourceFacts:
        """Look at a root tree."""

    def initramfs(self, path: Path) -> InitramfsFacts:
        """Look at an initramfs."""


def has_kernel(folder: Path) -> bool:
    """Tell whether the images of a folder have a kernel by name."""
    images = folder / "images" if (folder / "images").is_dir() else folder
    return any(_KERNELS.fullmatch(f.name) for f in _files(images))


def has_medium(folder: Path) -> bool:
    """Tell whether a folder has a medium or a root file system by name, with which its kernel boots."""
    return any(_is_disk(f) or _ROOTS.fullmatch(f.name) for f in _files(folder))


def look(folder: Path, looker: FileLooker) -> SourceFacts:
    """Return what a build system's folder holds. Raise UserError when nothing in it boots."""
    images = folder / "images" if (folder / "images").is_dir() else folder
    files = _files(images)
    hints = _hints(folder, images, files)
    hints.cmdline = hints.cmdline or _menu_line(images) or _line_in_a_file(files)
    kernel = _kernel(files, looker, folder)
    if kernel is None:
        disks = [f for f in files if _is_disk(f)]
        if len(disks) == 1 and not any(_KERNELS.fullmatch(f.name) for f in files):
            return looker.look(disks[0])
        raise _no_kernel(folder, images, files, looker)
    arch = kernel.arch
    found = msgspec.structs.replace(kernel, source=folder, what=hints.what)
    tree, notes, unknown = _device_tree(files, hints, arch)
    notes = [*kernel.notes, *notes]
    disk = _disk(files, looker, notes)
    archive = next((f for f in files if _INITRAMFS.fullmatch(f.name) and not _is_medium(f)), None)
    if disk is not None:
        found = msgspec.structs.replace(found, disk=disk.disk, root=disk.root, entry=disk.entry, entries=disk.entries)
        found = msgspec.structs.replace(found, no_line=disk.no_line)
        notes += disk.notes
        if tree is None and disk.device_tree is not None:
            tree = disk.device_tree
        early = disk.initramfs
        if early is None and archive is not None and _EARLY.match(archive.name):
            early = looker.initramfs(archive)
        elif early is None and archive is not None and not _mounts_by_itself(found, tree, hints):
            early = looker.initramfs(archive)
            notes.append(f"{archive.name} goes with it: the kernel alone has no driver for the card or its file system")
        found = msgspec.structs.replace(found, initramfs=early)
    elif archive is not None:
        found = msgspec.structs.replace(found, initramfs=looker.initramfs(archive))
    else:
        unknown.append(f"a root: no disk image, file system or initramfs was found in {images}")
        archives = [f for f in files if re.search(r"\.tar(?:\.\w+)?$", f.name)]
        if archives:
            notes.append(f"{archives[0].name} may be the root: mkdir root; tar -xpf {archives[0]} -C root; --from root")
    if found.root is None and (folder / "target").is_dir() and (folder / "target" / "etc").is_dir():
        inside = looker.tree(folder / "target")
        found = msgspec.structs.replace(found, root=inside.root)
    if hints.cmdline and (found.entry is None or not found.entry.cmdline):
        entry = found.entry or BootEntry()
        found = msgspec.structs.replace(found, entry=msgspec.structs.replace(entry, cmdline=hints.cmdline))
    if hints.what == _PLAIN and found.disk is None and found.entry is None:
        no_line = f"the command line is not known: nothing that was read in {folder} names one"
        found = msgspec.structs.replace(found, no_line=no_line)
    return msgspec.structs.replace(
        found, device_tree=tree, machine=hints.machine, notes=tuple(dict.fromkeys(notes)), unknown=tuple(unknown)
    )


def _no_kernel(folder: Path, images: Path, files: list[Path], looker: FileLooker) -> UserError:
    """Say why nothing in a folder boots: a link leads nowhere, a kernel is none, or nothing was built."""
    hint = "name Buildroot's output/, Yocto's tmp/deploy/images/MACHINE, a root tree, or an image itself"
    names = sorted(path for path in images.iterdir() if _KERNELS.fullmatch(path.name))
    for path in names:
        if path.is_symlink() and not path.exists():
            return UserError(f"{path} is a link to {path.readlink()}, which is not there", hint="build it again")
    for path in files:
        if _KERNELS.fullmatch(path.name):
            try:
                looker.look(path)
            except UserError as error:
                return UserError(f"{folder} holds no kernel that boots: {error.message}", hint=error.hint or hint)
    if named := [path for path in files if _VMLINUX.match(path.name)]:
        root = next((path for path in files if _ROOTS.fullmatch(path.name) or _is_medium(path)), "ROOT")
        listed = ", ".join(path.name for path in named[:_DISKS_NAMED_MAX])
        return UserError(
            f"{folder}: nothing that was read says which of its kernels is started: {listed}",
            hint=f"name one, and what it mounts: --from {named[0]} --from {root}",
        )
    return (
        _something_else(folder, images, files)
        or unlisted_kernels.below(folder)
        or UserError(f"{folder} holds neither a root tree nor a kernel image", hint=hint)
    )


def _something_else(folder: Path, images: Path, files: list[Path]) -> UserError | None:
    """Name a folder without a kernel by what else it holds."""
    disks = [f.name for f in files if _is_disk(f)]
    rooted = folder / "rootfs"
    rows = (
        (
            any(path.name.endswith(".manifest") for path in files),
            f"{folder} has a manifest, and no kernel was found in it",
            "let Yocto deploy it: bitbake virtual/kernel IMAGE",
        ),
        (
            (folder / "oci-layout").is_file() or (folder / "manifest.json").is_file(),
            f"{folder} is a container image: it has layers of a root, and no kernel",
            "docker create IMAGE; docker export ID | tar -xp -C root, then --from KERNEL --from root",
        ),
        (rooted.is_dir(), f"{folder} holds a root tree in {rooted}", f"give that: --from KERNEL --from {rooted}"),
        (
            len(disks) > 1,
            f"{folder} holds {len(disks)} disk images, and no kernel",
            f"name one: {', '.join(disks[:_DISKS_NAMED_MAX])}",
        ),
        (not any(images.iterdir()), f"{images} is empty", "build first, then give the same folder"),
    )
    return next((UserError(message, hint=way) for there, message, way in rows if there), None)


def _is_disk(path: Path) -> bool:
    return bool(_is_medium(path) or _PACKED.fullmatch(path.name)) and not _NOT_DISKS.fullmatch(path.name)


def _is_medium(path: Path) -> bool:
    """Tell whether a name is that of a disk image: initramfs end in `.img` too."""
    return bool(_DISKS.fullmatch(path.name)) and not _INITRD_IMAGE.fullmatch(path.name)


def _mounts_by_itself(found: SourceFacts, tree: DeviceTreeFacts | None, hints: _Hints) -> bool:
    """Tell whether the kernel can mount the disk's root without an initramfs, as far as its configuration says."""
    if found.arch is None or found.disk is None:
        return True
    part = found.disk.of(found.disk.root)
    fstype = part.file_system.fstype if part is not None and part.file_system is not None else "ext4"
    board = boards.choose(tree.compatible, found.arch).board if tree is not None else boards.usual(found.arch)
    board = boards.of_machine(hints.machine, found.arch) or board
    needs = (*drivers.of_medium("sd", board.card, pci=board.pci), *drivers.FILE_SYSTEMS.get(fstype, ()))
    return not drivers.lacking(drivers.reach(needs, found.kernel, None))


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder by name; of links that lead to the same file, the shortest name."""
    found: dict[Path, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda p: (len(p.name), p.name))[:_FILES_MAX]:
        if path.is_file():
            found.setdefault(path.resolve(), path)
    return sorted(found.values())


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_TEXT_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _hints(folder: Path, images: Path, files: list[Path]) -> _Hints:
    # A build inside Buildroot's own tree keeps its configuration above output/.
    config = _text(folder / ".config") or (_text(folder.parent / ".config") if folder.name == "output" else "")
    script = _text(images / "start-qemu.sh")
    if "BR2_" in config or (folder / "target").is_dir() or script:
        return _buildroot(config, script)
    runs = next((f for f in files if f.name.endswith(".qemuboot.conf")), None)
    manifest = any(f.name.endswith((".manifest", ".testdata.json")) for f in files)
    if runs is not None or manifest or any(".wic" in f.name for f in files):
        hints = _Hints(what="Yocto's deploy folder")
        if runs is not None:
            _read_qemuboot(_text(runs), hints)
        return hints
    return _Hints(what=_PLAIN)


def _line_in_a_file(files: list[Path]) -> str:
    """Return the command line of the one file that has its name; "" without one."""
    found = [f for f in files if _LINES.fullmatch(f.name)]
    lines = [line for line in _text(found[0]).splitlines() if line.strip()] if len(found) == 1 else []
    return " ".join(lines[0].split()) if len(lines) == 1 else ""


def _menu_line(images: Path) -> str:
    """Return the command line of what a boot loader's menu beside the images starts first; "" without one."""
    view = FileView(FolderFiles(images))
    entries = boot_entries.read(view)
    return next((entry.cmdline for entry in entries if entry.default and taken.resolve(view, entry.kernel)), "")


def _buildroot(config: str, script: str) -> _Hints:
    hints = _Hints(what="Buildroot's output folder")
    names = re.search(r'^BR2_LINUX_KERNEL_INTREE_DTS_NAME="([^"]*)"', config, re.MULTILINE)
    if names:
        hints.device_tree = (names[1].split() or [""])[0].rpartition("/")[2]
    getty = re.search(r'^BR2_TARGET_GENERIC_GETTY_PORT="([^"]*)"', config, re.MULTILINE)
    hints.getty = getty[1] if getty else ""
    call = re.search(r"^\s*(?:exec )?(?:\S*/)?(qemu-system-\S+.*)$", script.replace("\\\n", " "), re.MULTILINE)
    if call:
        try:
            words = shlex.split(call[1])
        except ValueError:
            words = call[1].split()
        given = dict(itertools.pairwise(words))
        hints.machine = (given.get("-M") or given.get("-machine") or "").partition(",")[0]
        hints.cmdline = given.get("-append", "")
        hints.device_tree = hints.device_tree or given.get("-dtb", "").rpartition("/")[2].removesuffix(".dtb")
    return hints


def _read_qemuboot(text: str, hints: _Hints) -> None:
    values = dict(line.partition("=")[::2] for line in text.splitlines() if "=" in line)
    values = {key.strip(): value.strip() for key, value in values.items()}
    hints.machine = values.get("qb_machine", "").replace("-machine", "").strip().partition(",")[0]
    hints.cmdline = " ".join(values.get("qb_kernel_cmdline_append", "").split())
    hints.device_tree = values.get("qb_dtb", "").rpartition("/")[2].removesuffix(".dtb")


def _kernel(files: list[Path], looker: FileLooker, folder: Path) -> SourceFacts | None:
    candidates = [f for f in files if _KERNELS.fullmatch(f.name)]
    # What QEMU loads: no U-Boot header where there is one without.
    candidates.sort(key=lambda f: (f.name.startswith(("uImage", "fitImage")), len(f.name), f.name))
    for path in candidates:
        try:
            found = looker.look(path)
        except (SystemFileError, UserError):
            continue
        if found.kernel is None:
            continue
        if not found.kernel.config:
            config = _kernel_config(folder)
            if config is not None:
                facts = kernel_image.facts_of(found.kernel.path, looker.cache, config=config)
                found = msgspec.structs.replace(found, kernel=facts)
        return found
    return None


def _kernel_config(folder: Path) -> Path | None:
    """Return the kernel's configuration where the build system has it."""
    found = sorted((folder / "build").glob("linux-[0-9]*/.config")) or sorted(
        (folder / "build").glob("linux-*/.config")
    )
    found = [path for path in found if "linux-headers" not in str(path) and "linux-firmware" not in str(path)]
    if found:
        return found[0]
    beside = sorted(folder.glob("kernel-config*")) + sorted(folder.glob("config-*"))
    return beside[0] if beside else None


def _device_tree(
    files: list[Path], hints: _Hints, arch: Arch | None
) -> tuple[DeviceTreeFacts | None, list[str], list[str]]:
    """Return the board's device tree; of several, the one that the build names, or whose board QEMU has."""
    blobs = [f for f in files if f.suffix == ".dtb"]
    if not blobs or arch is None:
        unknown = [] if arch in {None, "x86_64"} else ["a device tree: no .dtb was found among the images"]
        return None, [], unknown if hints.machine not in {"virt"} else []
    named = [f for f in blobs if hints.device_tree and hints.device_tree in {f.stem, f.name}]
    facts = []
    for path in named or blobs:
        try:
            facts.append(device_tree.facts_of(path))
        except UserError:
            continue
    if not facts:
        return None, [], ["a device tree: those among the images cannot be read"]
    order = ("board", "family", "architecture")
    facts.sort(key=lambda f: (order.index(boards.choose(f.compatible, arch).match), len(f.path.name), f.path.name))
    notes = []
    if len(facts) > 1:
        names = ", ".join(f.path.name for f in facts[:6])
        notes.append(
            f"of {len(facts)} device trees {facts[0].path.name} was taken ({names}): --from ONE.dtb takes another"
        )
    return facts[0], notes, []


def _disk(files: list[Path], looker: FileLooker, notes: list[str]) -> SourceFacts | None:
    """Return the disk image or file system that holds the root; whole disks first, then those that can be read."""
    wanted = [f for f in files if _is_medium(f) and not _NOT_DISKS.fullmatch(f.name)]
    wanted += [f for f in files if _ROOTS.fullmatch(f.name)]
    # What is packed takes long to unpack, so only one is, and only where nothing else holds a root.
    wanted += [f for f in files if _PACKED.fullmatch(f.name)][:1] if not wanted else []
    found: list[SourceFacts] = []
    for path in wanted:
        try:
            found.append(looker.look(path) if _PACKED.fullmatch(path.name) else looker.disk(path))
        except UserError as error:
            notes.append(f"{path.name}: {error.message}")
    rooted = [f for f in found if f.root is not None]
    if len(rooted) > 1:
        others = ", ".join(f.source.name for f in rooted[1:6])
        notes.append(f"{rooted[0].source.name} was taken as the root; others: {others}")
    chosen = rooted or [f for f in found if f.disk is not None and f.disk.root is not None]
    return chosen[0] if chosen else None
