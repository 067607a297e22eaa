# SPDX-License-Identifier: MIT
"""The changes of a result as a person would make them: a script with a comment above each."""

from __future__ import annotations

import shlex

import msgspec

from bootlab import techniques
from bootlab.errors import UserError
from bootlab.model import change as ops
from bootlab.model import kernel_change as kernel_ops
from bootlab.model.change import Change, Op
from bootlab.model.change_text import op_text
from bootlab.model.figures import ms
from bootlab.model.waterfall import Bar
from bootlab.techniques.base import Technique
from bootlab.views.shown_text import one_line

_HEAD = """\
#!/bin/sh
# From {name} to its optimized form, by hand. Written by bootlab; read it before you run it.
#
# ROOT is the unpacked root tree, INITRAMFS that of an initramfs which only mounts the root, KERNEL and LOADER the
# sources with their .config. Steps that a script cannot make are comments that begin with TODO. What a change saved is
# from the waterfall: one boot with all changes above it.
set -e
"""
_ROOT = '"$ROOT"'

_NEEDS_ROOT = ': "${ROOT:?the folder of the root tree}"\n'
_PACKERS = {
    "none": "cat",
    "gzip": "gzip -9n",
    "bzip2": "bzip2 -9",
    "lzma": "xz --format=lzma -9",
    "xz": "xz --check=crc32 --lzma2=preset=9,dict=1MiB",
    "lzo": "lzop -9",
    "lz4": "lz4 -l -12",
    "zstd": "zstd -22 --ultra",
}
"""What the kernel can unpack (bootlab.builders.compress)."""


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What the script is about. `left_out_ns`: by a change's id, how much later the result comes without it.

    `besides`: techniques that are not in the catalogue. `packed`: how the result's initramfs is compressed, where it is
    another than the base's; else "".
    """

    name: str
    changes: tuple[Change, ...]
    bars: tuple[Bar, ...]
    left_out_ns: dict[str, int]
    base_cmdline: str
    cmdline: str
    besides: tuple[Technique, ...] = ()
    packed: str = ""


def script(made: Made) -> str:
    """Return the script."""
    head = _HEAD.format(name=one_line(made.name, 80))
    lines: list[str] = []
    bars = {one: bar for bar in made.bars for one in bar.changes}
    for number, change in enumerate(made.changes, 1):
        technique = _technique(change.technique, made.besides)
        title = technique.title if technique is not None else change.technique
        lines.append(f"# {number}. {one_line(change.id, 100)}: {one_line(title, 100)}")
        bar, cost_ns = bars.get(change.id), made.left_out_ns.get(change.id)
        if bar is not None and bar.saved_ns is not None:
            shared = f" together with {len(bar.changes) - 1} more" if len(bar.changes) > 1 else ""
            lines.append(f"#    saved {ms(bar.saved_ns)} ms{shared}")
        if cost_ns is not None:
            lines.append(f"#    the result without it: {ms(cost_ns)} ms later")
        if technique is not None:
            lines.append(f"#    cost: {one_line(technique.cost, 160)}")
            risks = ((kind, getattr(technique.risk, kind)) for kind in technique.risk.kinds)
            lines += [f"#    risk, {kind}: {one_line(said, 160)}" for kind, said in risks]
        lines += [line for op in change.ops for line in _commands(op)]
        lines.append("")
    lines += _packed(made.packed)
    lines += ["# The kernel's command line at the end:", f"cmdline={shlex.quote(made.cmdline)}"]
    lines += [f"# before: {one_line(made.base_cmdline, 2000)}", "printf '%s\\n' \"$cmdline\" > cmdline.txt"]
    text = "\n".join(lines) + "\n"
    return f"{head}{_NEEDS_ROOT if '$ROOT' in text else ''}\n{text}"


def _technique(name: str, besides: tuple[Technique, ...]) -> Technique | None:
    try:
        return techniques.get(name)
    except UserError:
        return next((one for one in besides if one.id == name), None)


def _commands(op: Op) -> list[str]:
    match op:
        case ops.SetParam() | ops.ExtendParam() | ops.AddParam() | ops.DropParam() | ops.SetInitArguments():
            lines = [f"# kernel command line: {one_line(op_text(op), 400)} (the whole line is below)"]
        case ops.DropFiles():
            lines = [f"rm -rf -- {' '.join(_rooted(path) for path in op.paths)}"]
        case ops.DropInitramfsFiles():
            lines = [f"rm -rf -- {' '.join(_rooted(path, _INITRAMFS) for path in op.paths)}"]
        case ops.PutFile():
            lines = _put(op)
        case ops.SetCompression():
            lines = [f"# initramfs: {op.compression}; it is packed at the end"]
        case ops.SetKernelForm(form="vmlinux"):
            lines = [
                "# TODO: start the unpacked kernel, vmlinux, in place of the packed image: `kernel` in this folder"
            ]
        case ops.SetMachine():
            lines = [f"# TODO: {one_line(op_text(op), 400)} (boot.sh in this folder has the emulator's command)"]
        case ops.SetBusybox() if op.applets:
            lines = [f"# TODO: build {one_line(op.path, 200)} with these applets alone: {' '.join(op.applets)}"]
        case ops.SetLoaderOptions():
            source = 'cd "${LOADER:?the source of the boot loader}"'
            lines = [source, *_config(op.options), "make olddefconfig", 'cd "$OLDPWD"']
        case _:
            lines = _kernel_commands(op) or [f"# TODO: {one_line(op_text(op), 400)}"]
    return lines


def _kernel_commands(op: Op) -> list[str]:
    """Return what is done in the kernel's source; [] for what is not."""
    match op:
        case kernel_ops.SetKernelOptions():
            lines = [*_config(op.options), "make olddefconfig"]
        case kernel_ops.AddKernelFragment():
            lines = [f"scripts/kconfig/merge_config.sh -m .config {shlex.quote(op.path)}", "make olddefconfig"]
        case kernel_ops.AddKernelPatch():
            lines = _document("patch -p1", op.patch.text)
        case kernel_ops.SetKernelVariables():
            words = " ".join(f"{name}={shlex.quote(value)}" for name, value in op.variables)
            lines = [f"# the kernel is built with: make {one_line(words, 400)}"]
        case _:
            return []
    return ['cd "${KERNEL:?the kernel source}"', *lines, 'cd "$OLDPWD"']


