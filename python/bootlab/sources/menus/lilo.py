# SPDX-License-Identifier: MIT
"""LILO and ELILO: lilo.conf, images with labels (lilo.conf(5)); elilo.conf (ELILO's docs/elilo.txt)."""

from __future__ import annotations

import posixpath

from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.paths import below

_ENTRIES_MAX = 200
# Of a global option an image has its own, or the general one.
_WORDS = frozenset({"read-only", "read-write"})


def parse_lilo(text: str, source: str) -> tuple[BootEntry, ...]:
    """Return the images, the one that `default` names first by its label, or the first one, as the default.

    ELILO takes paths from the folder of its own file, and puts the root and its mode behind what is appended.
    """
    general: dict[str, str] = {}
    images: list[dict[str, str]] = []
    for raw in text.splitlines():
        key, equals, value = (part.strip() for part in raw.split("#", 1)[0].strip().partition("="))
        value = value.strip("\"'")
        if key == "image" and equals:
            images.append({"image": value})
        elif key == "other" and equals:
            images.append({"other": value})
        elif equals or key in _WORDS:
            (images[-1] if images else general).setdefault(key, value)
    linux = [said for said in images if "image" in said][:_ENTRIES_MAX]
    wanted = general.get("default", "")
    chosen = next((said for said in linux if wanted and _label(said) == wanted), images[0] if images else None)
    return tuple(_entry(general, said, source, is_default=said is chosen) for said in linux)


def _label(said: dict[str, str]) -> str:
    return said.get("label", said["image"].rpartition("/")[2])


def _entry(general: dict[str, str], said: dict[str, str], source: str, *, is_default: bool) -> BootEntry:
    both = general | said
    if _WORDS.intersection(said):
        both = {key: value for key, value in both.items() if key not in _WORDS or key in said}
    efi = posixpath.basename(source) == "elilo.conf"
    mode = "ro" if "read-only" in both else "rw" if "read-write" in both else ""
    root = f"root={both['root']}" if "root" in both else ""
    own = (
        (both.get("append", ""), root, mode) if efi else (root, mode, both.get("append", ""), said.get("addappend", ""))
    )
    words = said["literal"] if "literal" in said else " ".join(part for part in own if part)
    folder = posixpath.dirname(source) if efi and source.startswith("/") else "/"
    return BootEntry(
        title=_label(said),
        kernel=below(folder, said["image"]),
        initrds=(below(folder, both["initrd"]),) if both.get("initrd") else (),
        cmdline=words,
        source=source,
        default=is_default,
    )
