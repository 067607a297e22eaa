# SPDX-License-Identifier: MIT
"""The kernel's command line of a system that was looked at: as it was found, for the machine that will boot it."""

from __future__ import annotations

import re

import msgspec

from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.root_place import device, finds_root
from bootlab.sources import early_console
from bootlab.sources.boards import QemuBoard
from bootlab.sources.disk import named_by
from bootlab.sources.facts import SourceFacts
from bootlab.systemfile import mapped_devices
from bootlab.systemfile.proposed_root import RootProposal

PUT_TOGETHER = ("LVM2_member", "crypto_LUKS", "linux_raid_member")
"""What an initrd makes a root of."""
# Of the entry of a boot loader: what it means for itself.
_LOADERS_OWN = ("BOOT_IMAGE", "initrd")
_ON_A_SERVER = re.compile(r"(?:live:)?(?:nfs4?|nbd|iscsi|https?|ftp|tftp|dhcp)(?::|$)")
_SERVER_KEYS = ("nfsroot", "netroot", "netboot", "fetch", "httpfs", "archiso_http_srv", "archiso_nfs_srv")
_BAUD = 115200
_WRITTEN = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"})


def proposed_cmdline(
    found: SourceFacts, board: QemuBoard, root: RootProposal | None
) -> tuple[CommandLine, tuple[str, ...]]:
    """Return the line, and notes of what was changed in it and why."""
    text, source = given_cmdline(found)
    notes: list[str] = [f"from {source}"] if text else []
    try:
        line = CommandLine.parse(text.replace("\n", " "))
    except UserError as error:
        line = CommandLine()
        notes = [f"what {source} says cannot be read ({error.message})"]
    for key in _LOADERS_OWN:
        line = line.without(key)
    if root is not None:
        line = _with_root(line, found, board, root, notes)
    line = _with_console(line, board, notes)
    if board.pci and line.value("pci") == "off":
        line = line.without("pci")
        notes.append(f"pci=off was left out: {board.machine} has its disks and network behind PCI")
    line, changed = early_console.translated(line, board)
    notes += [changed] if changed else []
    if board.processors_least > 1 and not (line.has("maxcpus") or line.has("nr_cpus") or line.has("nosmp")):
        line = line.with_param("maxcpus", "1")
        notes.append("maxcpus=1 was added: exact mode has one processor, and the machine's others stay off")
    if board.crashing:
        listed = line.value("initcall_blacklist")
        line = line.with_param("initcall_blacklist", ",".join([*([listed] if listed else []), *board.crashing]))
        notes.append(
            f"initcall_blacklist={','.join(board.crashing)} was added: QEMU's {board.machine} lacks what that driver "
            "reads, and the kernel would crash before it prints"
        )
    # A root that cannot be read may have systemd; another init does not look at the word.
    hidden = found.root is None and found.disk is not None
    systemd = found.root is not None and found.root.init_kind == "systemd"
    if (systemd or hidden) and line.has("quiet") and not line.has("systemd.show_status"):
        line = line.with_param("systemd.show_status", "1")
        notes.append("systemd.show_status=1 was added: with quiet, no unit would be seen")
    return line, tuple(notes)


def given_cmdline(found: SourceFacts) -> tuple[str, str]:
    """Return the command line that the system has, and who says so; both empty where nobody does."""
    if found.entry is not None and found.entry.cmdline:
        title = f", entry {found.entry.title!r}" if found.entry.title else ""
        return found.entry.cmdline, f"{found.entry.source or 'the build system'}{title}"
    if found.log is not None and found.log.cmdline:
        return found.log.cmdline, found.log.source
    if found.device_tree is not None and found.device_tree.bootargs:
        return found.device_tree.bootargs, "the device tree's bootargs"
    return "", ""


def on_a_server(line: CommandLine) -> str:
    """Return the parameter by which a command line takes the root from a server; "" where it does not.

    Kernel (Documentation/admin-guide/nfs/nfsroot.rst), dracut (dracut.cmdline(7)), live-boot and initramfs-tools.
    """
    root = line.value("root") or ""
    if root == "/dev/nfs" or _ON_A_SERVER.match(root):
        return f"root={root}"
    return next((f"{key}={line.value(key) or ''}" for key in _SERVER_KEYS if line.has(key)), "")


def _with_root(
    line: CommandLine, found: SourceFacts, board: QemuBoard, root: RootProposal, notes: list[str]
) -> CommandLine:
    own_slot = root.medium == "sd" and not board.pci
    given = line.value("root")
    number = root.partition or _named_number(given, found)
    base = device(root.medium, number)
    there = board.card_name + base.removeprefix("/dev/mmcblk0") if own_slot else base
    line = mapped_devices.on_this_machine(line, there.removesuffix(str(number)), notes)
    own_way = finds_root(line) if found.initramfs is not None else ""
    if given is not None and (_keeps(given, found, root) or mapped_devices.is_mapped(given, line)):
        pass
    elif given is None and found.initramfs is not None and _has_none(found, root):
        notes.append("no root= was added: the loader's line has none: the initrd is the root, or knows where it is")
    elif given is None and root.partition == 0 and found.disk is not None and found.disk.table:
        notes.append("no root= was added: none of the disk's partitions has a root that bootlab knows")
    elif given is None and own_way:
        notes.append(f"no root= was added: the initrd finds the root by {own_way}=")
    elif given != there:
        line = line.with_param("root", there)
        if given is not None:
            notes.append(f"root={given} became root={there}, which is what this machine has")
        else:
            notes.append(f"root={there} was added")
            line = _writable(line, found, root, notes)
    if root.medium == "sd" and found.initramfs is None and not line.has("rootwait"):
        line = line.with_param("rootwait")
        notes.append("rootwait was added: a card is found after the kernel looks for the root")
    if root.tree is not None:
        line = line.without("rootfstype").without("rootflags")
    return line


