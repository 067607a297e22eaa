# SPDX-License-Identifier: MIT
"""What the initramfs holds."""

from __future__ import annotations

import fnmatch
import posixpath
import re

from bootlab.model.change import Change, DropFiles, DropInitramfsFiles, MountRootDirectly
from bootlab.model.tree import Entry, FileTree
from bootlab.model.tree_links import follow, normal
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.diagnosed import mounted_root, users_of_modules
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.missing import NO_FILES_READ, NO_INITRAMFS, NO_INITRAMFS_SIZE, NO_ROOT_SHOWN

_ARTEFACT = "initramfs"


class InitramfsSlim(Technique):
    """Every file is loaded, unpacked and written to memory, read or not."""

    id = "initramfs-slim"
    ends = ("do_populate_rootfs", "populate_rootfs")
    title = "Initramfs slimmed to the files that are read"
    stage = "initramfs"
    what = "Removes the regular files that nobody read between power-on and the goal in the diagnostic boot."
    why = "Loading, unpacking and copying a file costs the same even if it is never opened."
    when_not = (
        "Files are needed after the goal, on other hardware, or when something fails: list them in `initramfs.keep`."
    )
    cost = "The list is valid for one application on one machine; make it again when either changes."
    risk = Risk(
        function=("files that are needed only later, or only sometimes, are missing; only goal and check are proved")
    )
    needs_diagnosis = True
    conflicts = ("built-in-drivers", "initramfs-direct")
    rests_on = ("initramfs",)
    proof = "recording"
    published = (Published("-20 ms for a minimal initramfs", "BeagleBone Black", "Bootlin boot-time training"),)
    references = ("init/initramfs.c: do_name(), do_copy()",)

    def _unread(self, context: Context) -> tuple[str, ...]:
        initramfs, diagnosis = context.system.initramfs, context.diagnosis
        if initramfs is None or diagnosis is None or context.system.root is not None:
            return ()
        tree = initramfs.tree.as_dict()
        needed = {normal(f.path) for f in diagnosis.files if f.read}
        told = {normal(f.path) for f in diagnosis.files}
        needed |= {normal(p) for p in (context.system.application, context.system.init_path) if p}
        needed |= {path for path in tree if any(fnmatch.fnmatch(path, pattern) for pattern in initramfs.keep)}
        kept = _closure(needed, tree)
        files = (path for path, entry in tree.items() if entry.kind == "file")
        return tuple(sorted(path for path in files if path in told and path not in kept))

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot tells which files were read, and some were not."""
        initramfs, diagnosis = context.system.initramfs, context.diagnosis
        if initramfs is None:
            return NO_INITRAMFS
        if context.system.root is not None:
            return Applies.no("an initrd mounts the root: only the root is observed", context.system.root.medium)
        if diagnosis is None:
            return NO_FILES_READ
        if not diagnosis.files:
            return Applies.unknown("the diagnostic boot could not tell which files were read")
        unread = self._unread(context)
        if not unread:
            return Applies.no("every file is read before the goal", f"{len(diagnosis.files)} files")
        sizes = {normal(f.path): f.size_bytes for f in diagnosis.files}
        total = sum(sizes.get(path, 0) for path in unread)
        names = ", ".join(unread[:4]) + (" …" if len(unread) > 4 else "")
        return Applies.yes(f"{len(unread)} of {len(diagnosis.files)} files are never read ({total} bytes)", names)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose to drop all of them at once."""
        unread = self._unread(context)
        return (Change(technique=self.id, ops=(DropFiles(unread),)),) if unread else ()

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the smaller archive, in files and bytes."""
        was, now = (e.recording.meta.artefact_bytes.get(_ARTEFACT) for e in (before, after))
        if was is None or now is None:
            return NO_INITRAMFS_SIZE
        files = [
            sum(1 for _, x in e.system.initramfs.tree.entries if x.kind == "file") if e.system.initramfs else 0
            for e in (before, after)
        ]
        change = f"initramfs {was} -> {now} bytes, {files[0]} -> {files[1]} files"
        return Effect(now < was and files[1] < files[0], change)


def _closure(needed: set[str], tree: dict[str, Entry]) -> set[str]:
    """Follow symbolic links (on every component) and `#!` lines from the files that are needed."""
    kept: set[str] = set()
    todo = sorted(needed)
    while todo:
        path = todo.pop()
        if path in kept:
            continue
        kept.add(path)
        way = follow(tree, path)
        todo += [step for step in (*way.links, way.path) if step not in kept]
        if way.entry is not None and (interpreter := _interpreter(way.entry)):
            todo.append(normal(interpreter))
    return kept


def _interpreter(entry: Entry) -> str | None:
    """Return what a script's first line asks for. A program's interpreter is opened by the kernel, so it was read."""
    if entry.text is None or not entry.text.startswith("#!"):
        return None
    words = entry.text.split("\n", 1)[0][2:].split()
    return words[0] if words else None


# Initramfs of build systems keep them anywhere and load them by insmod.
_MODULE = re.compile(r"/.*\.ko(?:\.xz|\.gz|\.zst)?")
_FEW = 5
"""Fewer modules than this are not worth a boot."""


class InitramfsModules(Technique):
    """A distribution's initrd carries the drivers of every machine that it may be installed on."""

    id = "initramfs-modules"
    ends = ("do_populate_rootfs", "populate_rootfs")
    title = "Modules of other machines left out of the initramfs"
    stage = "initramfs"
    what = (
        "Removes the kernel modules that the diagnostic boot did not load, as `MODULES=dep` of initramfs-tools and "
        "`hostonly` of dracut do."
    )
    why = "Each module is loaded with the archive, unpacked and copied to memory, whether a device needs it or not."
    when_not = (
        "The same image boots on different machines or from different media. Files that must stay can be listed in "
        "`initramfs.keep`."
    )
    cost = "The list is valid for one machine and one medium; make it again when either changes."
    risk = Risk(function="on another machine, or with the root on another medium, the root's driver may be missing")
    conflicts = ("built-in-drivers", "initramfs-direct")
    rests_on = ("initramfs",)
    needs_diagnosis = True
    proof = "recording"
    published = (Published("a smaller initramfs; no time given", "any machine", "initramfs.conf(5): MODULES"),)
    references = ("initramfs.conf(5): MODULES=dep", "dracut(8): --hostonly", "init/initramfs.c: do_name(), do_copy()")

    def applies(self, context: Context) -> Applies:
        """Yes when the initramfs has modules that the diagnostic boot did not load."""
        initramfs = context.system.initramfs
        if initramfs is None:
            return NO_INITRAMFS
        carried = modules_of(initramfs.tree)
        if not carried:
            return Applies.no("the initramfs has no modules", f"{len(initramfs.tree.entries)} entries")
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows which modules are loaded")
        loaded = _loaded(context)
        if not loaded:
            return Applies.unknown("the diagnostic boot does not show which modules are loaded")
        spare = _spare(context)
        if len(spare) < _FEW:
            return Applies.no("nearly every module is loaded", f"{len(carried) - len(spare)} of {len(carried)}")
        names = ", ".join(sorted(carried[path] for path in set(carried) - set(spare))[:8])
        return Applies.yes(f"{len(spare)} of {len(carried)} modules are never loaded", f"loaded: {names} …")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose to leave all of them out."""
        spare = _spare(context)
        return (Change(technique=self.id, ops=(DropInitramfsFiles(spare),)),) if spare else ()

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the smaller archive, in modules and bytes, with which the goal was reached."""
        was, now = (e.recording.meta.artefact_bytes.get(_ARTEFACT) for e in (before, after))
        if was is None or now is None:
            return NO_INITRAMFS_SIZE
        counts = [len(modules_of(e.system.initramfs.tree)) if e.system.initramfs else 0 for e in (before, after)]
        text = f"initramfs {was} -> {now} bytes, {counts[0]} -> {counts[1]} modules"
        return Effect(now < was and counts[1] < counts[0] and after.recording.ok, text)


