# SPDX-License-Identifier: MIT
"""From what was found to what is booted: machine, medium, command line; each decision with its reason.

Nothing here reads a file or boots anything. What could not be known is said, never guessed without a word.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import processor
from bootlab.model.architecture import Arch
from bootlab.model.cmdline import CommandLine
from bootlab.model.root import RootMedium
from bootlab.model.root_place import finds_root
from bootlab.sources import boards, console_port, drivers, given_path
from bootlab.sources.boards import QemuBoard
from bootlab.sources.facts import ImageFacts, SourceFacts
from bootlab.systemfile import guest_date
from bootlab.systemfile.goals import Goals
from bootlab.systemfile.mount_notes import mount_notes
from bootlab.systemfile.no_kernel import without_kernel
from bootlab.systemfile.proposed_cmdline import (
    PUT_TOGETHER,
    given_cmdline,
    lies_elsewhere,
    on_a_server,
    proposed_cmdline,
)
from bootlab.systemfile.proposed_root import RootProposal

_NAME_MAX = 48
_MEMORY_USUAL_MIB, _MEMORY_DISTRIBUTION_MIB = 256, 1024


class SystemProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A system file before it is text. `notes`: what the user should know; `unknown`: what nothing told.

    `attached`: a medium that the machine has and that is not its root. `is_board_line_partial`: what its own loader
    passes may have other words than `board_cmdline`, or more.
    """

    name: str
    source: Path
    what: str
    arch: Arch
    board: QemuBoard
    machine: str
    machine_reason: str
    memory_mib: int
    memory_reason: str
    kernel: Path
    release: str = ""
    config: Path | None = None
    dtb: Path | None = None
    initramfs: Path | None = None
    initramfs_note: str = ""
    root: RootProposal | None = None
    attached: RootProposal | None = None
    cmdline: str = ""
    cmdline_notes: tuple[str, ...] = ()
    board_cmdline: str = ""
    is_board_line_partial: bool = False
    cpus: int = 1
    rtc_base: str = ""
    rtc_reason: str = ""
    goals: Goals = Goals()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def propose(found: SourceFacts, name: str) -> SystemProposal:
    """Return the system file for what was found. Raise UserError when there is no kernel or none that can boot."""
    _check_programs(found)
    if found.kernel is None:
        raise without_kernel(found)
    arch = found.arch
    if arch is None:
        raise _of_no_machine(found.kernel)
    notes, unknown = list(found.notes), list(found.unknown)
    board, machine, reason = _machine(found, arch, notes)
    memory, memory_reason = _memory(found, board)
    root = _root(found, board, notes)
    line, line_notes = proposed_cmdline(found, board, root)
    attached = root if root is not None and _only_attached(line, found, root) else None
    if attached is not None:
        # A [root] would put `root=` on the command line again.
        root, size = None, found.disk.size_bytes if found.disk is not None else 0
        if attached.medium == "sd" and size & (size - 1):
            notes.append(
                "the card is not in the machine: QEMU's cards have 2^N bytes. truncate makes it so; machine.sd adds it"
            )
            attached = None
        else:
            notes.append(f"the medium is attached as data ({attached.reason}): {_why_attached(line, found)}")
    if found.no_line and not given_cmdline(found)[0]:
        notes.append(found.no_line)
    elif root is not None and not given_cmdline(found)[0] and found.entry is None:
        unknown.append("the command line is not known: nothing that was given names one")
    unknown += _unknown_root(line, found, root, attached)
    if found.log is not None and found.log.arch and found.log.arch != arch:
        notes.append(f"{found.log.source} is a log of {found.log.arch}, and the kernel is for {arch}")
    if not found.kernel.config:
        unknown.append("the kernel's configuration: neither in the image nor beside it (kernel.config names it)")
    rtc_base, rtc_reason = guest_date.rtc_base(found.disk)
    dtb = found.device_tree.path if found.device_tree is not None and not board.own_tree else None
    if dtb is None and not board.own_tree:
        unknown.append(f"the device tree of {machine}: name it as machine.dtb")
    return SystemProposal(
        name=_name(name),
        source=found.source,
        what=found.what,
        arch=arch,
        board=board,
        machine=machine,
        machine_reason=reason,
        memory_mib=memory,
        memory_reason=memory_reason,
        kernel=found.kernel.path,
        release=found.kernel.release,
        config=found.kernel.config_path,
        dtb=dtb,
        initramfs=found.initramfs.path if found.initramfs is not None else None,
        initramfs_note=_initramfs_note(found),
        root=root,
        attached=attached,
        cmdline=str(line),
        cmdline_notes=line_notes,
        board_cmdline=given_cmdline(found)[0],
        is_board_line_partial=found.entry is not None and found.entry.is_partial,
        cpus=board.processors_least,
        rtc_base=rtc_base,
        rtc_reason=rtc_reason,
        goals=Goals.guessed(found.root, found.log),
        notes=tuple(dict.fromkeys([*notes, *found.lacks.values(), *_key_notes(found), *mount_notes(found)])),
        unknown=tuple(unknown),
    )