_INITRAMFS = '"${INITRAMFS:-$ROOT}"'


def _packed(compression: str) -> list[str]:
    """Pack the initramfs, where it has other files or is packed in another way."""
    if not compression:
        return []
    archive = f"cd {_INITRAMFS} && find . -print0 | LC_ALL=C sort -z | cpio --null -o -H newc -R 0:0 --quiet"
    return ["# The initramfs:", f"({archive}) | {_PACKERS[compression]} > initramfs.cpio", ""]


def _config(options: tuple[tuple[str, str], ...]) -> list[str]:
    verbs = {"y": "--enable", "n": "--disable", "m": "--module"}
    return [
        f"scripts/config {verbs[value]} {name}"
        if value in verbs
        else f"scripts/config --set-val {name} {shlex.quote(value)}"
        for name, value in options
    ]


def _put(op: ops.PutFile) -> list[str]:
    place, entry = _rooted(op.path), op.entry
    if entry.kind == "dir":
        return [f"mkdir -p {place}", f"chmod {entry.mode:04o} {place}"]
    # What is there may be a link, through which one would write.
    clear = [f"mkdir -p {_rooted(op.path.rpartition('/')[0] or '/')}", f"rm -rf -- {place}"]
    if entry.kind == "symlink":
        return [*clear, f"ln -s -- {shlex.quote(entry.target or '')} {place}"]
    if entry.text is not None:
        return [*clear, *_document(f"cat > {place}", entry.text), f"chmod {entry.mode:04o} {place}"]
    if entry.source is not None:
        return [*clear, f"install -m {entry.mode:04o} -- {shlex.quote(entry.source)} {place}"]
    return [f"# TODO: {one_line(op_text(op), 400)}"]


def _document(command: str, text: str) -> list[str]:
    """Hand a text to a command, byte for byte."""
    if not text.endswith("\n"):
        return [f"printf '%s' {shlex.quote(text)} | {command}"]
    end = "EOF"
    while end in text:
        end += "_"
    return [f"{command} <<'{end}'", text[:-1], end]


def _rooted(path: str, root: str = _ROOT) -> str:
    return root + shlex.quote(path)
