# SPDX-License-Identifier: MIT
"""What a file or a folder is, and everything that can be read out of it. The one door into this room."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache
from bootlab.errors import SystemFileError, UserError
from bootlab.formats import (
    android_boot,
    capabilities,
    device_tree,
    fit,
    foreign_file,
    packed_file,
    uboot_header,
    unified_image,
)
from bootlab.formats.bundle import Bundle
from bootlab.formats.disk_bytes import RawFile
from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.formats.whole_file import read_whole
from bootlab.logs import log_facts
from bootlab.sources import (
    boot_entries,
    build_folder,
    build_place,
    bundle,
    disk,
    flash_system,
    given_path,
    guest_config,
    initramfs,
    kernel_image,
    root_tree,
    several_initrds,
    sysupgrade,
    taken,
    taken_parts,
    unbootable,
    unlisted_kernels,
    unread,
)
from bootlab.sources.facts import BootEntry, InitramfsFacts, SourceFacts
from bootlab.sources.kept_files import KeptFiles
from bootlab.sources.medium import shown
from bootlab.sources.menus import network
from bootlab.sources.merge import merged


class Looker:
    """Looks at sources. `keep`: the folder that gets what is taken out of images; `store`: of unpacked archives.

    `entry`: the boot entry that is taken where there are several, by its number or a part of its title.
    """

    def __init__(self, keep: Path, cache: Cache, store: Path, entry: str = "") -> None:
        """Name the folders; `keep` is made when something goes into it."""
        self._keep = keep
        self._kept = KeptFiles(keep)
        self.cache = cache
        self.store = store
        self._entry = entry

    def look(self, path: Path) -> SourceFacts:
        """Return what a source holds. Raise UserError for what is nothing that boots, or cannot be read."""
        inside = given_path.inside(path)
        if inside is not None:
            return self.look(self._taken_out(*inside))
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
        other = unbootable.by_end(path, head) or other
        system = flash_system.with_head(path, head, self._kept, self.all)
        if system is None and other is not None and unbootable.boots_nothing(other, head) and not several:
            system = self._of_iso(path, head, other)
        if system is not None:
            return system
        if other is not None and other.kind == "archived medium":
            return self._archived_disk(path, other)
        with bundle.of(path):
            is_packed = other is not None and other.packer and other.kind == "medium"
            found = self._packed_disk(path) if is_packed else self._binary(path, head)
        if found is None and unbootable.is_text(head):
            found = guest_config.text_of(path, foreign_file.named_by(head), self)
        if found is None and other is not None and other.kind == "packed":
            raise UserError(f"{path} is {other.what}", hint=other.hint(path))
        if found is None:
            found = flash_system.look_or_refuse(path, self._kept, self.all)
        if found is not None:
            return found
        raise UserError(
            f"bootlab does not recognise {path}: it is not a kernel, device tree, initramfs, disk image or boot log",
            hint="`file` may name it; docs/how-to/boot-your-own-system.md lists what can be read",
        )

    def log(self, path: Path) -> SourceFacts:
        """Look at what is said to be a boot log: of any kind that `analyze` reads, packed or not."""
        given_path.check(path)
        return SourceFacts(source=path, what="a boot log", log=log_facts.read(path))

    def _binary(self, path: Path, head: bytes) -> SourceFacts | None:
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

    def all(self, paths: list[Path], log: Path | None = None) -> SourceFacts:
        """Return several sources as one, in their order, and a boot log."""
        parts = [*(self.look(path) for path in paths), *([self.log(log)] if log is not None else [])]
        return bundle.joined(merged(parts), parts, self._keeper)

    @property
    def _keeper(self) -> bundle.Keeper:
        return bundle.Keeper(self._kept.write, self.kernel, self.initramfs, self.disk)

    def _bundle(self, path: Path, parts: Bundle) -> SourceFacts:
        return bundle.look(path, parts, self._keeper)

    def kernel(self, path: Path) -> SourceFacts:
        """Look at a kernel image."""
        bare, image, notes = packed_file.bare_kernel(path), path, []
        if bare is not None:
            if not kernel_image.is_kernel(bare.data[:0x1000]):
                # A packed disk or initramfs may hold a kernel somewhere.
                raise UserError(f"{path} is packed, and holds no kernel", hint="give the kernel")
            image = self._kept.write(f"{path.name}.unpacked", bare.data)
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
        # It may lie behind the packed kernel, or be packed with it.
        tree = bundle.tree_behind(path, self._kept.write, notes)
        tree = bundle.tree_behind(image, self._kept.write, notes) if tree is None and image != path else tree
        return SourceFacts(source=path, what=what, arch=arch, kernel=facts, device_tree=tree, notes=tuple(notes))

    def disk(self, path: Path) -> SourceFacts:
        """Look at a disk or card image; its kernel, initramfs and device tree are taken out."""
        looked = disk.look(path)
        if looked.wrong is not None:
            raise looked.wrong
        root = root_tree.look(looked.view, looked.medium) if looked.view is not None else None
        view, entries = looked.view, root.entries if root is not None else ()
        if looked.boot is not None:
            view, entries = looked.boot, root_tree.entries_of(looked.boot, looked.medium)
        entries = taken.asked_for(entries, self._entry)
        other = taken.other_root(entries[0], looked) if entries else None
        if other is not None:
            # The menu takes another of several roots than the one that was looked at.
            looked = disk.look(path, *other)
            view = looked.view
            root = root_tree.look(view, looked.medium) if view is not None else None
        named = f" with {root.name}" if root is not None and root.name else ""
        form = "an ISO image (" if looked.facts.is_iso else f"a disk image ({looked.facts.form}, "
        what = f"{form}{looked.facts.size_bytes >> 20} MiB){named}"
        unread_root = root is None and not looked.facts.is_iso
        unknown = ("the root tree: no partition whose files bootlab can read has one",) if unread_root else ()
        found = SourceFacts(
            source=path,
            what=what,
            arch=root.arch if root is not None else None,
            disk=looked.facts,
            root=root,
            notes=looked.notes,
            unknown=unknown,
        )
        found = self._with_entry(found, entries, view)
        found = unread.with_menu(found, looked.medium) if view is None else found
        if root is None:
            found = unread.with_root_of_line(found)
        if found.kernel is None:
            found = unlisted_kernels.with_those_there(found, view, looked.medium)
        if found.entry is None or found.disk is None:
            return found
        notes = (*taken.slots(found.entry, found.disk, entries), *taken.other_menus(found.entry, found.disk, entries))
        return msgspec.structs.replace(found, notes=(*found.notes, *notes))

    def tree(self, path: Path) -> SourceFacts:
        """Look at a folder that is a root tree."""
        view = FileView(FolderFiles(path))
        root = root_tree.look(view)
        what = f"a root tree{f' of {root.name}' if root.name else ''}"
        notes = capabilities.notes(path)
        found = SourceFacts(source=path, what=what, arch=root.arch, root=root, tree=path, notes=notes)
        return self._with_entry(found, taken.asked_for(root.entries, self._entry), view)

    def initramfs(self, path: Path) -> InitramfsFacts:
        """Look at an initramfs."""
        return initramfs.facts_of(path, self.store)[0]

    def _folder(self, path: Path) -> SourceFacts:
        try:
            next(path.iterdir(), None)
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -ld {path}") from error
        if root_tree.is_root(FileView(FolderFiles(path))):
            return self.tree(path)
        if build_place.is_kernel_tree(path):
            return kernel_image.of_tree(path, self.cache)
        lies_here = build_folder.has_kernel(path)
        if not lies_here and (below := build_place.images_below(path)) is not None:
            return build_folder.look(below, self)
        served = sysupgrade.of_folder(path, self.all) or self._served(path, lies_here)
        return served or guest_config.of_folder(path, self) or build_folder.look(path, self)

    def _served(self, path: Path, lies_here: bool) -> SourceFacts | None:
        """Look at a folder with a boot loader's menu; None for another, and where a medium lies beside the kernel."""
        view = FileView(FolderFiles(path))
        served = network.entries(view)
        of_medium = lies_here and not served and build_folder.has_medium(path)
        entries = () if of_medium else boot_entries.read(view) or served
        if not any(taken.resolve(view, entry.kernel) for entry in entries):
            return None
        found = SourceFacts(source=path, what="a folder with a boot loader's menu")
        return self._with_entry(found, taken.asked_for(entries, self._entry), view)

    def _behind_header(self, path: Path) -> SourceFacts:
        """Look at what U-Boot's header stands before: QEMU and the kernel take it without."""
        wrapped = uboot_header.read(path)
        notes = [f"U-Boot's header was cut off from {path.name}"]
        if wrapped.damaged:
            notes.append(f"{path.name}: {uboot_header.BAD_CHECKSUM}")
        if wrapped.kind == "ramdisk":
            facts = self.initramfs(self._kept.write("initramfs", wrapped.data))
            what = f"an initramfs ({facts.compression}, {facts.files} files) with U-Boot's header"
            return SourceFacts(source=path, what=what, initramfs=facts, notes=tuple(notes))
        try:
            found = self.kernel(self._kept.write("kernel", wrapped.data))
        except (SystemFileError, UserError):
            # A bare Image that QEMU can load only with the header, which says where to.
            return self.kernel(path)
        if found.arch is None:
            return self.kernel(path)
        return msgspec.structs.replace(found, source=path, notes=(*found.notes, *notes))

    def _device_tree(self, path: Path) -> SourceFacts:
        blob = read_whole(path, device_tree.SIZE_MAX_BYTES, "device tree or FIT image", "is it the file you mean?")
        if fit.is_fit(device_tree.read_tree(blob)):
            return self._bundle(path, fit.read(path))
        facts = device_tree.facts_of(path)
        if facts.overlay:
            raise UserError(
                f"{path} is an overlay: it changes a board's device tree, and does not describe a board",
                hint=f"join them: fdtoverlay -i board.dtb -o joined.dtb {path}",
            )
        return SourceFacts(source=path, what=f"the device tree of {facts.model or 'a board'}", device_tree=facts)

    def _of_iso(self, path: Path, head: bytes, other: foreign_file.Named) -> SourceFacts:
        """Look at an ISO image, or a router's update. Raise UserError for one without a kernel, and for other files."""
        if head.startswith(sysupgrade.STARTS) and (parts := sysupgrade.unpacked(path, self._keep)) is not None:
            return sysupgrade.look(path, parts, self.all)
        found = self.disk(path) if unbootable.is_iso(head) else None
        if found is None or (found.kernel is None and not found.kernels_there):
            raise unbootable.refusal(path, other)
        return found

    def _archived_disk(self, path: Path, other: foreign_file.Named) -> SourceFacts:
        try:
            image = packed_file.archived_disk(path, self._keep)
        except UserError as error:
            raise UserError(error.message, hint=other.hint(path)) from error
        if image is None:
            raise unbootable.refusal(path, other)
        return self._of_another(path, image, f"{image.name} was taken out of {path.name}: it lies in {image.parent}")

    def _of_another(self, path: Path, image: Path, note: str) -> SourceFacts:
        """Look at a disk image that came out of a given file."""
        found = self.disk(image)
        return msgspec.structs.replace(found, source=path, notes=(*found.notes, note))

    def _packed_disk(self, path: Path) -> SourceFacts:
        image = packed_file.unpacked_disk(path, self._keep)
        return self._of_another(path, image, f"{path.name} was unpacked to {image}: a medium's bytes must lie bare")

    def _packed(self, path: Path) -> SourceFacts:
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
            if other is not None and other.kind == "packed":
                with contextlib.suppress(UserError):
                    return self.log(path)
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
        return SourceFacts(source=path, what=what, initramfs=facts, notes=notes)

    def _with_entry(self, found: SourceFacts, entries: tuple[BootEntry, ...], view: FileView | None) -> SourceFacts:
        """Take what the boot loader would load out of a root tree, or out of a boot partition."""
        if view is None:
            return found
        chosen = taken.choose(view, entries, found.source)
        if chosen is not None:
            notes = (*found.notes, *chosen.notes)
            found = msgspec.structs.replace(found, entries=entries, notes=notes, no_line=chosen.no_line)
            return self._loaded(found, chosen.entry, view, chosen.kernel_at)
        return msgspec.structs.replace(found, entries=entries, no_kernel=taken.why_none(entries))

    def _loaded(self, found: SourceFacts, entry: BootEntry, view: FileView, kernel_at: str) -> SourceFacts:
        kernel = self._kept.copy(view, kernel_at)
        self._kept.copy_beside(view, kernel_at)
        if unified_image.is_unified(given_path.head(kernel)):
            profile = int(entry.configuration) if entry.configuration.isdecimal() else 0
            added = [unified_image.added_line(self._kept.copy(view, path)) for path in entry.addons]
            return taken_parts.of_bundle(found, entry, kernel, unified_image.read(kernel, profile), self._keeper, added)
        if given_path.head(kernel).startswith(device_tree.MAGIC):
            return taken_parts.of_bundle(found, entry, kernel, fit.read(kernel, entry.configuration), self._keeper)
        if uboot_header.has_parts(given_path.head(kernel)):
            return taken_parts.of_bundle(found, entry, kernel, uboot_header.read_parts(kernel), self._keeper)
        if android_boot.is_android(given_path.head(kernel)):
            return taken_parts.of_android(found, entry, kernel, view, (self._kept.copy, self._keeper))
        inside = self.kernel(kernel)
        if inside.arch is None and given_path.head(kernel).startswith(uboot_header.MAGIC):
            inside = self._behind_header(kernel)
        initrds = {path: at for path in entry.initrds if (at := taken.resolve(view, path)) is not None}
        facts: InitramfsFacts | None = None
        notes = list(found.notes) + list(inside.notes)
        tree = taken.resolve(view, entry.device_tree)
        asks = tree is None and inside.device_tree is None and inside.arch != "x86_64"
        notes += [entry.asks_tree] if entry.asks_tree and asks else []
        if len(initrds) > 1:
            parts = [self._kept.copy(view, at) for at in initrds.values()]
            notes.append(f"several initrds are put together, as the loader does: {', '.join(map(shown, initrds))}")
            facts = self.initramfs(self._kept.write("initrds", several_initrds.joined(parts)))
        elif initrds:
            facts = self._initrd(self._kept.copy(view, *initrds.values()), notes)
        return msgspec.structs.replace(
            found,
            arch=inside.arch or found.arch,
            kernel=inside.kernel,
            initramfs=facts,
            device_tree=device_tree.facts_of(self._kept.copy(view, tree)) if tree is not None else inside.device_tree,
            entry=entry,
            notes=tuple(notes),
        )

    def _initrd(self, path: Path, notes: list[str]) -> InitramfsFacts | None:
        """Look at what a loader loads as the initrd: U-Boot's has a header before it."""
        if not given_path.head(path).startswith(uboot_header.MAGIC):
            return self.initramfs(path)
        inside = self._behind_header(path)
        notes += inside.notes
        return inside.initramfs

    def _taken_out(self, image: Path, path: str) -> Path:
        """Take one file out of an image or a root tree."""
        view = FileView(FolderFiles(image)) if image.is_dir() else disk.look(image).any_view
        if view is None or view.kind(path) != "file":
            raise UserError(
                f"there is no file {path} in {image}", hint=f"bootlab new it.toml --from {image} lists some"
            )
        return self._kept.copy(view, path)
