# SPDX-License-Identifier: MIT
"""Debian and what descends from it: `/etc/default/grub.d`, `initramfs-tools`, files below `/etc`."""

from __future__ import annotations

import shlex

from bootlab.deliver.pieces import CmdlineWords, FilePut, FilesDropped, KernelOptions, Packed, Piece, SourcePatch
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import contents_known, fragment, removal, whole

_PACKERS = {"gzip": "gzip", "bzip2": "bzip2", "lzma": "lzma", "xz": "xz", "lzo": "lzop", "lz4": "lz4", "zstd": "zstd"}
_HOOK = '#!/bin/sh\nset -e\n[ "${1:-}" != prereqs ] || exit 0\n'


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:
    match piece:
        case CmdlineWords() if piece.added or piece.removed:
            unit.files[f"etc/default/grub.d/60-bootlab-{slug}.cfg"] = Text(_grub(piece))
        case Packed() if piece.compression in _PACKERS:
            level = "" if piece.level is None else f"COMPRESSLEVEL={piece.level}\n"
            text = f"COMPRESS={_PACKERS[piece.compression]}\n{level}"
            unit.files[f"etc/initramfs-tools/conf.d/60-bootlab-{slug}"] = Text(text)
        case FilesDropped(initramfs=True):
            text = _HOOK + "".join(f"{line}\n" for line in removal("{DESTDIR:?}", piece.paths))
            unit.files[f"etc/initramfs-tools/hooks/zz-bootlab-{slug}"] = Text(text, mode=0o755)
        case FilePut() if contents_known(piece.entry) and piece.path.startswith("/etc/"):
            unit.files[piece.path[1:]] = piece.entry
        case KernelOptions():
            unit.files[f"kernel/{slug}.config"] = Text(fragment(piece.options))
        case SourcePatch():
            unit.files[f"kernel/{slug}.patch"] = Text(piece.patch.text)
        case FilesDropped():
            unit.cannot(f"{whole(piece)}; dpkg would bring a package's files back")
        case _:
            unit.cannot(whole(piece))


def _grub(piece: CmdlineWords) -> str:
    lines = ["# update-grub reads this with sh."]
    if piece.removed:
        kept = " && ".join(f'[ "$word" != {shlex.quote(word)} ]' for word in piece.removed)
        lines += [
            "set -f",
            "for line in GRUB_CMDLINE_LINUX GRUB_CMDLINE_LINUX_DEFAULT; do",
            '    eval "words=\\${$line:-}"; rest=',
            f'    for word in $words; do if {kept}; then rest="$rest $word"; fi; done',
            '    eval "$line=\\${rest# }"',
            "done",
            "set +f",
        ]
    if piece.added:
        lines.append(f'GRUB_CMDLINE_LINUX="${{GRUB_CMDLINE_LINUX:-}} "{shlex.quote(" ".join(piece.added))}')
    return "\n".join(lines) + "\n"


DEBIAN = Language(
    name="debian",
    title="Debian: GRUB and initramfs-tools",
    say=_say,
    use="""\
Copy `etc/` over the system's (or into the package that configures it), then `update-grub` and
`update-initramfs -u -k all`.
A kernel of your own is built with `kernel/`, as the folder `kernel` beside this one says, and `make bindeb-pkg`.
""",
)
