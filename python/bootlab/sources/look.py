"""What a file or a folder is, and everything that can be read out of it. The one door into this room."""

from __future__ import annotations

import posixpath
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache
from bootlab.builders.images.disk_bytes import RawFile
from bootlab.errors import SystemFileError, UserError, cannot_write
from bootlab.sources import boot_log, build_folder, device_tree, disk, fit, initramfs, kernel_image, root_tree
from bootlab.sources.facts import BootEntry, Found, InitramfsFacts, RootFacts
from bootlab.sources.file_view import FileView
from bootlab.sources.folder import FolderFiles

_HEAD_BYTES = 0x11000
_TAR_AT = 257
_BOOT_FOLDERS = ("", "/boot", "/boot/firmware", "/boot/efi", "/efi")
# Whole images that were packed for the way, by what they begin with.
_PACKED = {b"\x1f\x8b": "gunzip -k", b"BZh": "bunzip2 -k", b"\xfd7zXZ": "unxz -k", b"\x28\xb5\x2f\xfd": "unzstd"}
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
        if head.startswith(device_tree.MAGIC):
            return self._device_tree(path)
        if kernel_image.is_kernel(head):
            return self.kernel(path)
        if head[_TAR_AT : _TAR_AT + 5] == b"ustar":
            raise UserError(
                f"{path} is a tar archive",
                hint=f"unpack it and give the folder: mkdir root; tar -xpf {path} -C root   (as root, to keep owners)",
            )
        if initramfs.is_initramfs(head):
            return self._packed(path, head)
        if disk.is_disk(head, RawFile(path)):
            return self.disk(path)
        if _is_text(head):
            facts = boot_log.look(path)
            return Found(source=path, what="a boot log", log=facts)
        raise UserError(
            f"{path} is nothing that bootlab knows: no kernel, device tree, initramfs, disk image or boot log",
            hint="`file` may name it; docs/how-to/boot-your-own-system.md lists what can be read",
        )

    def kernel(self, path: Path) -> Found:
        """Look at a kernel image."""
        facts = kernel_image.facts_of(path, self.cache)
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
        if root_tree.is_root(FileView(FolderFiles(path))):
            return self.tree(path)
        return build_folder.look(path, self)

    def _device_tree(self, path: Path) -> Found:
        if fit.is_fit(device_tree.read_tree(path.read_bytes())):
            return self._fit(path)
        facts = device_tree.facts_of(path)
        return Found(source=path, what=f"the device tree of {facts.model or 'a board'}", device_tree=facts)

    def _fit(self, path: Path) -> Found:
        parts = fit.look(path)
        found = Found(source=path, what=f"a FIT image, configuration {parts.configuration or '(none)'}")
        if parts.kernel is not None:
            kernel = self._write("kernel", parts.kernel.data)
            inside = self.kernel(kernel)
            found = msgspec.structs.replace(found, kernel=inside.kernel, arch=inside.arch)
        else:
            found = msgspec.structs.replace(found, unknown=("a kernel: the FIT image has none",))
        if parts.device_tree is not None:
            blob = self._write("board.dtb", parts.device_tree.data)
            found = msgspec.structs.replace(found, device_tree=device_tree.facts_of(blob))
        if parts.ramdisk is not None:
            packed = self._write("initramfs", parts.ramdisk.data)
            found = msgspec.structs.replace(found, initramfs=self.initramfs(packed))
        if parts.configurations > 1:
            note = f"the FIT image has {parts.configurations} configurations; the default one was taken"
            found = msgspec.structs.replace(found, notes=(note,))
        return found

    def _packed(self, path: Path, head: bytes) -> Found:
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
            unpack = next((words for magic, words in _PACKED.items() if head.startswith(magic)), "")
            if not unpack:
                raise
            raise UserError(
                f"{path} is packed, and neither a kernel nor an initramfs: {error.message}",
                hint=f"if it is a disk image, unpack it first: {unpack} {path}",
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
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except FileNotFoundError as error:
        raise UserError(f"there is no file or folder {path}", hint=f"ls {path.parent}") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error


def _is_text(head: bytes) -> bool:
    plain = sum(1 for byte in head if byte in b"\t\r\n\x1b" or 32 <= byte < 127)
    return plain > len(head) * _TEXT_SHARE
