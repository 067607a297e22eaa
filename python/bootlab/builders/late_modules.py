# SPDX-License-Identifier: MIT
"""Modules of a kernel that is built, carried in the initramfs and loaded once the system is in use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.builders.guest_program import build
from bootlab.data import source_folder
from bootlab.errors import ToolMissing, UserError
from bootlab.model.architecture import Arch
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry

if TYPE_CHECKING:
    from bootlab.builders.kbuild import BuiltKernel

FOLDER = "/.bootlab-modules"
"""Where they lie in the initramfs. A hidden name: programs that list the root see what they saw before."""

_FLAGS = (
    "-Os", "-static", "-s", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie",
    "-fno-asynchronous-unwind-tables", "-Wl,--build-id=none", "-Wl,-z,noseparate-code",
)  # fmt: skip


def with_late_modules(system: SystemDescription, kernel: BuiltKernel, after_ms: int) -> SystemDescription:
    """Return the system with its kernel's modules inside and bootlab's loader in front of init (guest/late/late.c).

    Raise UserError where they have no place, ToolMissing or EnvironmentFault.
    """
    if system.initramfs is None or (system.kernel.build is not None and system.kernel.build.embed_initramfs):
        raise UserError(
            "kernel.late_modules_ms is set, but there is no separate initramfs to carry the modules",
            hint="add [initramfs], and leave kernel.embed_initramfs out",
        )
    modules = load_order(kernel)
    if not modules:
        return system
    tree = system.initramfs.tree.put(FOLDER, Entry(kind="dir", mode=0o755))
    for path in modules:
        tree = tree.put(f"{FOLDER}/{path.name}", Entry(kind="file", mode=0o644, source=str(path)))
    listed = "".join(f"{path.name}\n" for path in modules)
    tree = tree.put(f"{FOLDER}/list", Entry(kind="file", mode=0o644, text=listed))
    tree = tree.put(f"{FOLDER}/load", Entry(kind="file", mode=0o755, source=str(_loader(system.machine.arch))))
    init = system.cmdline.value("rdinit") or "/init"
    line = system.cmdline.with_param("rdinit", f"{FOLDER}/load").with_param("BOOTLAB_MODULES_INIT", init)
    return msgspec.structs.replace(
        system,
        cmdline=line.with_param("BOOTLAB_MODULES_MS", str(after_ms)),
        initramfs=msgspec.structs.replace(system.initramfs, tree=tree),
    )


def load_order(kernel: BuiltKernel) -> tuple[Path, ...]:
    """Return a kernel's modules, each after those that it needs (modules.dep). Raise ToolMissing."""
    if kernel.modules is None:
        return ()
    found = sorted(kernel.modules.glob("lib/modules/*/modules.dep"))
    if not found:
        raise ToolMissing("depmod", package="kmod", needed_for="to know which module needs which")
    order: dict[str, None] = {}
    for line in found[0].read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, needed = line.partition(":")
        # depmod names direct and indirect ones, the last is to be loaded first.
        order |= dict.fromkeys([*reversed(needed.split()), name])
    return tuple(found[0].parent / name for name in order if name)


def _loader(arch: Arch) -> Path:
    folder = source_folder("late", "late.c")
    sources = [folder / "late.c", folder / "start.h"]
    return build("late", sources, arch, _FLAGS, needed_for="to load modules late")
