# SPDX-License-Identifier: MIT
"""A change: what a technique does to a system, as a pure value. `system + change = another system`."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.boot_loader import LoaderPlace, LoaderStart
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.kernel_change import KernelOp
from bootlab.model.program import Libc, Link, Program
from bootlab.model.root import Root, RootMedium
from bootlab.model.system import Firmware, FlashStart, Initramfs, KernelForm, SystemDescription
from bootlab.model.tree import BusyboxBuild, Compression, Entry, FileTree

_FOR_THE_KERNEL = ("/kernel/",)
"""Microcode and ACPI tables, which the kernel looks for in the archive itself."""


class SetParam(msgspec.Struct, frozen=True, tag_field="op", tag="set-param"):
    """Set a kernel parameter, in the place of its first occurrence or at the end."""

    key: str
    value: str | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        return system.with_cmdline(lambda line: line.with_param(self.key, self.value), self.key)


class ExtendParam(msgspec.Struct, frozen=True, tag_field="op", tag="extend-param"):
    """Add words to a comma-separated kernel parameter (`initcall_blacklist=a,b`), keeping those that are there."""

    key: str
    value: str

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        return system.with_cmdline(self._extended)

    def _extended(self, line: CommandLine) -> CommandLine:
        words = [w for w in (line.value(self.key) or "").split(",") if w]
        words += [w for w in self.value.split(",") if w and w not in words]
        return line.with_param(self.key, ",".join(words))


class AddParam(msgspec.Struct, frozen=True, tag_field="op", tag="add-param"):
    """Append a kernel parameter beside any that is there already."""

    key: str
    value: str | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        return system.with_cmdline(lambda line: line.with_added([Param(self.key, self.value)]), self.key)


class DropParam(msgspec.Struct, frozen=True, tag_field="op", tag="drop-param"):
    """Remove a kernel parameter (only with this value, when one is given)."""

    key: str
    value: str | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        return system.with_cmdline(lambda line: line.without(self.key, self.value))


class SetInitArguments(msgspec.Struct, frozen=True, tag_field="op", tag="set-init-arguments"):
    """Set what the kernel hands to init: the words behind `--` on the command line; none takes them away."""

    arguments: tuple[str, ...] = ()

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        return system.with_cmdline(lambda line: msgspec.structs.replace(line, init_args=self.arguments))


class SetCompression(msgspec.Struct, frozen=True, tag_field="op", tag="set-compression"):
    """Compress the initramfs another way."""

    compression: Compression
    level: int | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without an initramfs stays as it is."""
        if system.initramfs is None:
            return system
        initramfs = msgspec.structs.replace(system.initramfs, compression=self.compression, level=self.level)
        return msgspec.structs.replace(system, initramfs=initramfs)


class DropFiles(msgspec.Struct, frozen=True, tag_field="op", tag="drop-files"):
    """Leave files out of the root tree."""

    paths: tuple[str, ...]

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without a tree stays as it is."""
        return system if system.startup is None else system.with_tree(system.startup.without(frozenset(self.paths)))


class DropInitramfsFiles(msgspec.Struct, frozen=True, tag_field="op", tag="drop-initramfs-files"):
    """Leave files out of the initramfs, also of one that only mounts the root."""

    paths: tuple[str, ...]

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without an initramfs stays as it is."""
        if system.initramfs is None:
            return system
        tree = system.initramfs.tree.without(frozenset(self.paths))
        return msgspec.structs.replace(system, initramfs=msgspec.structs.replace(system.initramfs, tree=tree))


