"""What a file or a folder is, and everything that can be read out of it. The one door into this room."""

from __future__ import annotations

import contextlib
import posixpath
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.builders import foreign_file
from bootlab.builders.cache import Cache
from bootlab.builders.images.disk_bytes import RawFile
from bootlab.errors import SystemFileError, UserError, cannot_write
from bootlab.sources import (
    boot_log,
    build_folder,
    build_place,
    device_tree,
    disk,
    fit,
    initramfs,
    kernel_image,
    root_tree,
    uboot_header,
    unified_image,
)
from bootlab.sources.facts import BootEntry, Found, InitramfsFacts, RootFacts
from bootlab.sources.file_view import FileView
from bootlab.sources.folder import FolderFiles
from bootlab.sources.whole_file import read_whole

_ISO_AT = 0x8001
_BOOT_FOLDERS = ("", "/boot", "/boot/firmware", "/boot/efi", "/efi")
_TEXT_SHARE = 0.9


class Looker:
    """Looks at sources. `keep`: the folder that gets what is taken out of images; `store`: of unpacked archives."""

    def __init__(self, keep: Path, cache: Cache, store: Path) -> None:
        """Name the folders; `keep` is made when something goes into it."""
        self._keep = keep
        self.cache = cache
        self.store = store

    def look(self, path: Path) -> Found:
        """Return what a source holds. Raise UserError for what is nothing that boots, or cannot be read."""
        if path.is_dir():
            return self._folder(path)
        head = _head(path)
        if not head:
            raise UserError(f"{path} is empty", hint="copy it again")
        other = foreign_file.named_by(head, texts=False)
        foreign = other is not None and (other.kind == "other" or head[_ISO_AT : _ISO_AT + 5] == b"CD001")
        if other is not None and foreign and not unified_image.is_unified(head):
            raise _nothing_to_boot(path, other)
        with _of(path):
            found = self._binary(path, head)
        if found is not None:
            return found
        if _is_text(head):
            return _log(path, foreign_file.named_by(head))
        raise UserError(
            f"bootlab does not recognise {path}: it is not a kernel, device tree, initramfs, disk image or boot log",
            hint="`file` may name it; docs/how-to/boot-your-own-system.md lists what can be read",
        )

    def _binary(self, path: Path, head: bytes) -> Found | None:
        """Look at what its first bytes name; None for what they do not."""
        looks = (
            (head.startswith(device_tree.MAGIC), self._device_tree),
            (unified_image.is_unified(head), self._unified),
            (head.startswith(uboot_header.MAGIC), self._behind_header),
            (kernel_image.is_kernel(head), self.kernel),
            (initramfs.is_initramfs(head), self._packed),
        )
        for fits, look in looks:
            if fits:
                return look(path)
        return self.disk(path) if disk.is_disk(head, RawFile(path)) else None

    def kernel(self, path: Path) -> Found:
        """Look at a kernel image."""
        facts = kernel_image.facts_of(path, self.cache)
        if facts.kind == "elf" and not facts.release:
            raise UserError(
                f"{path} is an ELF program, not a kernel: it does not contain the text Linux version",
                hint="give the kernel: vmlinuz, bzImage, zImage, Image or vmlinux",
            )
        arch = kernel_image.architecture_of(facts)
        notes = () if arch or not facts.arch else (f"bootlab boots no {facts.arch} kernels",)
        what = f"a kernel image, Linux {facts.release or '?'} for {facts.arch or '?'}"
        return Found(source=path, what=what, arch=arch, kernel=facts, notes=notes)

    def disk(self, path: Path) -> Found:
        """Look at a disk or card image; its kernel, initramfs and device tree are taken out."""
        looked = disk.look(path)
        root = root_tree.look(looked.view) if looked.view is not None else None
        what = f"a disk image ({looked.facts.form}, {looked.facts.size_bytes >> 20} MiB)"
        if root is not None and root.name:
            what += f" with {root.name}"
        unknown = []
        if root is None:
            unknown.append("the root tree: no partition has one that can be read here")
        found = Found(
            source=path,
            what=what,
            arch=root.arch if root is not None else None,
            disk=looked.facts,
            root=root,
            notes=looked.notes,
            unknown=tuple(unknown),
        )
        return self._with_entry(found, root, looked.view)

    def tree(self, path: Path) -> Found:
        """Look at a folder that is a root tree."""
        view = FileView(FolderFiles(path))
        root = root_tree.look(view)
        what = f"a root tree{f' of {root.name}' if root.name else ''}"
        found = Found(source=path, what=what, arch=root.arch, root=root, tree=path)
        return self._with_entry(found, root, view)

    def initramfs(self, path: Path) -> InitramfsFacts:
        """Look at an initramfs."""
        return initramfs.facts_of(path, self.store)[0]

    def _folder(self, path: Path) -> Found:
        try:
            next(path.iterdir(), None)
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -ld {path}") from error
        if root_tree.is_root(FileView(FolderFiles(path))):
            return self.tree(path)
        if build_place.is_kernel_tree(path):
            return self._kernel_tree(path)
        if not build_folder.has_kernel(path) and (below := build_place.images_below(path)) is not None:
            return build_folder.look(below, self)
        return build_folder.look(path, self)

    def _kernel_tree(self, path: Path) -> Found:
        image = build_place.built_kernel(path)
        named = {"config": path / ".config", "symbols": path / "System.map"}
        given = {name: file for name, file in named.items() if file.is_file()}
        facts = kernel_image.facts_of(image, self.cache, config=given.get("config"), symbols=given.get("symbols"))
        what = f"a kernel's tree, Linux {facts.release or '?'} for {facts.arch or '?'}"
        return Found(source=path, what=what, arch=kernel_image.architecture_of(facts), kernel=facts)

    def _unified(self, path: Path) -> Found:
        parts = unified_image.read(path)
        inside = self.kernel(self._write("kernel", parts.kernel))
        found = msgspec.structs.replace(
            inside,
            source=path,
            what=f"a unified kernel image{f' of {parts.name}' if parts.name else ''}, {inside.what}",
            entry=BootEntry(cmdline=parts.cmdline, source=path.name) if parts.cmdline else None,
        )
        if not parts.initramfs:
            return found
        return msgspec.structs.replace(found, initramfs=self.initramfs(self._write("initramfs", parts.initramfs)))

    def _behind_header(self, path: Path) -> Found:
        """Look at what U-Boot's header stands before: QEMU and the kernel take it without."""
        wrapped = uboot_header.read(path)
        note = f"U-Boot's header was cut off from {path.name}"
        if wrapped.kind == "ramdisk":
            facts = self.initramfs(self._write("initramfs", wrapped.data))
            what = f"an initramfs ({facts.compression}, {facts.files} files) behind U-Boot's header"
            return Found(source=path, what=what, initramfs=facts, notes=(note,))
        try:
            found = self.kernel(self._write("kernel", wrapped.data))
        except (SystemFileError, UserError):
            # A bare Image that QEMU can load only with the header, which says where to.
            return self.kernel(path)
        if found.arch is None:
            return self.kernel(path)
        return msgspec.structs.replace(found, source=path, notes=(*found.notes, note))

    def _device_tree(self, path: Path) -> Found:
        blob = read_whole(path, device_tree.SIZE_MAX_BYTES, "device tree or FIT image", "is it the file you mean?")
        if fit.is_fit(device_tree.read_tree(blob)):
            return self._fit(path)
        facts = device_tree.facts_of(path)
        if facts.overlay:
            raise UserError(
                f"{path} is an overlay: it changes a board's device tree, and does not describe a board",
                hint=f"join them: fdtoverlay -i board.dtb -o joined.dtb {path}",
            )
        return Found(source=path, what=f"the device tree of {facts.model or 'a board'}", device_tree=facts)

    def _fit(self, path: Path) -> Found:
        parts = fit.look(path)
        found = Found(source=path, what=f"a FIT image, configuration {parts.configuration or '(none)'}")
        found = msgspec.structs.replace(found, notes=parts.notes)
        if parts.kernel is not None:
            kernel = self._write("kernel", parts.kernel.data)
            with _of(path, f"the kernel {parts.kernel.name}"):
                inside = self.kernel(kernel)
            found = msgspec.structs.replace(found, kernel=inside.kernel, arch=inside.arch)
        else:
            found = msgspec.structs.replace(found, unknown=("a kernel: the FIT image has none",))
        if parts.device_tree is not None:
            blob = self._write("board.dtb", parts.device_tree.data)
            with _of(path, f"the device tree {parts.device_tree.name}"):
                found = msgspec.structs.replace(found, device_tree=device_tree.facts_of(blob))
        if parts.ramdisk is not None:
            packed = self._write("initramfs", parts.ramdisk.data)
            with _of(path, f"the ramdisk {parts.ramdisk.name}"):
                found = msgspec.structs.replace(found, initramfs=self.initramfs(packed))
        if parts.configurations > 1:
            note = f"the FIT image has {parts.configurations} configurations; the default one was taken"
            found = msgspec.structs.replace(found, notes=(*found.notes, note))
        return found

    def _packed(self, path: Path) -> Found:
        """Look at a packed file: a kernel (Image.gz), an initramfs, or a whole disk that was packed for the way."""
        try:
            found = self.kernel(path)
        except (SystemFileError, UserError):
            found = None
        if found is not None and found.kernel is not None and found.kernel.kind:
            return found
        try:
            facts = self.initramfs(path)
        except UserError as error:
            other = foreign_file.named(path)
            if other is None or (other.kind == "initramfs" and not other.way):
                raise
            raise UserError(
                f"{path} is {other.what}, and neither a kernel nor an initramfs",
                hint=other.hint(path) or error.hint,
            ) from error
        what = f"an initramfs ({facts.compression}, {facts.files} files{f', {facts.maker}' if facts.maker else ''})"
        return Found(source=path, what=what, initramfs=facts)

    def _with_entry(self, found: Found, root: RootFacts | None, view: FileView | None) -> Found:
        """Take what the boot loader would load out of a root tree."""
        if root is None or view is None:
            return found
        for entry in root.entries:
            kernel_at = resolve(view, entry.kernel)
            if kernel_at is None:
                continue
            return self._loaded(found, entry, view, kernel_at)
        reason = "a kernel: there is none in /boot, and no boot loader's menu names one"
        return msgspec.structs.replace(found, entries=root.entries, unknown=(*found.unknown, reason))

    def _loaded(self, found: Found, entry: BootEntry, view: FileView, kernel_at: str) -> Found:
        kernel = self._out(view, kernel_at)
        for what in ("config", "System.map"):
            _, dash, version = posixpath.basename(kernel_at).partition("-")
            beside = f"{posixpath.dirname(kernel_at)}/{what}{dash}{version}"
            # Debian's System.map is a line that says where the real one is.
            if dash and view.size(beside) > 1000:
                self._out(view, beside)
        inside = self.kernel(kernel)
        initrds = [at for path in entry.initrds if (at := resolve(view, path)) is not None]
        facts: InitramfsFacts | None = None
        notes = list(found.notes) + list(inside.notes)
        if initrds:
            # Microcode comes first and does nothing in an emulator; the last one is the initramfs.
            facts = self.initramfs(self._out(view, initrds[-1]))
        elif entry.initrds:
            notes.append(f"the menu names {entry.initrds[-1]}, which is not there")
        tree = resolve(view, entry.device_tree) if entry.device_tree else None
        return msgspec.structs.replace(
            found,
            arch=inside.arch or found.arch,
            kernel=inside.kernel,
            initramfs=facts,
            device_tree=device_tree.facts_of(self._out(view, tree)) if tree is not None else None,
            entry=entry,
            entries=found.root.entries if found.root is not None else (),
            notes=tuple(notes),
        )

    def _out(self, view: FileView, path: str) -> Path:
        place = self._place(posixpath.basename(path))
        view.copy(path, place)
        return place

    def _write(self, name: str, data: bytes) -> Path:
        place = self._place(name)
        try:
            place.write_bytes(data)
        except OSError as error:
            raise cannot_write(f"{place} cannot be written", error, self._keep) from error
        return place

    def _place(self, name: str) -> Path:
        try:
            self._keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(f"{self._keep} cannot be made", error, self._keep.parent) from error
        return self._keep / name


