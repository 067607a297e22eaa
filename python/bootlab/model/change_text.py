# SPDX-License-Identifier: MIT
"""A change in words, and what it does to the command line."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal, assert_never

import msgspec

from bootlab.errors import UserError
from bootlab.model import change as ops
from bootlab.model import kernel_change as kernel_ops
from bootlab.model.change import Change, Op
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.system import Goal, Kernel, SystemDescription


class Word(msgspec.Struct, frozen=True):
    """One word of a command line and what became of it."""

    text: str
    fate: Literal["same", "added", "removed"]


_OPTIONS_SHOWN = 24
"""More options than that are a kernel's configuration, which is handed over as a file."""


def op_text(op: Op) -> str:
    """Say in a few words what one operation does."""
    match op:
        case ops.SetParam() | ops.ExtendParam() | ops.AddParam() | ops.DropParam() | ops.SetInitArguments():
            text = _command_line_text(op)
        case ops.SetCompression():
            text = f"initramfs: {op.compression}" + (f" level {op.level}" if op.level is not None else "")
        case ops.DropFiles() | ops.DropInitramfsFiles() | ops.MountRootDirectly() | ops.MountRootByKernel():
            text = _left_out_text(op)
        case ops.PutFile():
            text = f"root: put {op.path} ({op.entry.kind})"
        case ops.SetBusybox():
            applets = f"{len(op.applets)} applets" if op.applets else "the same applets"
            text = f"root: {op.path} built with {applets}" + "".join(f", {k}={v}" for k, v in op.options[:3])
        case ops.MoveRoot():
            packed = "" if op.compression == "none" else f", {op.compression}"
            text = f"root: {op.file_system} on {op.medium}" if op.medium else f"root: as initramfs{packed}"
        case ops.SetKernelForm() | ops.SetFlashStart():
            text = (
                f"kernel as {op.form}" if isinstance(op, ops.SetKernelForm) else f"start from flash: {op.start or 'no'}"
            )
        case ops.SetLoader() | ops.SetLoaderOptions():
            text = f"boot loader: {_loader_text(op)}"
        case ops.SetMachine():
            fields = {f: getattr(op, f) for f in op.__struct_fields__ if getattr(op, f) is not None}
            words = (f"{f}={','.join(v) if isinstance(v, tuple) else v}" for f, v in fields.items())
            text = "machine: " + " ".join(words)
        case ops.PutProgram() | ops.SetProgramBuild():
            text = _program_text(op)
        case (
            kernel_ops.SetKernelOptions()
            | kernel_ops.AddKernelFragment()
            | kernel_ops.AddKernelPatch()
            | kernel_ops.SetKernelVariables()
            | kernel_ops.SetKernelImage()
            | kernel_ops.LoadModulesLate()
        ):
            text = _kernel_text(op)
        case _:
            assert_never(op)
    return text


def _command_line_text(op: ops.SetParam | ops.ExtendParam | ops.AddParam | ops.DropParam | ops.SetInitArguments) -> str:
    if isinstance(op, ops.SetInitArguments):
        return f"arguments of init: {' '.join(op.arguments) or 'none'}"
    return f"{str(op.__struct_config__.tag).removesuffix('-param')} {Param(op.key, op.value)}"


def _left_out_text(
    op: ops.DropFiles | ops.DropInitramfsFiles | ops.MountRootDirectly | ops.MountRootByKernel,
) -> str:
    if isinstance(op, ops.MountRootByKernel):
        return f"no initramfs: the kernel mounts {op.device} ({op.file_system})"
    if isinstance(op, ops.MountRootDirectly):
        return f"initramfs: only a program that mounts the root ({op.file_system}), and {len(op.modules)} modules"
    names = ", ".join(op.paths[:3]) + (", …" if len(op.paths) > 3 else "")
    place = "root" if isinstance(op, ops.DropFiles) else "initramfs"
    return f"{place}: {len(op.paths)} files left out ({names})"


def _loader_text(op: ops.SetLoader | ops.SetLoaderOptions) -> str:
    if isinstance(op, ops.SetLoaderOptions):
        return " ".join(f"CONFIG_{name}={value}" for name, value in op.options)
    fields = {f: getattr(op, f) for f in op.__struct_fields__ if getattr(op, f) is not None}
    return " ".join(f if v is True else f"{f}={v}" for f, v in fields.items())


def _program_text(op: ops.PutProgram | ops.SetProgramBuild) -> str:
    if isinstance(op, ops.PutProgram):
        return f"programs: {op.program.path} added"
    flags = [*op.cflags, *op.ldflags, *(word for word in (op.link, op.libc) if word)]
    flags += [] if op.strip is None else ["stripped" if op.strip else "not stripped"]
    return "programs: " + " ".join(flags)


def _kernel_text(op: kernel_ops.KernelOp) -> str:
    match op:
        case kernel_ops.SetKernelOptions():
            shown = [f"CONFIG_{name}={value}" for name, value in op.options[:_OPTIONS_SHOWN]]
            more = len(op.options) - len(shown)
            return "kernel: " + " ".join(shown) + (f" and {more} more" if more else "")
        case kernel_ops.AddKernelFragment():
            return f"kernel: fragment {op.path}"
        case kernel_ops.AddKernelPatch():
            return f"kernel: patch {op.patch.name}"
        case kernel_ops.SetKernelVariables():
            return "kernel: make " + " ".join(f"{name}={value}" for name, value in op.variables)
        case kernel_ops.SetKernelImage():
            embedded = {None: "", True: "initramfs embedded", False: "initramfs apart"}[op.embed_initramfs]
            tree = {None: "", True: "device tree appended", False: "device tree apart"}[op.append_device_tree]
            return "kernel: " + ", ".join(part for part in (op.image or "", embedded, tree) if part)
        case kernel_ops.LoadModulesLate():
            return f"kernel: modules loaded {op.after_ms} ms after user space has started"
        case _:
            assert_never(op)


def change_text(change: Change) -> str:
    """Say what a change does: `set quiet; drop console=tty0`."""
    return "; ".join(op_text(op) for op in change.ops)


def changed_cmdline(base: str, change: Change) -> str | None:
    """Apply a change to a command line alone. None when the line cannot be read."""
    try:
        line = CommandLine.parse(base)
    except UserError:
        return None
    bare = SystemDescription(name="", kernel=Kernel(image=""), goal=Goal(console=""), cmdline=line)
    return str(change.apply(bare).cmdline)


def cmdline_diff(before: str, after: str) -> tuple[Word, ...]:
    """Word by word: what stayed, what went, what came. Order is the new line's; removed words stand where they were."""
    # The kernel takes 2048 to 4096 bytes; a longer list of words is not a command line and would cost time squared.
    old, new = before.split()[:1024], after.split()[:1024]
    out: list[Word] = []
    for fate, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if fate == "equal":
            out += [Word(word, "same") for word in new[j1:j2]]
        else:
            out += [Word(word, "removed") for word in old[i1:i2]]
            out += [Word(word, "added") for word in new[j1:j2]]
    return tuple(out)
