# SPDX-License-Identifier: MIT
"""Which of a medium's boot entries is taken, and what lies in it that is not."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import android_boot, unified_image
from bootlab.formats.file_view import FileView
from bootlab.model.cmdline import CommandLine
from bootlab.sources import btrfs
from bootlab.sources.disk import Disk, named_by
from bootlab.sources.facts import BootEntry, DiskFacts
from bootlab.sources.medium import shown
from bootlab.sources.menus.other_loader import may_be_linux

_BOOT_FOLDERS = ("", "/boot", "/boot/firmware", "/boot/efi", "/efi")
_SHOWN_MAX = 5
_LOOKED_AT_MAX = 4000
_KERNEL = re.compile(r"(?:vmlinu[xz]|[zu]?Image|bzImage|kernel)(?:$|[-._\d])")
_INITRD = re.compile(r"(?:initrd|initramfs|uInitrd|uinitrd|ramdisk)")
_TREE_FOLDERS = ("/boot", "/boot/firmware", "/boot/dtb", "/boot/dtbs", "/dtb", "/dtbs", "/usr/lib/firmware/device-tree")


class Taken(msgspec.Struct, frozen=True):
    """The entry that is booted, and where its kernel lies. `notes`: what it names and lacks, and what stays unused.

    `no_line`: what is said where the kernel's own files name no command line either.
    """

    entry: BootEntry
    kernel_at: str
    notes: tuple[str, ...] = ()
    no_line: str = ""


def resolve(view: FileView, path: str) -> str | None:
    """Return where a boot loader's path leads: menus on a partition of their own count from its root."""
    if not path:
        return None
    for folder in _BOOT_FOLDERS:
        if view.kind(f"{folder}{path}") == "file":
            found = view.find(f"{folder}{path}")
            return found[2] if found is not None else None
    return None


def asked_for(entries: tuple[BootEntry, ...], wanted: str) -> tuple[BootEntry, ...]:
    """Return the entries with the one first that a user names: by its number in the list, or by a part of its title.

    Raise UserError for a name that none has.
    """
    if not wanted:
        return entries
    number = int(wanted) - 1 if wanted.isdecimal() and len(wanted) < 4 else -1
    own = entries[number : number + 1] if number >= 0 else ()
    own = own or tuple(entry for entry in entries if wanted.casefold() in entry.title.casefold())
    if not own:
        raise UserError(f"no boot entry is called {wanted!r}", hint=f"there are: {_listed(entries) or 'none'}")
    return (*own, *(entry for entry in entries if entry not in own))


def choose(view: FileView, entries: tuple[BootEntry, ...], source: Path) -> Taken | None:
    """Return the first entry whose kernel is there; None without one."""
    notes: list[str] = [note for entry in entries if not entry.kernel and not entry.inside for note in entry.notes]
    for entry in entries:
        if entry.inside:
            notes.append(from_image(entry))
            continue
        kernel_at = resolve(view, entry.kernel)
        if kernel_at is not None:
            notes += [
                *entry.notes,
                *_lacking(view, entry),
                *_unused(view, entry, kernel_at, entries, source),
            ]
            return Taken(entry, kernel_at, tuple(notes), _no_line(view, entry, kernel_at))
        if entry.kernel:
            notes.append(f"{entry.source} names the kernel {shown(entry.kernel)}, which is not there")
    return None


def from_image(entry: BootEntry) -> str:
    """Say where the kernel of an entry lies that takes it out of an image file."""
    return (
        f"{entry.source} takes the kernel {entry.kernel} out of the image {entry.inside}, which bootlab does not read: "
        f"take kernel and initrd out of it (7z x), and give them with --from; its command line: {entry.cmdline}"
    )


def why_none(entries: tuple[BootEntry, ...]) -> str:
    """Say why none of the entries can be booted."""
    said = [from_image(entry) for entry in entries if entry.inside][:1]
    said += [note for entry in entries if not entry.kernel and not entry.inside for note in entry.notes]
    return "; ".join(said) or "none was found in /boot, and no menu that was read names one that is there"


