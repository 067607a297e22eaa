# SPDX-License-Identifier: MIT
"""Buildroot: an external tree with a fragment of the configuration, an overlay, and a post-build script."""

from __future__ import annotations

from bootlab.deliver.pieces import FilePut, FilesDropped, KernelOptions, LoaderOptions, Packed, Piece, SourcePatch
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import contents_known, fragment, removal, whole

_FRAGMENT, _POST = "bootlab.fragment", "post-build.sh"
_TREE = "$(BR2_EXTERNAL_BOOTLAB_RESULT_PATH)"


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:
    match piece:
        case KernelOptions():
            unit.files[f"linux/{slug}.config"] = Text(fragment(piece.options))
            unit.more(_FRAGMENT, f'BR2_LINUX_KERNEL_CONFIG_FRAGMENT_FILES="$(sort $(wildcard {_TREE}/linux/*.config))"')
        case LoaderOptions():
            unit.files[f"uboot/{slug}.config"] = Text(fragment(piece.options))
            unit.more(_FRAGMENT, f'BR2_TARGET_UBOOT_CONFIG_FRAGMENT_FILES="$(sort $(wildcard {_TREE}/uboot/*.config))"')
        case SourcePatch():
            unit.files[f"linux/{slug}.patch"] = Text(piece.patch.text)
            unit.more(_FRAGMENT, f'BR2_LINUX_KERNEL_PATCH="$(sort $(wildcard {_TREE}/linux/*.patch))"')
        case Packed():
            unit.more(_FRAGMENT, "BR2_TARGET_ROOTFS_CPIO=y", f"BR2_TARGET_ROOTFS_CPIO_{piece.compression.upper()}=y")
            if piece.level is not None:
                unit.cannot(f"initramfs: level {piece.level} of {piece.compression}; Buildroot's own level is used")
        case FilePut() if contents_known(piece.entry):
            unit.files[f"overlay{piece.path}"] = piece.entry
            unit.more(_FRAGMENT, f'BR2_ROOTFS_OVERLAY="{_TREE}/overlay"')
        case FilesDropped(initramfs=False):
            unit.more(_FRAGMENT, f'BR2_ROOTFS_POST_BUILD_SCRIPT="{_TREE}/{_POST}"')
            unit.more(_POST, *removal("TARGET_DIR", piece.paths))
        case _:
            unit.cannot(whole(piece))


BUILDROOT = Language(
    name="buildroot",
    title="Buildroot: an external tree",
    say=_say,
    scripts=frozenset({_POST}),
    heads={
        "external.desc": "name: BOOTLAB_RESULT\ndesc: Changes that bootlab proved\n",
        "external.mk": "",
        "Config.in": "",
        _FRAGMENT: "# support/kconfig/merge_config.sh .config bootlab.fragment\n",
        _POST: '#!/bin/sh\nset -eu\n: "${TARGET_DIR:?Buildroot sets it}"\n',
    },
    use="""\
In Buildroot's source, with your configuration:

    make BR2_EXTERNAL=FOLDER olddefconfig
    support/kconfig/merge_config.sh -e FOLDER .config FOLDER/bootlab.fragment
    make BR2_EXTERNAL=FOLDER

If your configuration sets one of the options of `bootlab.fragment` already (an overlay, a post-build script), name
both values, separated by a space: the last one alone would count. Buildroot has no option for the kernel's command
line: it stands in the file of your boot loader (`extlinux.conf`, `grub.cfg`, `cmdline.txt`).
""",
)