def _named_number(given: str | None, found: SourceFacts) -> int:
    """Return the number of the partition that `root=` names where none was seen to hold a root tree; 0 for none."""
    if given is None or found.disk is None or found.disk.root is not None or not found.disk.table:
        return 0
    part = named_by(given, found.disk.partitions)
    return part.number if part is not None else 0


def _has_none(found: SourceFacts, root: RootProposal) -> bool:
    """Tell whether a boot entry names no root, and no partition is one by its type, which systemd would find."""
    part = found.disk.of(root.partition) if found.disk is not None else None
    by_type = part is not None and part.partition.kind == "root"
    said = found.entry is not None and bool(found.entry.cmdline or found.entry.says_line)
    menu = found.entry is not None and bool(found.entry.kernel) and said
    return menu and not by_type and root.tree is None


def _writable(line: CommandLine, found: SourceFacts, root: RootProposal, notes: list[str]) -> CommandLine:
    """Return the line with `rw` where nothing of the system would make its root writable: it has no line in fstab."""
    told = found.root is None or any(mount.folder == "/" for mount in found.root.mounts)
    if told or given_cmdline(found)[0] or found.initramfs is None or root.file_system not in _WRITTEN:
        return line
    notes.append("rw was added: fstab has no line for /, so that an initrd would leave it read-only")
    return line.without("ro").with_param("rw")


def _keeps(given: str, found: SourceFacts, root: RootProposal) -> bool:
    """Tell whether `root=` finds the root on any medium: by a UUID or label, if somebody there can read it."""
    if found.disk is None or names_no_disk(given, found) or lies_elsewhere(given, found):
        return found.disk is not None
    own = found.disk.of(root.partition)
    if own is not None and own.file_system is not None and own.file_system.fstype in PUT_TOGETHER:
        # The initrd makes the root of it: no partition holds a root.
        return found.initramfs is not None
    if found.disk.table and found.initramfs is not None and mapped_devices.made_by_initrd(given):
        # dm-verity and plain dm-crypt leave no mark on the partition, which then looks like the root itself.
        return True
    if "=" not in given:
        return False
    part = named_by(given, found.disk.partitions)
    if part is None or part.number != (root.partition or _named_number(given, found)):
        return False
    # init/do_mounts.c: the kernel itself knows PARTUUID and PARTLABEL only.
    return found.initramfs is not None or given.startswith(("PARTUUID=", "PARTLABEL="))


def names_no_disk(given: str, found: SourceFacts) -> bool:
    """Tell whether `root=` is a word for an initrd, which finds the root by it: no disk and no mark of a partition.

    `live:LABEL=…` (dracut.cmdline(7)), `ZFS=…`, `/dev/ram` (the initrd is the root), `overlay` and others.
    """
    of_disk = re.match(r"/dev/(?!ram|mapper/|dm-)|(?:PART)?(?:UUID|LABEL)=|\d+:\d+$|[0-9a-fA-F]{3,4}$", given)
    return found.initramfs is not None and (of_disk is None or (found.disk is not None and found.disk.is_iso))


def lies_elsewhere(given: str, found: SourceFacts) -> bool:
    """Tell whether `root=` marks a partition of another medium: of all on this one was read what they are marked by."""
    disk = found.disk
    if disk is None or disk.root is not None or not re.match(r"(?:PART)?(?:UUID|LABEL)=", given):
        return False
    known = all(part.file_system is not None for part in disk.partitions if part.partition.kind != "bios-boot")
    return known and named_by(given, disk.partitions) is None


def _with_console(line: CommandLine, board: QemuBoard, notes: list[str]) -> CommandLine:
    names = [(param.value or "").partition(",")[0] for param in line.all("console")]
    if names and names[-1] == board.port:
        return line
    wrong = [name for name in names if re.fullmatch(r"tty(?:S|AMA|mxc|PS|SIF|LP|O|SAC|HS|MSM|Lite)\w*\d*", name)]
    wrong = [name for name in wrong if name != board.port]
    for name in wrong:
        line = msgspec.structs.replace(
            line, params=tuple(p for p in line.params if p.key != "console" or not (p.value or "").startswith(name))
        )
    line = line.without("console", board.port).with_added([Param("console", f"{board.port},{_BAUD}")])
    if wrong:
        notes.append(f"console={wrong[-1]} became console={board.port}: the serial port of {board.machine}")
    else:
        notes.append(f"console={board.port} was added: that is where bootlab reads the console")
    return line