def modules_of(tree: FileTree) -> dict[str, str]:
    """Return the modules of a tree: path to the name that the kernel gives them."""
    files = (path for path, entry in tree.entries if entry.kind == "file" and _MODULE.fullmatch(path))
    return {path: posixpath.basename(path).partition(".ko")[0].replace("-", "_") for path in files}


def _loaded(context: Context) -> set[str]:
    """Return what the diagnostic boot loaded, also what came and went: its start function was called."""
    diagnosis = context.diagnosis
    if diagnosis is None:
        return set()
    listed = {line.split()[0] for line in diagnosis.proc.get("modules", "").splitlines() if line.split()}
    return listed | {call.module for call in diagnosis.initcalls if call.module}


def _spare(context: Context) -> tuple[str, ...]:
    initramfs, loaded = context.system.initramfs, _loaded(context)
    if initramfs is None or not loaded:
        return ()
    carried = modules_of(initramfs.tree)
    keep = initramfs.keep
    return tuple(
        sorted(
            path
            for path, name in carried.items()
            if name not in loaded and not any(fnmatch.fnmatch(path, pattern) for pattern in keep)
        )
    )


_SAYS = r"mount-root: (/dev/\S{1,100}) mounted as the root"
_PACKED = (".ko.xz", ".ko.zst", ".ko.gz")
_NAMED = re.compile(r"/dev/(?!mapper/|disk/|dm-|md)\S+|UUID=\S+|LABEL=\S+")
_EXT = frozenset({"ext2", "ext3", "ext4"})
# What drives each kind of medium: the driver that all others of it rest on.
_CORES = (
    ("/dev/mmcblk", "mmc_core"),
    ("/dev/sd", "scsi_mod"),
    ("/dev/vd", "virtio_blk"),
    ("/dev/nvme", "nvme_core"),
    ("/dev/pmem", "libnvdimm"),
)
# A driver that rests on one of these finds its device only when the bus's own drivers are there.
_BUSES = ("virtio", "usbcore")
# What a file system asks the kernel's crypto layer for, by name: nothing that the modules say of each other shows it.
_CHECKSUMS = "crc32c"