def _why_attached(line: CommandLine, found: SourceFacts) -> str:
    """Say why a medium is attached, and is no root."""
    given = line.value("root") or ""
    if lies_elsewhere(given, found):
        return "the root that the command line names is not on it"
    if given.startswith("/dev/ram"):
        return "the initramfs is the root"
    return "the initrd may look for it" if given or finds_root(line) else "the command line gives no root"


def _unknown_root(
    line: CommandLine, found: SourceFacts, root: RootProposal | None, attached: RootProposal | None
) -> list[str]:
    """Say what is not known of where the root is."""
    server, given = on_a_server(line), line.value("root") or ""
    if server and root is None:
        said = (
            f"where the root comes from here: {server} is on a server, and the described machine has no network: "
            "give the root's tree or image with --from"
        )
        return [said]
    if lies_elsewhere(given, found):
        return [f"where the root is: no partition of {found.source.name} is root={given}: --from DISK too"]
    if found.disk is None and found.tree is None and found.initramfs is not None and (named := _root_elsewhere(line)):
        return [f"where the root is: the initrd looks for {named} on a disk, which was not given: --from DISK too"]
    if found.initramfs is None and root is None and attached is None:
        return ["what user space the kernel starts: neither an initramfs nor a root was found"]
    return []


def _only_attached(line: CommandLine, found: SourceFacts, root: RootProposal) -> bool:
    """Tell whether a medium is no root that the command line gives."""
    given = line.value("root") or ""
    if found.initramfs is not None and found.disk is not None and found.disk.is_iso:
        return True
    if lies_elsewhere(given, found) or (given.startswith("/dev/ram") and found.initramfs is not None):
        return True
    by_initrd = bool(finds_root(line)) and found.initramfs is not None
    return root.image is not None and not line.has("root") and not by_initrd


def _root_elsewhere(line: CommandLine) -> str:
    """Return the parameter that names a file system as the root: `root=`, or postmarketOS' own; "" for none."""
    for key in ("root", "pmos_root_uuid", "pmos_root"):
        value = line.value(key) or ""
        if value.startswith(("UUID=", "LABEL=", "PARTUUID=", "PARTLABEL=", "/dev/disk/")) or (value and key != "root"):
            return f"{key}={value}"
    return ""


def _name(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:_NAME_MAX]
    return plain if plain and plain[0].isalnum() else "system"


def _check_programs(found: SourceFacts) -> None:
    """Raise UserError where the root's programs are for a processor that no machine has."""
    if found.root is not None and found.root.foreign:
        where = found.disk.path if found.disk is not None else found.tree or found.source
        raise UserError(
            f"the programs of {where} are for {found.root.foreign}: {processor.UNSUPPORTED}", hint=processor.WAY_OUT
        )


def _of_no_machine(kernel: ImageFacts) -> UserError:
    named = processor.without_machine(given_path.head(kernel.path)) or kernel.arch
    what = f"{kernel.path} is a kernel for {named or 'an unknown architecture'}"
    return UserError(f"{what}: {processor.UNSUPPORTED}", hint=processor.WAY_OUT)