class MountRootDirectly(msgspec.Struct, frozen=True, tag_field="op", tag="mount-root-directly"):
    """Leave in the initramfs bootlab's own first program (guest/mount/), and the modules that mount the root.

    `modules`: their paths, in the order in which they are loaded. `file_system`: the root's type.
    """

    modules: tuple[str, ...]
    file_system: str

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without an initramfs beside a root, or changed so already, stays."""
        initramfs = system.initramfs
        if initramfs is None or system.root is None:
            return system
        there = initramfs.tree.as_dict()
        if any(entry.own == "mount-root" for entry in there.values()):
            return system
        lines, tree = [f"fs {self.file_system}"], {p: e for p, e in there.items() if p.startswith(_FOR_THE_KERNEL)}
        for number, path in enumerate(p for p in self.modules if p in there):
            place = f"/modules/{number:02}-{path.rpartition('/')[2]}"
            tree[place] = there[path]
            lines.append(f"module {place}")
        folders = {path: Entry(kind="dir", mode=0o755) for path in ("/dev", "/modules", "/proc", "/root")}
        tree |= folders | {
            "/init": Entry(kind="file", mode=0o755, own="mount-root"),
            "/root.list": Entry(kind="file", mode=0o644, text="\n".join(lines) + "\n"),
            "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        }
        direct = msgspec.structs.replace(initramfs, tree=FileTree.of(tree), compression="none", level=None, packed=None)
        return msgspec.structs.replace(system, initramfs=direct)


class MountRootByKernel(msgspec.Struct, frozen=True, tag_field="op", tag="mount-root-by-kernel"):
    """Leave the initramfs out: the kernel itself mounts the root, a device by its own name, of this type."""

    device: str
    file_system: str

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without an initramfs beside a root stays as it is."""
        if system.initramfs is None or system.root is None:
            return system
        for key, value in (("root", self.device), ("rootfstype", self.file_system), ("rootwait", None)):
            system = SetParam(key, value).apply(system)
        return msgspec.structs.replace(system, initramfs=None)


class PutFile(msgspec.Struct, frozen=True, tag_field="op", tag="put-file"):
    """Add or replace one entry of the root tree."""

    path: str
    entry: Entry

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without a tree stays as it is."""
        return system if system.startup is None else system.with_tree(system.startup.put(self.path, self.entry))


class SetBusybox(msgspec.Struct, frozen=True, tag_field="op", tag="set-busybox"):
    """Build the BusyBox at a path: with these applets (empty: those that it was to hold anyway), and options set."""

    path: str
    applets: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without a file there stays as it is."""
        entry = system.tree.get(self.path) if system.tree is not None else None
        if system.tree is None or entry is None or entry.kind != "file":
            return system
        build = entry.busybox or BusyboxBuild()
        build = msgspec.structs.replace(
            build,
            applets=self.applets or build.applets,
            options=tuple((dict(build.options) | dict(self.options)).items()),
        )
        fresh = msgspec.structs.replace(entry, source=None, text=None, busybox=build)
        return system.with_tree(system.tree.put(self.path, fresh))


