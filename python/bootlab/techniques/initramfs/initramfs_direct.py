"""An initramfs that only loads the root's modules and mounts the root."""

from __future__ import annotations

import re

from bootlab.model.change import Change, MountRootDirectly
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.initramfs.initramfs_modules import modules_of

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
    conflicts = ("initramfs-modules", "initramfs-slim")
    rests_on = ("initramfs",)
    needs_diagnosis = True
    proof = "kernel-log"
    published = (Published("a smaller initramfs; no time given", "any machine", "tiny-initramfs(8)"),)
    references = (
        "Documentation/filesystems/ramfs-rootfs-initramfs.rst",
        "finit_module(2)",
        "busybox: util-linux/switch_root.c",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when an initramfs mounts a root that one program can mount, and a diagnostic boot shows with what."""
        refused = _refused(context)
        mounted = _mounted(context)
        if refused is not None or mounted is None or context.system.initramfs is None:
            return refused or Applies.unknown("the diagnostic boot does not show what is mounted as the root")
        needed = _needed(context)
        if _are_packed(needed) and not context.enabled("MODULE_DECOMPRESS"):
            return Applies.no("the kernel cannot unpack its modules itself", "CONFIG_MODULE_DECOMPRESS is not set")
        carried = len(context.system.initramfs.tree.entries)
        names = ", ".join(path.rpartition("/")[2] for path in needed) or "none"
        return Applies.yes(f"{mounted[0]} needs {len(needed)} modules of {carried} files", names)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the program and those modules; without a diagnostic boot there is nothing to propose."""
        mounted = _mounted(context)
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
    device, kind = _mounted(context) or ("", "")
    if device and not _NAMED.fullmatch(device):
        return Applies.no("the root is on a device that others make up", f"{device} is mounted on /")
    if device and kind not in _EXT and not named.startswith("/dev/"):
        return Applies.no(f"the program finds no {kind} by its name", f"root={named}")
    return None


def _mounted(context: Context) -> tuple[str, str] | None:
    """Return the device and the type of what the diagnostic boot shows mounted on `/`."""
    text = context.diagnosis.proc.get("mounts", "") if context.diagnosis is not None else ""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 2 and words[1] == "/" and words[0].startswith("/dev/"):
            return words[0], words[2]
    return None


def _needed(context: Context) -> tuple[str, ...]:
    """Return the initramfs' modules that the root needs, in the order in which the diagnostic boot loaded them."""
    mounted = _mounted(context)
    if mounted is None or context.system.initramfs is None or context.diagnosis is None:
        return ()
    users: dict[str, set[str]] = {}
    for line in context.diagnosis.proc.get("modules", "").splitlines():
        words = line.split()
        if len(words) > 3:
            users[words[0]] = {name for name in words[3].split(",") if name and name != "-"}
    device, kind = mounted
    cores = {core for prefix, core in _CORES if device.startswith(prefix)}
    wanted = _with_needed({kind} | _with_users(cores, users), users)
    for bus in _BUSES:
        if bus in wanted:
            wanted = _with_needed(wanted | _with_users({bus}, users), users)
    wanted |= {name for name in users if name.startswith(_CHECKSUMS)}
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
