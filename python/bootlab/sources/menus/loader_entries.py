# SPDX-License-Identifier: MIT
"""The Boot Loader Specification: entries of systemd-boot, of GRUB's `blscfg`, and unified images."""

from __future__ import annotations

import fnmatch
import functools
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

import msgspec

from bootlab.formats import unified_image
from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.kernel_image import is_kernel
from bootlab.sources.medium import BootMedium, below_top, place_of, shown
from bootlab.sources.menus.loader_order import EntryPlace, in_order
from bootlab.sources.menus.paths import below_root
from bootlab.sources.menus.versions import version_of
from bootlab.sources.menus.words import filled

_ENTRIES_MAX = 200
_LOADER_FOLDERS = ("/boot/loader", "/loader", "/efi/loader", "/boot/efi/loader")
EFI_PLACES = ("/boot", "/efi", "/boot/efi", "")
"""Where an EFI partition is mounted; "": it was taken for the root of what is looked at."""
_KERNEL_HEAD_BYTES = 0x1000
# Only barebox knows the key that adds `root=`; its strtobool() has these words for true.
_BAREBOX = "barebox's environment or state"
_TRUE = frozenset({"1", "true", "y", "yes", "on"})
# An entry for another machine is not shown.
_ARCHITECTURES = frozenset({"x64", "aa64", "riscv64", "arm"})
# systemd-boot, "boot counting": NAME+LEFT-DONE.conf or .efi; one without tries left is taken last.
_TRIES = re.compile(r"\+(\d+)(?:-\d+)?$")


def specified(view: FileView) -> tuple[tuple[str, BootEntry], ...]:
    """Return the entries of the first folder that has some, by name, the newest first."""
    for folder in _LOADER_FOLDERS:
        names = [name for name in view.names(f"{folder}/entries") if name.endswith(".conf")]
        if not names:
            continue
        root = posixpath.dirname(folder)
        texts = {name: view.text(f"{folder}/entries/{name}") or "" for name in names}
        found = []
        for name in sorted(names, key=_rank, reverse=True)[:_ENTRIES_MAX]:
            path = f"{folder}/entries/{name}"
            entry = parse_loader_entry(texts[name], path, root, functools.partial(_starts_linux, view), view.exists)
            found += [(_plain(name), entry)] if entry is not None else []
        return tuple(found)
    return ()


def with_variables(entry: BootEntry, variables: Mapping[str, str]) -> BootEntry:
    """Return an entry with GRUB's variables filled in: one that is empty leaves no word and no file behind."""
    return msgspec.structs.replace(
        entry,
        cmdline=" ".join(filled(entry.cmdline, variables).split()),
        initrds=tuple(part for path in entry.initrds for part in _filled_paths(path, variables)),
    )


def _filled_paths(path: str, variables: Mapping[str, str]) -> Iterator[str]:
    if "$" not in path:
        yield path
        return
    folder, name = posixpath.split(path)
    yield from (posixpath.normpath(f"{folder}/{part}") for part in filled(name, variables).split())


def systemd_boot(view: FileView, variables: Mapping[str, str], medium: BootMedium | None = None) -> Iterator[BootEntry]:
    """Give the entries as systemd-boot shows them, unified images among them; the one that it takes is marked.

    `variables`: of GRUB's environment block, which some entries name. `medium`: where barebox looks for such entries.
    """
    found = list(_placed(view))
    # systemd-boot does not know the key.
    if any(entry.chosen_by for _, entry in found) and not _has_systemd_boot(view):
        yield from _of_barebox(view, [entry for _, entry in found], medium)
        return
    if _has_systemd_boot(view):
        found += _unified_placed(view, "Linux")
    order = in_order([place for place, _ in found])
    taken = _taken([found[index][0] for index in order], _default(view))
    for number, index in enumerate(order):
        entry = with_variables(found[index][1], variables)
        yield msgspec.structs.replace(entry, default=number == taken, chosen_by="")


def _has_systemd_boot(view: FileView) -> bool:
    return any(view.names(f"{place}/EFI/systemd") for place in EFI_PLACES)