class MoveRoot(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", tag="move-root"):
    """Make the root tree a file system on a medium, or the initramfs; the parameters that mount it are not touched.

    `medium` None: the initramfs, compressed so. bootlab.model.root_place returns this with what belongs to it.
    """

    file_system: str = ""
    medium: RootMedium | None = None
    compression: Compression = "none"

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without a tree stays as it is."""
        if system.tree is None:
            return system
        if self.medium is None:
            packed = Initramfs(tree=system.tree, compression=self.compression, keep=system.keep)
            return msgspec.structs.replace(system, initramfs=packed, root=None)
        size_mib = system.root.size_mib if system.root is not None else None
        root = Root(
            tree=system.tree, file_system=self.file_system, medium=self.medium, size_mib=size_mib, keep=system.keep
        )
        return msgspec.structs.replace(system, initramfs=None, root=root)


class SetKernelForm(msgspec.Struct, frozen=True, tag_field="op", tag="set-kernel-form"):
    """Start the kernel as its image, or as the vmlinux unpacked on the host (PVH entry)."""

    form: KernelForm

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        return msgspec.structs.replace(system, kernel=msgspec.structs.replace(system.kernel, form=self.form))


class SetFlashStart(msgspec.Struct, frozen=True, tag_field="op", tag="set-flash-start"):
    """Start the machine from its flash, the kernel in a given way; None: the emulator loads the kernel."""

    start: FlashStart | None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        return msgspec.structs.replace(system, kernel=msgspec.structs.replace(system.kernel, flash=self.start))


class SetLoader(msgspec.Struct, frozen=True, tag_field="op", tag="set-loader"):
    """Change how the boot loader comes to the kernel, field by field of `Loader` (None: as it was).

    A start in falcon mode keeps the one before as its fallback.
    """

    start: LoaderStart | None = None
    wrapped: bool | None = None
    place: LoaderPlace | None = None
    exact: bool | None = None
    in_place: bool | None = None
    silent: bool | None = None
    checked: bool | None = None
    appended: bool | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one without a boot loader stays as it is."""
        loader = system.loader
        if loader is None:
            return system
        fields = {f: getattr(self, f) for f in self.__struct_fields__ if getattr(self, f) is not None}
        if self.start == "falcon" and loader.start != "falcon":
            fields["fallback"] = loader.start
        return msgspec.structs.replace(system, loader=msgspec.structs.replace(loader, **fields))


class SetLoaderOptions(msgspec.Struct, frozen=True, tag_field="op", tag="set-loader-options"):
    """Build the boot loader with options set (name without `CONFIG_`, value as a `.config` writes it)."""

    options: tuple[tuple[str, str], ...]

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one whose boot loader is not built stays as it is."""
        loader = system.loader
        if loader is None or loader.build is None:
            return system
        build = loader.build.with_options(self.options)
        return msgspec.structs.replace(system, loader=msgspec.structs.replace(loader, build=build))


class SetMachine(msgspec.Struct, frozen=True, tag_field="op", tag="set-machine"):
    """Change the machine: its type, firmware or options (None: as it was)."""

    type: str | None = None
    firmware: Firmware | None = None
    cpu: str | None = None
    memory_mib: int | None = None
    cpus: int | None = None
    options: tuple[str, ...] | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        fields = {f: getattr(self, f) for f in self.__struct_fields__ if getattr(self, f) is not None}
        return msgspec.structs.replace(system, machine=msgspec.structs.replace(system.machine, **fields))


class SetProgramBuild(msgspec.Struct, frozen=True, tag_field="op", tag="set-program-build"):
    """Build the system's programs another way. Flags are added behind those that are there; None: as it was."""

    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    link: Link | None = None
    libc: Libc | None = None
    strip: bool | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one that builds no programs stays as it is."""
        fields = {name: value for name in ("link", "libc", "strip") if (value := getattr(self, name)) is not None}
        programs = tuple(
            msgspec.structs.replace(
                program,
                cflags=_with_flags(program.cflags, self.cflags),
                ldflags=_with_flags(program.ldflags, self.ldflags),
                **fields,
            )
            for program in system.programs
        )
        return msgspec.structs.replace(system, programs=programs)


class PutProgram(msgspec.Struct, frozen=True, tag_field="op", tag="put-program"):
    """Build one more program of the tree, or another one in its place."""

    program: Program

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system."""
        others = tuple(program for program in system.programs if program.path != self.program.path)
        return msgspec.structs.replace(system, programs=(*others, self.program))


def _with_flags(there: tuple[str, ...], added: tuple[str, ...]) -> tuple[str, ...]:
    # Of two that contradict each other, compiler and linker take the last.
    return (*(flag for flag in there if flag not in added), *added)


Op = (
    SetParam
    | ExtendParam
    | AddParam
    | DropParam
    | SetInitArguments
    | SetCompression
    | DropFiles
    | DropInitramfsFiles
    | MountRootDirectly
    | MountRootByKernel
    | PutFile
    | SetBusybox
    | MoveRoot
    | SetKernelForm
    | SetFlashStart
    | SetMachine
    | SetLoader
    | SetLoaderOptions
    | SetProgramBuild
    | PutProgram
    | KernelOp
)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One variant that a technique proposes. `label` tells it from its siblings (`lz4`, `xz`); "" when alone."""

    technique: str
    ops: tuple[Op, ...]
    label: str = ""
    kind: Literal["technique", "manual"] = "technique"

    @property
    def id(self) -> str:
        """`quiet`, `initramfs-compression:lz4`."""
        return f"{self.technique}:{self.label}" if self.label else self.technique

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return another system; the one given is never edited."""
        for op in self.ops:
            system = op.apply(system)
        return system


def apply_all(system: SystemDescription, changes: tuple[Change, ...]) -> SystemDescription:
    """Apply changes in order."""
    for change in changes:
        system = change.apply(system)
    return system