def _machine(found: SourceFacts, arch: Arch, notes: list[str]) -> tuple[QemuBoard, str, str]:
    named = boards.of_machine(found.machine, arch) if found.machine else None
    if named is not None:
        return named, named.machine, f"the build system's own files boot it on {found.machine}"
    tree = found.device_tree
    if tree is not None and arch == "x86_64":
        notes.append(f"{tree.path.name} is not used: a PC's kernel takes no device tree")
        tree = None
    if tree is None:
        board = boards.usual(arch)
        if arch != "x86_64":
            notes.append(f"no device tree was given: {board.machine} is QEMU's usual {arch} machine, not your board")
        return board, board.machine, "the usual machine of the architecture"
    chosen = boards.choose(tree.compatible, arch)
    first = tree.compatible[0] if tree.compatible else "(no compatible)"
    board = console_port.with_port(chosen.board, tree)
    if board.until:
        notes.append(f"QEMU {board.until} is the last that has {board.machine}: machine.emulator may name one")
    if board.gone:
        notes.append(f"QEMU {board.gone} no longer has {board.machine}, 10.0 does: machine.emulator may name one")
    if board.since:
        notes.append(f"{board.machine} is a machine of QEMU {board.since} and later: machine.emulator may name one")
    if chosen.match == "board":
        return board, board.machine, f"models {first} ({tree.model})"
    if chosen.match == "family":
        notes.append(f"QEMU has no machine for {first} ({tree.model}); {board.machine} has the same chip or family")
        return board, board.machine, f"next best for {first}: the same chip or family"
    other = boards.of_other_arch(tree.compatible, arch)
    lack = f"bootlab knows no QEMU machine for {first} ({tree.model}), nor for its chip"
    if other is not None:
        lack = f"{other.machine} models {first} ({tree.model}), but boots {other.arch} kernels only, not {arch}"
    notes.append(
        f"{lack}: {board.machine} boots the same kernel, if that is built for several platforms, without the board's "
        "own drivers"
    )
    return board, board.machine, f"next best for {first}: any {arch} kernel for several platforms boots on it"


