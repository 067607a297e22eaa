# SPDX-License-Identifier: MIT
"""What a menu's entry names with all its parts in one: a unified or FIT image, Android's images of a slot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bootlab.formats import android_boot
from bootlab.formats.bundle import Bundle
from bootlab.formats.file_view import FileView
from bootlab.sources import bundle
from bootlab.sources.facts import BootEntry, SourceFacts
from bootlab.sources.medium import place_of
from bootlab.sources.merge import merged


def of_bundle(
    found: SourceFacts, entry: BootEntry, image: Path, parts: Bundle, keeper: bundle.Keeper, added: Sequence[str] = ()
) -> SourceFacts:
    """Take the parts of a unified or FIT image. Its own line counts more than a menu's; addons append theirs."""
    inside = bundle.look(image, parts, keeper)
    image.unlink()
    own = inside.entry.cmdline if inside.entry is not None else ""
    own = " ".join((own or entry.cmdline, *added)) if added else own
    return _with(found, entry, inside, own or entry.cmdline)


def of_android(
    found: SourceFacts,
    entry: BootEntry,
    image: Path,
    view: FileView,
    kept: tuple[Callable[[FileView, str], Path], bundle.Keeper],
) -> SourceFacts:
    """Take the parts of Android's boot image in a partition, with those of the same slot's other partitions.

    `kept`: what takes a file out of a view, and who looks at the parts.
    """
    out, keeper = kept
    halves = [bundle.look(image, android_boot.read(image), keeper)]
    slot = entry.title.removeprefix("boot")
    for part in found.disk.partitions if found.disk is not None and halves[0].lacks else ():
        place = place_of(part.number, "").rstrip("/")
        named = part.partition.name in {f"init_boot{slot}", f"vendor_boot{slot}"}
        if named and android_boot.is_android(view.part(place, 0, 8)):
            other = out(view, place)
            halves.append(bundle.look(other, android_boot.read(other), keeper))
    overlays = (
        [part for part in found.disk.partitions if part.partition.name in {"dtbo", f"dtbo{slot}"}] if found.disk else []
    )
    if overlays:
        number = overlays[0].number
        note = f"Android's loader merges overlays of partition {number} (dtbo) into the device tree: not done here"
        found = msgspec.structs.replace(found, notes=(*found.notes, note))
    whole = bundle.joined(merged(halves), halves, keeper)
    line = whole.entry.cmdline if whole.entry is not None else ""
    return msgspec.structs.replace(_with(found, entry, whole, line), lacks=whole.lacks)


def _with(found: SourceFacts, entry: BootEntry, inside: SourceFacts, line: str) -> SourceFacts:
    return msgspec.structs.replace(
        found,
        arch=inside.arch or found.arch,
        kernel=inside.kernel,
        initramfs=inside.initramfs,
        device_tree=inside.device_tree,
        entry=msgspec.structs.replace(entry, cmdline=line),
        notes=(*found.notes, *inside.notes),
    )