def root_of(entry: BootEntry, disk: DiskFacts) -> int | None:
    """Return the number of the partition with a root tree that an entry starts; None where it does not tell."""
    if entry.partition in disk.roots:
        return entry.partition
    try:
        root = CommandLine.parse(entry.cmdline.replace("\n", " ")).value("root") or ""
    except UserError:
        return None
    part = named_by(root, disk.partitions)
    return part.number if part is not None and part.number in disk.roots else None


def other_root(entry: BootEntry, looked: Disk) -> tuple[int | None, str] | None:
    """Return the partition and the subvolume that an entry takes for the root, where another was looked at."""
    slot = root_of(entry, looked.facts)
    try:
        asked = btrfs.asked_by(CommandLine.parse(entry.cmdline.replace("\n", " ")).value("rootflags"))
    except UserError:
        asked = ""
    if slot is not None and slot != looked.facts.root:
        return slot, asked
    files = looked.view.files if looked.view is not None else None
    return (looked.facts.root, asked) if isinstance(files, btrfs.BtrfsFiles) and files.is_other(asked) else None


def slots(entry: BootEntry, disk: DiskFacts, entries: tuple[BootEntry, ...]) -> tuple[str, ...]:
    """Say which of several roots is booted, why, and how the others are."""
    if len(disk.roots) <= 1 or disk.root is None:
        return ()
    told = root_of(entry, disk) == disk.root
    by = f"{shown(entry.source)} takes it" if told else f"{_first_of(disk)}, and no menu that was read says which"
    by = f"its entry is taken here: {entry.chosen_by} chooses, which was not read" if entry.chosen_by else by
    lines = [f"partitions {', '.join(map(str, disk.roots))} hold a root each: {disk.root} is booted, because {by}"]
    for number in disk.roots:
        other = next((e for e in entries if root_of(e, disk) == number), None)
        if number == disk.root:
            continue
        by_hand = f"root.partition = {number}, and its root= in kernel.cmdline"
        way = f"--entry {other.title!r}" if other is not None else by_hand
        lines.append(f"to boot partition {number} instead: {way}")
    return tuple(lines)


def _first_of(disk: DiskFacts) -> str:
    """Say why one of several roots is looked at first (:func:`bootlab.sources.disk.look`)."""
    own = disk.of(disk.root)
    others = [part for part in disk.partitions if part.number in disk.roots and part.number != disk.root]
    if own is None:
        return "it is one of them"
    if own.partition.kind == "root":
        others = [part for part in others if part.partition.kind == "root"]
        if not others:
            return "its type in the partition table is that of a root"
    largest = max(part.partition.size_bytes for part in others)
    size = own.partition.size_bytes
    if size > largest:
        return "it is the largest"
    return "it is the first of those of the same size" if size == largest else "it is one of them"


def other_menus(entry: BootEntry, disk: DiskFacts, entries: tuple[BootEntry, ...]) -> tuple[str, ...]:
    """Say which other loaders' menus an ISO image has: which loader starts, its firmware says (BIOS or UEFI)."""
    # Entries of systemd-boot have a file each in one folder.
    named = {posixpath.dirname(other.source): other.source for other in entries if other.title and other.kernel}
    others = [shown(source) for folder, source in named.items() if folder != posixpath.dirname(entry.source)]
    if not disk.is_iso or not others:
        return ()
    said = (
        f"the entry is the one of {shown(entry.source)}; other firmware (BIOS, UEFI) may start the loader of "
        f"{' or '.join(others)}, whose lines may differ: --entry takes one of its entries"
    )
    return (said,)


def _lacking(view: FileView, entry: BootEntry) -> Iterator[str]:
    """Name what an entry would load besides the kernel, and what is not done with it."""
    missing = [path for path in (*entry.initrds, entry.device_tree) if path and resolve(view, path) is None]
    for path in missing:
        yield f"{entry.source} names {shown(path)}, which is not there"
    if entry.overlays:
        listed = ", ".join(map(shown, entry.overlays))
        yield (
            f"the loader merges overlays into the device tree ({listed}), which is not done here: "
            "fdtoverlay -i BOARD.dtb -o joined.dtb OVERLAY…, then --from joined.dtb"
        )