def _of_barebox(view: FileView, own: list[BootEntry], medium: BootMedium | None) -> Iterator[BootEntry]:
    """Give barebox's entries: those of the root, and those that lie on the other partitions, each with its root=.

    barebox (Documentation/user/booting-linux.rst): it looks for entries on the partitions that its boot targets name,
    and adds root=PARTUUID= of the partition that has the entry (linux-appendroot).
    """
    placed = [(medium.holder(view, entry.source) if medium is not None else 0, entry) for entry in own]
    first = placed[0][0]
    views: Mapping[int, FileView] = medium.views if medium is not None and first else {}
    for number, files in views.items():
        others = specified(FileView(files.files)) if number != first else ()
        for _, entry in others:
            placed += [(number, _on(entry, number))] if entry.chosen_by else []
    holders = list(dict.fromkeys(number for number, _ in placed))
    for place, (number, entry) in enumerate(placed):
        part = medium.of(number) if medium is not None and number else None
        device = f"PARTUUID={part.partition.partuuid}" if part is not None and part.partition.partuuid else ""
        added = [f"root={device}"] if device and not re.search(r"(?:^|\s)root=", entry.cmdline) else []
        said = (
            f"{shown(entry.source)} is an entry of barebox's (linux-appendroot): barebox adds root= of its partition, "
            "and to the command line what its own environment has, which was not read"
        )
        slots = (
            f"partitions {', '.join(map(str, holders))} have an entry of barebox's each: its boot targets "
            "(boot.default) or its bootchooser, by the state that it keeps, say which one starts: neither was read"
        )
        yield msgspec.structs.replace(
            entry,
            title=f"{entry.title or 'barebox'} (partition {number})" if len(holders) > 1 else entry.title,
            cmdline=" ".join([*added, *entry.cmdline.split()]),
            partition=number,
            default=place == 0,
            is_partial=True,
            chosen_by=entry.chosen_by if len(holders) > 1 else "",
            notes=(*entry.notes, said, *([slots] if len(holders) > 1 else [])),
        )


def _on(entry: BootEntry, number: int) -> BootEntry:
    """Return an entry of another partition with its paths as they lie in the view of the root."""
    own = below_top(entry, place_of(number, "").rstrip("/"))
    return msgspec.structs.replace(own, source=place_of(number, entry.source))


def _default(view: FileView) -> str:
    text = next((text for f in _LOADER_FOLDERS if (text := view.text(f"{f}/loader.conf")) is not None), "")
    return default_of(text)


def _taken(places: list[EntryPlace], wanted: str) -> int:
    """Return the index of the entry that loader.conf's pattern takes, else of the first; older ones name no ending."""
    pattern = wanted.casefold()
    for number, place in enumerate(places):
        tried = (place.ident, place.ident.removesuffix(".conf"))
        if wanted and place.profile == 0 and any(fnmatch.fnmatchcase(name, pattern) for name in tried):
            return number
    return 0


def _placed(view: FileView) -> Iterator[tuple[EntryPlace, BootEntry]]:
    """Give the entries of files with what sorts them."""
    names = dict(_files_of_entries(view))
    for name, entry in specified(view):
        values = _values(view.text(entry.source) or "")
        first = {key: found[0] for key, found in values.items()}
        if first.get("architecture", "x64").casefold() not in _ARCHITECTURES:
            continue
        yield (
            EntryPlace(
                ident=f"{name}.conf".casefold(),
                spent=_is_spent(names.get(name, "")),
                sort_key=first.get("sort-key", ""),
                machine=first.get("machine-id", ""),
                version=first.get("version", ""),
            ),
            entry,
        )


def _files_of_entries(view: FileView) -> Iterator[tuple[str, str]]:
    for folder in _LOADER_FOLDERS:
        for name in view.names(f"{folder}/entries"):
            yield _plain(name), name


def _is_spent(name: str) -> bool:
    tries = _TRIES.search(posixpath.splitext(name)[0])
    return tries is not None and int(tries[1]) == 0


def _plain(name: str) -> str:
    return _TRIES.sub("", posixpath.splitext(name)[0])


def _rank(name: str) -> tuple[bool, tuple[list[int], str]]:
    """Return what sorts entries: those with tries left, then the newest; tries are no part of a version."""
    tries = _TRIES.search(posixpath.splitext(name)[0])
    return tries is None or int(tries[1]) > 0, version_of(_plain(name))


