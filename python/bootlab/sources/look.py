"""What a file or a folder is, and everything that can be read out of it. The one door into this room."""

from __future__ import annotations

import posixpath
from pathlib import Path

import msgspec

from bootlab.builders import foreign_file
from bootlab.builders.cache import Cache
from bootlab.builders.images.disk_bytes import RawFile
from bootlab.errors import SystemFileError, UserError, cannot_write
from bootlab.sources import (
    android_boot,
    boot_log,
    build_folder,
    build_place,
    bundle,
    capabilities,
    device_tree,
    disk,
    fit,
    given_path,
    initramfs,
    kernel_image,
    packed_file,
    root_tree,
    uboot_header,
    unified_image,
)
from bootlab.sources.facts import BootEntry, Found, InitramfsFacts
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
        given_path.check(path)
        if path.is_dir():
            try:
                return self._folder(path)
            except OSError as error:
                raise UserError(f"{path} cannot be looked through: {error.strerror}", hint=f"ls -l {path}") from error
        head = given_path.head(path)
        if not head:
            raise UserError(f"{path} is empty", hint="copy it again")
        other = foreign_file.named_by(head, texts=False)
        several = android_boot.is_android(head) or uboot_header.has_parts(head) or unified_image.is_unified(head)
        if other is not None and _boots_nothing(other, head) and not several:
            raise _nothing_to_boot(path, other)
        with bundle.of(path):
            if other is not None and other.packer and other.kind == "medium":
                return self._packed_disk(path)
            found = self._binary(path, head)
        if found is not None:
            return found
        if _is_text(head):
            return _log(path, foreign_file.named_by(head))
        if other is not None and other.kind == "packed":
            raise UserError(f"{path} is {other.what}", hint=other.hint(path))
        raise UserError(
            f"bootlab does not recognise {path}: it is not a kernel, device tree, initramfs, disk image or boot log",
            hint="`file` may name it; docs/how-to/boot-your-own-system.md lists what can be read",
        )

    def _binary(self, path: Path, head: bytes) -> Found | None:
        """Look at what its first bytes name; None for what they do not."""
        looks = (
            (head.startswith(device_tree.MAGIC), self._device_tree),
            (unified_image.is_unified(head), lambda path: self._bundle(path, unified_image.read(path))),
            (android_boot.is_android(head), lambda path: self._bundle(path, android_boot.read(path))),
            (uboot_header.has_parts(head), lambda path: self._bundle(path, uboot_header.read_parts(path))),
            (head.startswith(uboot_header.MAGIC), self._behind_header),
            (kernel_image.is_kernel(head), self.kernel),
            (initramfs.is_initramfs(head), self._packed),
        )
        for fits, look in looks:
            if fits:
                return look(path)
        return self.disk(path) if disk.is_disk(head, RawFile(path)) else None

    def _bundle(self, path: Path, parts: bundle.Bundle) -> Found:
        return bundle.look(path, parts, bundle.Keeper(self._write, self.kernel, self.initramfs))

    def kernel(self, path: Path) -> Found:
        """Look at a kernel image."""
        bare, image, notes = packed_file.bare_kernel(path), path, []
        if bare is not None:
            if not kernel_image.is_kernel(bare.data[:0x1000]):
                # A packed disk or initramfs may hold a kernel somewhere.
                raise UserError(f"{path} is packed, and holds no kernel", hint="give the kernel")
            image = self._write(f"{path.name}.unpacked", bare.data)
            notes.append(f"{path.name}: {bare.note}")
        named = {"config": kernel_image.beside(path, "config"), "symbols": kernel_image.beside(path, "System.map")}
        facts = kernel_image.facts_of(image, self.cache, config=named["config"], symbols=named["symbols"])
        if facts.kind == "elf" and not facts.release:
            raise UserError(
                f"{path} is an ELF program, not a kernel: it does not contain the text Linux version",
                hint="give the kernel: vmlinuz, bzImage, zImage, Image or vmlinux",
            )
        arch = kernel_image.architecture_of(facts)
        if facts.arch and not arch:
            notes.append(f"bootlab boots no {facts.arch} kernels")
        what = f"a kernel image, Linux {facts.release or '?'} for {facts.arch or '?'}"
        return Found(source=path, what=what, arch=arch, kernel=facts, notes=tuple(notes))

    def disk(self, path: Path) -> Found:
        """Look at a disk or card image; its kernel, initramfs and device tree are taken out."""
        looked = disk.look(path)
        if looked.wrong is not None:
            raise looked.wrong
        root = root_tree.look(looked.view) if looked.view is not None else None
        view, entries = looked.view, root.entries if root is not None else ()
        if looked.boot is not None:
            view, entries = looked.boot, root_tree.entries_of(looked.boot)
        what = f"a disk image ({looked.facts.form}, {looked.facts.size_bytes >> 20} MiB)"
        if root is not None and root.name:
            what += f" with {root.name}"
        unknown = []
        if root is None:
            unknown.append("the root tree: no partition has one whose files bootlab can read")
        found = Found(
            source=path,
            what=what,
            arch=root.arch if root is not None else None,
            disk=looked.facts,
            root=root,
            notes=looked.notes,
            unknown=tuple(unknown),
        )
        return self._with_entry(found, entries, view)

    def tree(self, path: Path) -> Found:
        """Look at a folder that is a root tree."""
        view = FileView(FolderFiles(path))
        root = root_tree.look(view)
        what = f"a root tree{f' of {root.name}' if root.name else ''}"
        notes = capabilities.notes(path)
        found = Found(source=path, what=what, arch=root.arch, root=root, tree=path, notes=notes)
        return self._with_entry(found, root.entries, view)

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

    def _behind_header(self, path: Path) -> Found:
        """Look at what U-Boot's header stands before: QEMU and the kernel take it without."""
        wrapped = uboot_header.read(path)
        notes = [f"U-Boot's header was cut off from {path.name}"]
        if wrapped.damaged:
            notes.append(f"{path.name}: {uboot_header.BAD_CHECKSUM}")
        if wrapped.kind == "ramdisk":
            facts = self.initramfs(self._write("initramfs", wrapped.data))
            what = f"an initramfs ({facts.compression}, {facts.files} files) with U-Boot's header"
            return Found(source=path, what=what, initramfs=facts, notes=tuple(notes))
        try:
            found = self.kernel(self._write("kernel", wrapped.data))
        except (SystemFileError, UserError):
            # A bare Image that QEMU can load only with the header, which says where to.
            return self.kernel(path)
        if found.arch is None:
            return self.kernel(path)
        return msgspec.structs.replace(found, source=path, notes=(*found.notes, *notes))

    def _device_tree(self, path: Path) -> Found:
        blob = read_whole(path, device_tree.SIZE_MAX_BYTES, "device tree or FIT image", "is it the file you mean?")
        if fit.is_fit(device_tree.read_tree(blob)):
            return self._bundle(path, fit.read(path))
        facts = device_tree.facts_of(path)
        if facts.overlay:
            raise UserError(
                f"{path} is an overlay: it changes a board's device tree, and does not describe a board",
                hint=f"join them: fdtoverlay -i board.dtb -o joined.dtb {path}",
            )
        return Found(source=path, what=f"the device tree of {facts.model or 'a board'}", device_tree=facts)

    def _packed_disk(self, path: Path) -> Found:
        image = packed_file.unpacked_disk(path, self._keep)
        found = self.disk(image)
        note = f"{path.name} was unpacked to {image}: a medium's bytes must lie bare"
        return msgspec.structs.replace(found, source=path, notes=(*found.notes, note))

    def _packed(self, path: Path) -> Found:
        """Look at a packed file: a kernel (Image.gz), or an initramfs."""
        no_kernel: UserError | None = None
        try:
            found = self.kernel(path)
            if found.kernel is not None and found.kernel.kind:
                return found
        except (SystemFileError, UserError) as error:
            no_kernel = error
        try:
            facts = self.initramfs(path)
        except UserError as error:
            other = foreign_file.named(path)
            if other is not None and other.kind == "kernel" and no_kernel is not None:
                raise no_kernel from error
            if other is None or (other.kind == "initramfs" and not other.way):
                raise
            raise UserError(
                f"{path} is {other.what}, and neither a kernel nor an initramfs",
                hint=other.hint(path) or error.hint,
            ) from error
        if not facts.files:
            raise UserError(f"{path} is an initramfs without a single file", hint="build the archive again")
        what = f"an initramfs ({facts.compression}, {facts.files} files{f', {facts.maker}' if facts.maker else ''})"
        notes = () if facts.init else (f"{path.name} has no /init: by itself it starts no user space",)
        return Found(source=path, what=what, initramfs=facts, notes=notes)

    def _with_entry(self, found: Found, entries: tuple[BootEntry, ...], view: FileView | None) -> Found:
        """Take what the boot loader would load out of a root tree, or out of a boot partition."""
        if view is None:
            return found
        for entry in entries:
            kernel_at = resolve(view, entry.kernel)
            if kernel_at is None:
                continue
            return self._loaded(msgspec.structs.replace(found, entries=entries), entry, view, kernel_at)
        reason = "a kernel: there is none in /boot, and no boot loader's menu names one"
        return msgspec.structs.replace(found, entries=entries, unknown=(*found.unknown, reason))

    def _loaded(self, found: Found, entry: BootEntry, view: FileView, kernel_at: str) -> Found:
        kernel = self._out(view, kernel_at)
        for what in ("config", "System.map"):
            _, dash, version = posixpath.basename(kernel_at).partition("-")
            beside = f"{posixpath.dirname(kernel_at)}/{what}{dash}{version}"
            # Debian's System.map is a line that says where the real one is.
            if dash and view.size(beside) > 1000:
                self._out(view, beside)
        if unified_image.is_unified(given_path.head(kernel)):
            return self._unified(found, entry, kernel)
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
            notes=tuple(notes),
        )

    def _unified(self, found: Found, entry: BootEntry, image: Path) -> Found:
        """Take the parts of a unified image. Its own command line counts more than that of a menu."""
        inside = self._bundle(image, unified_image.read(image))
        image.unlink()
        own = inside.entry.cmdline if inside.entry is not None else ""
        return msgspec.structs.replace(
            found,
            arch=inside.arch or found.arch,
            kernel=inside.kernel,
            initramfs=inside.initramfs,
            device_tree=inside.device_tree,
            entry=msgspec.structs.replace(entry, cmdline=own or entry.cmdline),
            notes=(*found.notes, *inside.notes),
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


def _log(path: Path, other: foreign_file.Named | None) -> Found:
    try:
        return Found(source=path, what="a boot log", log=boot_log.look(path))
    except UserError as error:
        raise (_nothing_to_boot(path, other) if other is not None else error) from error


def _boots_nothing(other: foreign_file.Named, head: bytes) -> bool:
    # A cpio archive in an old format has its way out, and the kernel does not unpack it.
    old = other.kind == "initramfs" and bool(other.way) and not head.startswith(uboot_header.MAGIC)
    return other.kind == "other" or old or head[_ISO_AT : _ISO_AT + 5] == b"CD001"


def _nothing_to_boot(path: Path, other: foreign_file.Named) -> UserError:
    return UserError(
        f"{path} is {other.what}, which does not boot",
        hint=other.hint(path) or "docs/how-to/boot-your-own-system.md lists what can be read",
    )


def _is_text(head: bytes) -> bool:
    plain = sum(1 for byte in head if byte in b"\t\r\n\x1b" or 32 <= byte < 127)
    return plain > len(head) * _TEXT_SHARE