class InitramfsDirect(Technique):
    """A distribution's initrd is a small system: a shell, udev and scripts look for whatever root there may be."""

    id = "initramfs-direct"
    ends = ("do_populate_rootfs", "populate_rootfs")
    title = "Initramfs that only mounts the root"
    stage = "initramfs"
    what = (
        "Replaces the initramfs by one program (guest/mount/mount-root.c) and the modules that drive the root's medium "
        "and read its file system. It loads them, waits for the device, mounts it and starts init. Not compressed: "
        "what is left is small."
    )
    why = (
        "Shell scripts, udev and its rules, and modules of devices that are not the root run before the root is "
        "mounted, each process with its own dynamic linking. The root's own udev finds these devices again later."
    )
    when_not = (
        "The root is encrypted, on LVM, RAID or a network, the system resumes from hibernation, or the same image "
        "boots from different media."
    )
    cost = "The list of modules is valid for one machine, one medium and one kernel; make it again when one changes."
    risk = Risk(
        function=(
            "no rescue shell, no resume from hibernation, no encrypted or network root; on another machine the root's "
            "driver may be missing"
        ),
        debuggability="no shell when the root cannot be mounted: the kernel panics",
    )
    conflicts = ("built-in-drivers", "initramfs-modules", "initramfs-slim")
    rests_on = ("initramfs",)
    needs_diagnosis = True
    published = (Published("a smaller initramfs; no time given", "any machine", "tiny-initramfs(8)"),)
    references = (
        "Documentation/filesystems/ramfs-rootfs-initramfs.rst",
        "finit_module(2)",
        "busybox: util-linux/switch_root.c",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when an initramfs mounts a root that one program can mount, and a diagnostic boot shows with what."""
        refused = _refused(context)
        mounted = mounted_root(context)
        if refused is not None or mounted is None or context.system.initramfs is None:
            return refused or NO_ROOT_SHOWN
        needed = _needed(context)
        if _are_packed(needed) and not context.enabled("MODULE_DECOMPRESS"):
            return Applies.no(
                "the kernel cannot unpack its modules itself",
                "CONFIG_MODULE_DECOMPRESS is not set",
                options=("MODULE_DECOMPRESS",),
            )
        carried = len(context.system.initramfs.tree.entries)
        names = ", ".join(path.rpartition("/")[2] for path in needed) or "none"
        return Applies.yes(f"{mounted[0]} needs {len(needed)} modules of {carried} files", names)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the program and those modules; without a diagnostic boot there is nothing to propose."""
        mounted = mounted_root(context)
        if mounted is None or context.system.initramfs is None or context.system.root is None:
            return ()
        return (Change(technique=self.id, ops=(MountRootDirectly(_needed(context), mounted[1]),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the line that the program writes into the kernel's log once the root is mounted."""
        was, now = KernelLog.of(before), KernelLog.of(after)
        said = now.line(_SAYS)
        if not said:
            return Effect(False, now.why_silent() or "mount-root said nothing in the kernel's log")
        if was.line(_SAYS):
            return Effect(False, f"it mounted the root before as well: {said}")
        sizes = [e.recording.meta.artefact_bytes.get("initramfs") for e in (before, after)]
        return Effect(True, f"{said}; initramfs {sizes[0]} -> {sizes[1]} bytes")


def _refused(context: Context) -> Applies | None:  # noqa: PLR0911 - one answer a reason
    """Say why such an initramfs could not mount the root, or what is missing to know; None where it can."""
    system = context.system
    named = system.cmdline.value("root") or ""
    if system.initramfs is None or system.root is None:
        return Applies.no("no initramfs mounts a root", "not both of [initramfs] and [root] in the system")
    if any(entry.own == "mount-root" for _, entry in system.initramfs.tree.entries):
        return Applies.no("it does nothing else already", "/init is mount-root")
    if not _NAMED.fullmatch(named):
        return Applies.no("the program cannot find such a root", f"root={named}")
    if context.diagnosis is None:
        return Applies.unknown("a diagnostic boot is missing: only it shows which modules drive the root")
    device, kind = mounted_root(context) or ("", "")
    if device and not _NAMED.fullmatch(device):
        return Applies.no("the root is on a device that others make up", f"{device} is mounted on /")
    if device and kind not in _EXT and not named.startswith("/dev/"):
        return Applies.no(f"the program finds no {kind} by its name", f"root={named}")
    return None


def _needed(context: Context) -> tuple[str, ...]:
    """Return the initramfs' modules that the root needs, in the order in which the diagnostic boot loaded them."""
    mounted = mounted_root(context)
    if mounted is None or context.system.initramfs is None or context.diagnosis is None:
        return ()
    users = users_of_modules(context)
    device, kind = mounted
    cores = {core for prefix, core in _CORES if device.startswith(prefix)}
    wanted = _with_needed({kind} | _with_users(cores, users), users)
    for bus in _BUSES:
        if bus in wanted:
            wanted = _with_needed(wanted | _with_users({bus}, users), users)
    wanted |= {name for name in users if name.startswith(_CHECKSUMS)}
    if context.system.machine.dtb is not None or not cores & users.keys():
        # A device tree's regulators, clocks and pins rest on no module of the medium, and where the medium's core is
        # built in, nothing shows what rests on it: then all that was loaded may be needed.
        wanted = set(users)
    paths = {name: path for path, name in modules_of(context.system.initramfs.tree).items()}
    # The newest stands first in /proc/modules, and a module is there after those that it needs.
    return tuple(paths[name] for name in reversed(users) if name in wanted and name in paths)


def _with_users(names: set[str], users: dict[str, set[str]]) -> set[str]:
    """Return modules and all that rest on them."""
    found = set(names)
    while more := {user for name in found for user in users.get(name, set())} - found:
        found |= more
    return found


def _with_needed(names: set[str], users: dict[str, set[str]]) -> set[str]:
    """Return modules and all that they rest on."""
    found = set(names)
    while more := {name for name, by in users.items() if by & found} - found:
        found |= more
    return found


def _are_packed(paths: tuple[str, ...]) -> bool:
    return any(path.endswith(_PACKED) for path in paths)


TECHNIQUES = (
    InitramfsSlim(),
    InitramfsModules(),
    InitramfsDirect(),
)
