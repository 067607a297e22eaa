# SPDX-License-Identifier: MIT
"""A kernel that was built: its folder in the cache, and how what a build made gets there, whole or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from bootlab.builders.kbuild import objects as object_sizes
from bootlab.builders.kbuild.architecture import KbuildArchitecture
from bootlab.builders.kbuild.objects import ObjectSizes
from bootlab.builders.kbuild.overlay import OBJECTS
from bootlab.builders.whole_folder import whole
from bootlab.errors import UserError, cannot_write
from bootlab.recordings import sealed
from bootlab.recordings.sealed import Form

FACTS = "kernel.json"
# A kernel is minutes of work: one of an older bootlab is taken as it is.
_FORM = Form(name="bootlab-kernel", version=2, sealed_since=2, oldest=1)


class BuildFacts(msgspec.Struct, frozen=True, kw_only=True):
    """`kernel.json` beside the artefacts. `sizes_bytes` by file name; `wall_s`: how long the build took.

    `asked`: what the changes set that it was built for first, as `SMP=n`; empty for a system as its file has it.
    """

    format: str = "bootlab-kernel"
    version: int = 2
    arch: str
    image: str
    source: str
    compiler: str
    sizes_bytes: dict[str, int]
    device_trees: tuple[str, ...] = ()
    objects: int = 0
    objects_built: int = 0
    asked: tuple[str, ...] = ()
    wall_s: float = 0.0


class BuiltKernel(msgspec.Struct, frozen=True, kw_only=True):
    """The artefacts of one kernel. `modules` is the root of a tree that holds lib/modules, when there are any.

    `reused`: it was in the cache, nothing was built.
    """

    folder: Path
    facts: BuildFacts
    reused: bool = False

    @property
    def image(self) -> Path:
        """The image that is booted."""
        return self.folder / self.facts.image

    @property
    def vmlinux(self) -> Path:
        """The linked kernel with its symbols."""
        return self.folder / "vmlinux"

    @property
    def system_map(self) -> Path:
        """The symbols as text."""
        return self.folder / "System.map"

    @property
    def config(self) -> Path:
        """The configuration it was built with."""
        return self.folder / "config"

    @property
    def log(self) -> Path:
        """What make said."""
        return self.folder / "build.log"

    @property
    def modules(self) -> Path | None:
        """Return the tree of modules, None when the kernel has none."""
        folder = self.folder / "modules"
        return folder if folder.is_dir() else None

    def copy_to(self, folder: Path) -> None:
        """Copy everything into a folder, which is made. Raise EnvironmentFault when it cannot be written."""
        try:
            shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        except (OSError, shutil.Error) as error:
            raise cannot_write(f"{folder} cannot be written", error, folder) from error

    def device_tree(self, name: str) -> Path:
        """Return a compiled device tree by its file's name. Raise UserError when the build has none of that name."""
        found = [path for path in self.facts.device_trees if name in {path.rpartition("/")[2], path}]
        if not found:
            there = ", ".join(path.rpartition("/")[2] for path in self.facts.device_trees[:8]) or "none"
            raise UserError(
                f"the kernel was built without device tree {name!r}", hint=f"set kernel.device_tree to one of: {there}"
            )
        return self.folder / found[0]


def load(folder: Path) -> BuiltKernel | None:
    """Return what a folder of the cache holds, None when it holds nothing."""
    facts = sealed.kept(folder / FACTS, BuildFacts, _FORM)
    if facts is None:
        return None
    return BuiltKernel(folder=folder, facts=facts, reused=True)


def keep(
    view: Path,
    image_file: str,
    log: Path,
    facts: BuildFacts,
    target: KbuildArchitecture,
    folder: Path,
    *,
    sizes: ObjectSizes | None,
) -> BuiltKernel:
    """Copy what a build made into its folder of the cache. `modules` is taken from `view/modules`. Raise OSError."""
    objects = view / OBJECTS
    with whole(folder) as work:
        files = {facts.image: image_file, "vmlinux": "vmlinux", "System.map": "System.map", "config": ".config"}
        for name, source in files.items():
            shutil.copyfile(objects / source, work / name)
        shutil.copyfile(log, work / "build.log")
        trees = objects / "arch" / target.folder / "boot" / "dts"
        names = []
        for blob in sorted(trees.rglob("*.dtb")):
            name = f"dtbs/{blob.relative_to(trees)}"
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(blob, work / name)
            names.append(name)
        if (view / "modules").is_dir():
            shutil.copytree(view / "modules", work / "modules", symlinks=True)
        bytes_of = {name: (work / name).stat().st_size for name in (*files, *names)}
        modules = [path for path in (work / "modules").rglob("*.ko*") if path.is_file()]
        bytes_of |= {"modules": sum(path.stat().st_size for path in modules)} if modules else {}
        facts = msgspec.structs.replace(facts, sizes_bytes=bytes_of, device_trees=tuple(names))
        if sizes is not None:
            object_sizes.save(sizes, work)
        sealed.keep(work / FACTS, facts)
    return BuiltKernel(folder=folder, facts=facts)
