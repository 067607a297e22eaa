# SPDX-License-Identifier: MIT
"""dracut: `/etc/dracut.conf.d`."""

from __future__ import annotations

from bootlab.deliver.pieces import FilesDropped, Packed, Piece
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import whole
from bootlab.sources.initramfs import module_name

_PACKERS = {"none": "cat", "gzip": "gzip", "bzip2": "bzip2", "lzma": "lzma", "xz": "xz", "lzo": "lzop"}
_PACKERS |= {"lz4": "lz4", "zstd": "zstd"}


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:
    place = f"etc/dracut.conf.d/60-bootlab-{slug}.conf"
    match piece:
        case Packed():
            unit.files[place] = Text(f'compress="{_PACKERS[piece.compression]}"\n')
            if piece.level is not None:
                unit.cannot(f"initramfs: level {piece.level} of {piece.compression}; dracut's own level is used")
        case FilesDropped(initramfs=True):
            modules = [module_name(path) for path in piece.paths if ".ko" in path]
            if modules:
                unit.files[place] = Text(f'omit_drivers+=" {" ".join(dict.fromkeys(modules))} "\n')
            others = tuple(path for path in piece.paths if ".ko" not in path)
            if others:
                unit.cannot(whole(FilesDropped(others, initramfs=True)))
        case _:
            unit.cannot(whole(piece))


DRACUT = Language(
    name="dracut",
    title="dracut",
    say=_say,
    use="Copy `etc/` over the system's, then `dracut --force --regenerate-all`.\n",
)
