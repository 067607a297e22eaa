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
from bootlab.sources.menus.paths import below_root
from bootlab.sources.menus.versions import version_of
from bootlab.sources.menus.words import filled

_ENTRIES_MAX = 200
_LOADER_FOLDERS = ("/boot/loader", "/loader", "/efi/loader", "/boot/efi/loader")
EFI_PLACES = ("/boot", "/efi", "/boot/efi", "")
"""Where an EFI partition is mounted; "": it was taken for the root of what is looked at."""
# systemd-boot finds unified images in the first (Boot Loader Specification, type 2), the firmware in the second.
_UNIFIED_FOLDERS = tuple(f"{place}/EFI/{name}" for name in ("Linux", "BOOT") for place in EFI_PLACES)
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
            entry = parse_loader_entry(texts[name], path, root, functools.partial(_is_unified, view))
            found += [(_plain(name), entry)] if entry is not None else []
        return tuple(found)
    return ()


def systemd_boot(view: FileView, variables: Mapping[str, str]) -> Iterator[BootEntry]:
    """Give the entries with the one that loader.conf takes; without a word there, the newest."""
    found = specified(view)
    folder = next((f for f in _LOADER_FOLDERS if view.names(f"{f}/entries")), "")
    chosen = default_of(view.text(f"{folder}/loader.conf") or "")
    named = [name for name, _ in found if chosen and fnmatch.fnmatch(name, chosen.removesuffix(".conf"))]
    taken = named[0] if named else (found[0][0] if found else "")
    for name, entry in found:
        line = " ".join(filled(entry.cmdline, variables).split())
        yield msgspec.structs.replace(entry, cmdline=line, default=name == taken)


def _plain(name: str) -> str:
    return _TRIES.sub("", posixpath.splitext(name)[0])


def _rank(name: str) -> tuple[bool, tuple[list[int], str]]:
    """Return what sorts entries: those with tries left, then the newest; tries are no part of a version."""
    tries = _TRIES.search(posixpath.splitext(name)[0])
    return tries is None or int(tries[1]) > 0, version_of(_plain(name))


def unified(view: FileView) -> Iterator[BootEntry]:
    """Give the unified images, the newest first."""
    for folder in _UNIFIED_FOLDERS:
        found = [
            path
            for name in sorted(view.names(folder), key=_rank, reverse=True)[:_ENTRIES_MAX]
            if name.casefold().endswith(".efi") and _is_unified(view, path := f"{folder}/{name}")
        ]
        chosen = default_of(view.text(f"{folder.rpartition('/EFI/')[0]}/loader/loader.conf") or "")
        # The pattern is of the identifier: the name without tries, and for a unified image with its ending.
        named = [path for path in found if fnmatch.fnmatch(f"{_plain(posixpath.basename(path))}.efi", chosen)]
        for path in found:
            name = posixpath.basename(path)
            yield BootEntry(title=name, kernel=path, source=path, default=path == (named or found)[0])
        if found:
            return


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


def parse_loader_entry(
    text: str, source: str, root: str = "", is_kernel: Callable[[str], bool] = lambda _path: False
) -> BootEntry | None:
    """Return an entry of the Boot Loader Specification; None for one that starts no kernel.

    `root`: the folder that its paths start at. `is_kernel`: whether a program that `efi` names is a unified image.
    """
    values = _values(text)
    base = root.rstrip("/")
    kernel = next((values[key][0] for key in ("linux", "uki", "efi") if key in values), "")
    if not kernel or ("linux" not in values and not is_kernel(f"{base}{below_root(kernel)}")):
        return None
    return BootEntry(
        title=values.get("title", [""])[0],
        kernel=f"{base}{below_root(kernel)}",
        initrds=tuple(f"{base}{below_root(p)}" for value in values.get("initrd", []) for p in value.split()),
        device_tree=f"{base}{below_root(values['devicetree'][0])}" if "devicetree" in values else "",
        cmdline=" ".join(values.get("options", [])),
        source=source,
        overlays=tuple(p for value in values.get("devicetree-overlay", []) for p in value.split()),
    )