def _memory(found: SourceFacts, board: QemuBoard) -> tuple[int, str]:
    wanted, reason = _MEMORY_USUAL_MIB, "usual"
    if found.device_tree is not None and found.device_tree.memory_mib:
        wanted, reason = found.device_tree.memory_mib, "as the device tree says"
    elif found.log is not None and found.log.memory_mib:
        # What the kernel counts lacks what the firmware keeps.
        wanted, reason = -(-found.log.memory_mib // 64) * 64, "as the log says"
    elif (found.root is not None and found.root.init_kind == "systemd") or (
        found.initramfs is not None and found.initramfs.files > 500
    ):
        wanted, reason = _MEMORY_DISTRIBUTION_MIB, "enough for a distribution's initrd and user space"
    if board.memory_mib and wanted not in board.memory_mib:
        wanted = min(board.memory_mib, key=lambda size: (size < wanted, abs(size - wanted)))
        return wanted, f"{board.machine} has {' or '.join(str(m) for m in board.memory_mib)} MiB"
    if board.memory_max_mib and wanted > board.memory_max_mib:
        return board.memory_max_mib, f"the most that {board.machine} can have"
    return wanted, reason


def _root(found: SourceFacts, board: QemuBoard, notes: list[str]) -> RootProposal | None:
    disk = found.disk
    if disk is None and found.tree is None:
        return None
    part = disk.of(disk.root) if disk is not None and disk.root is not None else None
    fstype = part.file_system.fstype if part is not None and part.file_system is not None else "ext4"
    if fstype in PUT_TOGETHER and found.initramfs is None:
        notes.append(f"the kernel alone does not put a root on {fstype} together: give its initrd (--from initrd.img)")
    medium, reason, lacking = _medium(found, board, fstype)
    if not _has_bus(board):
        usual = boards.usual(board.arch).machine
        reason = f"{board.machine} has no bus for a virtio disk, and bootlab knows no slot of it: it will not start so"
        notes.append(
            f'{reason}. machine.type = "{usual}", without machine.dtb and machine.console_port, boots the same kernel, '
            f"if that is built for several platforms (console={boards.usual(board.arch).port})"
        )
    elif lacking:
        notes.append(f"no driver can mount the root: {lacking}")
    if medium == "disk" and not _DISKS_ARE_EXACT:
        notes.append("on this host a virtio disk answers at the host's pace, so boots will not repeat exactly")
    return RootProposal(
        medium=medium,
        reason=reason,
        lacking=lacking,
        image=disk.path if disk is not None else None,
        tree=found.tree if disk is None else None,
        partition=part.number if part is not None else 0,
        file_system=fstype,
    )


def _medium(found: SourceFacts, board: QemuBoard, fstype: str) -> tuple[RootMedium, str, str]:
    """Return the first medium that is exact and that the kernel can mount; why; and what is lacking if none is."""
    first = board.pci and _DISKS_ARE_EXACT
    candidates: list[RootMedium] = ["disk"] if first else []
    if board.arch == "x86_64":
        candidates.append("pmem")
    if board.pci or board.card is not None:
        candidates.append("sd")
    if not first:
        candidates.append("disk")
    built_in = found.root.built_in if found.root is not None and found.tree is None else frozenset()
    system = drivers.reach(drivers.FILE_SYSTEMS.get(fstype, ()), found.kernel, found.initramfs, built_in)
    passed: list[str] = []
    for medium in candidates:
        needs = drivers.of_medium(medium, None if board.pci else board.card, pci=board.pci)
        reached = drivers.reach(needs, found.kernel, found.initramfs, built_in)
        lacking = drivers.lacking(reached)
        if not lacking:
            reason = f"{_TITLES[medium]}: {_where(reached)}"
            if passed:
                reason += f" ({'; '.join(passed)})"
            return medium, reason, drivers.lacking(system)
        passed.append(f"{medium}: {lacking}")
    return candidates[0], "none of the media has its drivers", "; ".join(passed)


def _has_bus(board: QemuBoard) -> bool:
    """Tell whether a machine has a place for a disk or card: QEMU 10 says of the others, "No 'PCI' bus found"."""
    return board.pci or board.card is not None or board.machine.startswith("versatile")


# Where the plugin bootlab-devices keeps them in step with the instructions (qemu-plugin/host-code.c).
_DISKS_ARE_EXACT = platform.machine() in {"x86_64", "AMD64", "aarch64", "arm64"}
_TITLES = {
    "pmem": "NVDIMM, exact",
    "sd": "SD card, exact",
    "disk": f"virtio disk, {'exact' if _DISKS_ARE_EXACT else 'not exact'}",
}


def _where(reached: tuple[drivers.Reach, ...]) -> str:
    """Say where a medium's drivers are. Without the kernel's configuration, those that it may have are unknown."""
    known = dict.fromkeys(r.where for r in reached if r.where != "unknown")
    unknown = ", ".join(r.driver.module for r in reached if r.where == "unknown")
    said = [f"its drivers are {' or '.join(known)}"] if known else []
    said += [f"whether the kernel has {unknown} is unknown"] if unknown else []
    return "; ".join(said)


def _initramfs_note(found: SourceFacts) -> str:
    facts = found.initramfs
    if facts is None:
        return ""
    maker = f" by {facts.maker}" if facts.maker else ""
    return f"made{maker}, {facts.compression}, {len(facts.modules)} modules" if maker else facts.compression


def _key_notes(found: SourceFacts) -> list[str]:
    """Say what opens an encrypted root."""
    part = found.disk.of(found.disk.root) if found.disk is not None else None
    if part is None or part.file_system is None or part.file_system.fstype != "crypto_LUKS":
        return []
    if found.initramfs is None:
        return [f"partition {part.number} is encrypted, and no initrd was found that opens it"]
    if found.initramfs.keys:
        return [f"its initrd has a key file: {', '.join(found.initramfs.keys[:3])}"]
    return ["no key file was found in its initrd: the boot may wait for a passphrase"]
