# SPDX-License-Identifier: MIT
"""mkosi: drop-ins of its configuration, and its tree of extra files."""

from __future__ import annotations

from bootlab.deliver.pieces import CmdlineWords, FilePut, FilesDropped, Piece
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import contents_known, whole


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:
    place = f"mkosi.conf.d/60-bootlab-{slug}.conf"
    match piece:
        case CmdlineWords():
            if piece.added:
                lines = ["[Content]", *(f"KernelCommandLine={word}" for word in piece.added)]
                unit.files[place] = Text("\n".join(lines) + "\n")
            if piece.removed or not piece.added:
                unit.cannot(f"{whole(CmdlineWords((), piece.removed, piece.line))}; mkosi only adds words")
        case FilePut() if contents_known(piece.entry):
            unit.files[f"mkosi.extra{piece.path}"] = piece.entry
        case FilesDropped(initramfs=False):
            lines = ["[Content]", *(f"RemoveFiles={path}" for path in piece.paths)]
            unit.files[f"mkosi.conf.d/60-bootlab-{slug}-files.conf"] = Text("\n".join(lines) + "\n")
        case _:
            unit.cannot(whole(piece))


MKOSI = Language(
    name="mkosi",
    title="mkosi",
    say=_say,
    use="Copy `mkosi.conf.d/` and `mkosi.extra/` into the folder of your `mkosi.conf`.\n",
)