def _no_line(view: FileView, entry: BootEntry, kernel_at: str) -> str:
    """Return what is said of an entry without a command line; "" for others.

    A device tree may have one, also that in a FIT image, and a log: so it is said when all of them were read.
    """
    # A unified image has its own, and Android's.
    head = view.data(kernel_at, unified_image.HEAD_MAX_BYTES) or b""
    if entry.cmdline or unified_image.is_unified(head) or android_boot.is_android(head):
        return ""
    if entry.says_line:
        return f"the loader's own command line is empty: {shown(entry.source)} gives the kernel no words"
    return f"the command line is not known: what was read ({shown(entry.source) or 'no menu'}) names none"


def _unused(
    view: FileView, entry: BootEntry, kernel_at: str, entries: tuple[BootEntry, ...], source: Path
) -> Iterator[str]:
    """List what lies in the medium and is not booted, with what would add it."""
    others = [other for other in entries if other.title and other.kernel and not _is_same(view, other, entry)]
    if others:
        yield f"other boot entries: {_listed(tuple(others))}; --entry takes one"
    # A file may have several names: links, and the place of its partition.
    named = [kernel_at, *(resolve(view, path) for path in (*entry.initrds, entry.device_tree))]
    used = {view.identity(path) for path in named if path}
    for what, pattern in (("kernels", _KERNEL), ("initrds", _INITRD)):
        found = [
            path
            for path in _files_in_boot(view)
            if pattern.match(path.rpartition("/")[2])
            and view.identity(path) not in used
            and (pattern is not _KERNEL or may_be_linux(view, path))
        ]
        if found:
            yield f"{what} in it that are not used: {_few(found)}; to take one: --from {source}:{found[0]}"
    trees = [path for path in _device_trees(view) if view.identity(path) not in used]
    if trees and not entry.device_tree:
        yield f"device trees in it that are not used: {_few(trees)}; to take one: --from {source}:{trees[0]}"


def _is_same(view: FileView, other: BootEntry, entry: BootEntry) -> bool:
    """Tell whether two entries start the same: two readers may have found it."""
    if other is entry:
        return True
    places = [resolve(view, one.kernel) for one in (other, entry)]
    same = places[0] is not None and view.identity(places[0]) == view.identity(places[1] or "")
    loads = [(one.cmdline, one.configuration, one.initrds) for one in (other, entry)]
    return same and loads[0] == loads[1]


def _listed(entries: tuple[BootEntry, ...]) -> str:
    return _few([repr(entry.title) for entry in entries if entry.title])


def _few(names: list[str]) -> str:
    more = len(names) - _SHOWN_MAX
    return ", ".join(names[:_SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")


def _files_in_boot(view: FileView) -> Iterator[str]:
    for folder in ("/boot", "/boot/firmware"):
        for name in view.names(folder)[:_LOOKED_AT_MAX]:
            if view.link(f"{folder}/{name}") is None and view.kind(f"{folder}/{name}") == "file":
                yield f"{folder}/{name}"


def _device_trees(view: FileView) -> Iterator[str]:
    left = _LOOKED_AT_MAX
    folders = [f for f in _TREE_FOLDERS if view.link(f) is None]
    folders += [f"/usr/lib/{name}" for name in view.names("/usr/lib") if name.startswith("linux-image-")]
    seen: set[str] = set()
    while folders and left > 0:
        folder = folders.pop(0)
        if folder in seen or folder.endswith("/overlays"):
            continue
        seen.add(folder)
        for name in view.names(folder):
            left -= 1
            kind = view.kind(f"{folder}/{name}")
            if kind == "file" and name.endswith(".dtb"):
                yield f"{folder}/{name}"
            elif kind == "dir" and folder not in {"/boot", "/boot/firmware"}:
                folders.append(f"{folder}/{name}")