def unified(view: FileView) -> Iterator[BootEntry]:
    """Give the unified images, or the kernel, that the firmware starts by itself, or a loader that is not known."""
    for name in ("Linux", "BOOT"):
        found = list(_unified_placed(view, name))
        order = in_order([place for place, _ in found])
        taken = _taken([found[index][0] for index in order], _default(view))
        for number, index in enumerate(order):
            yield msgspec.structs.replace(found[index][1], default=number == taken)
        if found:
            return
    for path in (f"{place}/EFI/BOOT/{name}" for place in EFI_PLACES for name in view.names(f"{place}/EFI/BOOT")):
        if path.casefold().endswith(".efi") and is_kernel(view.data(path, _KERNEL_HEAD_BYTES) or b""):
            yield BootEntry(title=posixpath.basename(path), kernel=path, source=path, default=True)
            return


def _unified_placed(view: FileView, folder_name: str) -> Iterator[tuple[EntryPlace, BootEntry]]:
    """Give the unified images of a folder with what sorts them, each of their profiles."""
    for place in EFI_PLACES:
        folder, had = f"{place}/EFI/{folder_name}", False
        for name in view.names(folder)[:_ENTRIES_MAX]:
            path = f"{folder}/{name}"
            head = view.data(path, unified_image.HEAD_MAX_BYTES) or b""
            if not name.casefold().endswith(".efi") or not unified_image.is_unified(head):
                continue
            had = True
            told = unified_image.told_by(functools.partial(view.part, path), head)
            for number, title in enumerate(told.profiles):
                entry = BootEntry(
                    title=f"{name}: {title}" if number else name,
                    kernel=path,
                    source=path,
                    configuration=str(number) if number else "",
                    addons=tuple(_addons(view, place, path)),
                )
                ident = f"{_plain(name)}.efi".casefold()
                yield EntryPlace(ident, _is_spent(name), told.sort_key, "", told.version, number), entry
        if had:
            return


def _addons(view: FileView, place: str, path: str) -> Iterator[str]:
    """Give the programs beside a unified image, and those for all of them, whose lines its stub appends."""
    for folder in (f"{place}/loader/addons", f"{path}.extra.d"):
        yield from (f"{folder}/{name}" for name in view.names(folder) if name.casefold().endswith(".addon.efi"))


def default_of(conf: str) -> str:
    """Return the pattern of names that loader.conf starts by itself; "" without one."""
    words = (line.split() for line in conf.splitlines())
    return next((line[1] for line in words if line[:1] == ["default"] and len(line) > 1), "")


def _values(text: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.split(None, 1)
        if len(words) == 2 and not words[0].startswith("#"):
            values.setdefault(words[0], []).append(words[1].strip())
    return values


def _is_unified(view: FileView, path: str) -> bool:
    return unified_image.is_unified(view.data(path, unified_image.HEAD_MAX_BYTES) or b"")


def _starts_linux(view: FileView, path: str) -> bool:
    return _is_unified(view, path) or is_kernel(view.data(path, _KERNEL_HEAD_BYTES) or b"")


def parse_loader_entry(
    text: str,
    source: str,
    root: str = "",
    starts_linux: Callable[[str], bool] = lambda _path: False,
    exists: Callable[[str], bool] = lambda _path: True,
) -> BootEntry | None:
    """Return an entry of the Boot Loader Specification; None for one that starts no kernel.

    `root`: the folder that its paths start at. `starts_linux`: whether a program that `efi` names is a kernel or a
    unified image. `exists`: whether a file is there: GRUB's entries in a root count from the root, not from /boot.
    """
    values = _values(text)
    base = root.rstrip("/")

    def where(path: str) -> str:
        plain = below_root(path)
        own = f"{base}{plain}"
        return plain if base and not exists(own) and exists(plain) else own

    kernel = next((values[key][0] for key in ("linux", "uki", "efi") if key in values), "")
    if not kernel or ("linux" not in values and not starts_linux(where(kernel))):
        return None
    profile = values.get("profile", ["0"])[0]
    return BootEntry(
        title=values.get("title", [""])[0],
        kernel=where(kernel),
        initrds=tuple(where(p) for value in values.get("initrd", []) for p in value.split()),
        device_tree=where(values["devicetree"][0]) if "devicetree" in values else "",
        cmdline=" ".join(values.get("options", [])),
        # A program of its own kind may have a line in itself.
        says_line="linux" in values,
        source=source,
        overlays=tuple(p for value in values.get("devicetree-overlay", []) for p in value.split()),
        chosen_by=_BAREBOX if values.get("linux-appendroot", [""])[0].casefold() in _TRUE else "",
        configuration=profile if "uki" in values and profile.strip("0") else "",
    )
