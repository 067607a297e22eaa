# SPDX-License-Identifier: MIT
"""The kernel's own build: configuration fragments and patches."""

from __future__ import annotations

from bootlab.deliver.pieces import KernelOptions, Piece, SourcePatch
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import fragment, whole


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:
    match piece:
        case KernelOptions():
            unit.files[f"{slug}.config"] = Text(fragment(piece.options))
        case SourcePatch():
            unit.files[f"{slug}.patch"] = Text(piece.patch.text)
        case _:
            unit.cannot(whole(piece))


KERNEL = Language(
    name="kernel",
    title="The kernel's own build",
    say=_say,
    use="""\
In the kernel's source, with your `.config`:

    scripts/kconfig/merge_config.sh -m .config FOLDER/*.config && make olddefconfig
    for patch in FOLDER/*.patch; do patch -p1 < "$patch"; done
""",
)
