# SPDX-License-Identifier: MIT
"""Yocto: a layer with fragments and patches of the kernel and of U-Boot, words of the command line, and files."""

from __future__ import annotations

import re
import shlex

from bootlab.deliver.pieces import (
    CmdlineWords,
    FilePut,
    FilesDropped,
    KernelOptions,
    LoaderOptions,
    Packed,
    Piece,
    SourcePatch,
)
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import contents_known, fragment, removal, whole

_KERNEL, _LOADER = "recipes-kernel/linux", "recipes-bsp/u-boot"
_KERNEL_APPEND, _LOADER_APPEND = f"{_KERNEL}/linux-yocto_%.bbappend", f"{_LOADER}/u-boot_%.bbappend"
_CONF, _ROOT, _INITRAMFS = "conf/bootlab.inc", "classes/bootlab_root.bbclass", "classes/bootlab_initramfs.bbclass"
_LINES = ("APPEND", "UBOOT_EXTLINUX_KERNEL_ARGS", "QB_KERNEL_CMDLINE_APPEND")
_PACKED = {"none": "cpio", "gzip": "cpio.gz", "bzip2": "cpio.bz2", "lzma": "cpio.lzma", "xz": "cpio.xz"}
_PACKED |= {"lzo": "cpio.lzo", "lz4": "cpio.lz4", "zstd": "cpio.zst"}
_HERE = 'FILESEXTRAPATHS:prepend := "${THISDIR}/files:"\n'
_IN_QUOTES = re.compile(r'["\\\n]|\$\{|\$\(')


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:
    match piece:
        case KernelOptions():
            _source(unit, _KERNEL, _KERNEL_APPEND, f"{slug}.cfg", fragment(piece.options))
        case LoaderOptions():
            _source(unit, _LOADER, _LOADER_APPEND, f"{slug}.cfg", fragment(piece.options))
        case SourcePatch():
            _source(unit, _KERNEL, _KERNEL_APPEND, f"{slug}.patch", piece.patch.text)
        case CmdlineWords():
            _words(unit, piece)
        case Packed():
            unit.more(_CONF, f'INITRAMFS_FSTYPES = "{_PACKED[piece.compression]}"')
            if piece.level is not None:
                unit.cannot(f"initramfs: level {piece.level} of {piece.compression}; Yocto's own level is used")
        case FilePut() if contents_known(piece.entry):
            unit.files[f"root{piece.path}"] = piece.entry
            _step(unit, _ROOT, slug, _put(piece))
        case FilePut() if piece.entry.kind == "dir":
            _step(unit, _ROOT, slug, [f'install -d -m {piece.entry.mode:04o} "${{IMAGE_ROOTFS}}"{_quoted(piece.path)}'])
        case FilesDropped():
            place = _INITRAMFS if piece.initramfs else _ROOT
            _step(unit, place, slug, removal("{IMAGE_ROOTFS}", piece.paths))
        case _:
            unit.cannot(whole(piece))


def _source(unit: ChangeFiles, folder: str, append: str, name: str, text: str) -> None:
    unit.files[f"{folder}/files/{name}"] = Text(text)
    unit.more(append, f'SRC_URI:append = " file://{name}"')


def _words(unit: ChangeFiles, piece: CmdlineWords) -> None:
    for word in (*piece.added, *piece.removed):
        if _IN_QUOTES.search(word):
            unit.cannot(f"kernel command line: {word} needs quoting of your own in BitBake's files")
            return
    for name in _LINES:
        unit.more(_CONF, *(f'{name}:append = " {word}"' for word in piece.added))
        unit.more(_CONF, *(f'{name}:remove = "{word}"' for word in piece.removed))
    if not (piece.added or piece.removed):
        unit.cannot(whole(piece))


def _step(unit: ChangeFiles, place: str, slug: str, commands: list[str]) -> None:
    """Add commands to a function of the change; BitBake runs functions of the same name once, with all their lines."""
    name = "bootlab_" + re.sub(r"\W", "_", slug)
    head = [] if f"{name}:append () {{" in unit.lines.get(place, ()) else [f"{name} () {{", "    :", "}"]
    if head:
        unit.more(place, "", *head, f'ROOTFS_POSTPROCESS_COMMAND:append = " {name};"')
    unit.more(place, f"{name}:append () {{", *(f"    {line}" for line in commands), "}")


def _put(piece: FilePut) -> list[str]:
    place, folder = f'"${{IMAGE_ROOTFS}}"{_quoted(piece.path)}', piece.path.rpartition("/")[0] or "/"
    clear = [f'install -d "${{IMAGE_ROOTFS}}"{_quoted(folder)}', f"rm -rf -- {place}"]
    if piece.entry.kind == "symlink":
        return [*clear, f"ln -s -- {_quoted(piece.entry.target or '')} {place}"]
    return [*clear, f'install -m {piece.entry.mode:04o} "${{BOOTLAB_LAYER}}/root"{_quoted(piece.path)} {place}']


def _quoted(text: str) -> str:
    return shlex.quote(text)


YOCTO = Language(
    name="yocto/meta-bootlab-result",
    title="Yocto: a layer",
    say=_say,
    heads={
        "conf/layer.conf": """\
BBPATH .= ":${LAYERDIR}"
BBFILES += "${LAYERDIR}/recipes-*/*/*.bb ${LAYERDIR}/recipes-*/*/*.bbappend"
BBFILE_COLLECTIONS += "bootlab_result"
BBFILE_PATTERN_bootlab_result = "^${LAYERDIR}/"
BBFILE_PRIORITY_bootlab_result = "8"
LAYERSERIES_COMPAT_bootlab_result = "kirkstone scarthgap styhead walnascar whinlatter"
BOOTLAB_LAYER := "${LAYERDIR}"
""",
        _KERNEL_APPEND: _HERE,
        _LOADER_APPEND: _HERE,
        _CONF: "# require conf/bootlab.inc in local.conf, or in the configuration of your machine or distribution.\n",
        _ROOT: '# IMAGE_CLASSES += "bootlab_root"\n',
        _INITRAMFS: "# inherit bootlab_initramfs in the recipe of the initramfs.\n",
    },
    use="""\
Add the layer (`bitbake-layers add-layer FOLDER`), and to `local.conf`:

    require conf/bootlab.inc
    IMAGE_CLASSES += "bootlab_root"

Name the kernel's `.bbappend` after the recipe of your kernel (`bitbake -e virtual/kernel | grep ^PN=`). Fragments
are merged by kernels that inherit `kernel-yocto`; of another, add the `.cfg` files to its configuration. Words of the
command line are set in `APPEND` (images with GRUB, syslinux or systemd-boot), `UBOOT_EXTLINUX_KERNEL_ARGS` and
`QB_KERNEL_CMDLINE_APPEND`; those of a `.wks` file (`bootloader --append`) or of U-Boot's environment are yours to
change.
""",
)