@contextlib.contextmanager
def _of(path: Path, part: str = "") -> Iterator[None]:
    """Name the file, and the part of it, in errors from inside that do not know where the bytes came from."""
    try:
        yield
    except UserError as error:
        if str(path) in error.message:
            raise
        where = f"{path}: {part}" if part else str(path)
        raise UserError(f"{where}: {error.message}", hint=error.hint) from error


def resolve(view: FileView, path: str) -> str | None:
    """Return where a boot loader's path leads: menus on a partition of their own count from its root."""
    if not path:
        return None
    for folder in _BOOT_FOLDERS:
        if view.kind(f"{folder}{path}") == "file":
            found = view.find(f"{folder}{path}")
            return found[2] if found is not None else None
    return None


def merged(parts: list[Found]) -> Found:
    """Return several sources as one: what a later one has stands in for what an earlier one has."""
    first = parts[0]
    fields = ("arch", "kernel", "device_tree", "initramfs", "disk", "root", "tree", "entry", "log")
    for other in parts[1:]:
        given = {name: value for name in fields if (value := getattr(other, name)) is not None}
        first = msgspec.structs.replace(
            first,
            what=f"{first.what}; {other.what}",
            notes=(*first.notes, *other.notes),
            unknown=(*first.unknown, *other.unknown),
            entries=other.entries or first.entries,
            **given,
        )
    return first


def _head(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISBLK(mode)):
            raise UserError(f"{path} is a pipe, a socket or a character device", hint="write it to a file first")
        with path.open("rb") as file:
            return file.read(foreign_file.HEAD_BYTES)
    except FileNotFoundError as error:
        raise UserError(f"there is no file or folder {path}", hint=f"ls {path.parent}") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error


def _log(path: Path, other: foreign_file.Named | None) -> Found:
    try:
        return Found(source=path, what="a boot log", log=boot_log.look(path))
    except UserError as error:
        raise (_nothing_to_boot(path, other) if other is not None else error) from error


def _nothing_to_boot(path: Path, other: foreign_file.Named) -> UserError:
    return UserError(
        f"{path} is {other.what}, which does not boot",
        hint=other.hint(path) or "docs/how-to/boot-your-own-system.md lists what can be read",
    )


def _is_text(head: bytes) -> bool:
    plain = sum(1 for byte in head if byte in b"\t\r\n\x1b" or 32 <= byte < 127)
    return plain > len(head) * _TEXT_SHARE
