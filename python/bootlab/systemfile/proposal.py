"""From what was found to what is booted: machine, medium, command line; each decision with its reason.

Nothing here reads a file or boots anything. What could not be known is said, never guessed without a word.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.model.architecture import Arch
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.root import RootMedium
from bootlab.model.root_place import device
from bootlab.sources import boards, console_port, drivers
from bootlab.sources.boards import Board
from bootlab.sources.disk import named_by
from bootlab.sources.facts import Found
from bootlab.systemfile.goals import Goals

_NAME_MAX = 48
_MEMORY_USUAL_MIB, _MEMORY_DISTRIBUTION_MIB = 256, 1024
# Of the entry of a boot loader: what it means for itself.
_PUT_TOGETHER = ("LVM2_member", "crypto_LUKS", "linux_raid_member")
_LOADERS_OWN = ("BOOT_IMAGE", "initrd")
_BAUD = 115200


class RootProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Where the root lies: a ready `image` or a `tree` that bootlab packs; on which medium, and why on that one."""

    medium: RootMedium
    reason: str
    image: Path | None = None
    tree: Path | None = None
    partition: int = 0
    file_system: str = "ext4"
    lacking: str = ""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A system file before it is text. `notes`: what the user should know; `unknown`: what nothing told."""

    name: str
    source: Path
    what: str
    arch: Arch
    board: Board
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
    cmdline: str = ""
    cmdline_notes: tuple[str, ...] = ()
    cpus: int = 1
    goals: Goals = Goals()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def propose(found: Found, name: str) -> Proposal:
    """Return the system file for what was found. Raise UserError when there is no kernel or none that can boot."""
    if found.kernel is None:
        hint = "also give one: --from KERNEL   (--from may be repeated)"
        if found.disk is not None:
            hint = f"also give the system's kernel and initrd: --from vmlinuz --from initrd.img --from {found.source}"
        raise UserError(
            "; ".join(
                [f"{found.source} has no kernel that could be booted ({found.what})", *found.notes, *found.unknown]
            ),
            hint=hint,
        )
    arch = found.arch
    if arch is None:
        raise UserError(
            f"{found.kernel.path} is a kernel for {found.kernel.arch or 'an unknown architecture'}",
            hint="bootlab boots x86_64, arm, arm64 and riscv64",
        )
    # A kernel may have been given beside a tree that has none.
    notes, unknown = list(found.notes), [said for said in found.unknown if not said.startswith("a kernel: ")]
    board, machine, reason = _machine(found, arch, notes)
    memory, memory_reason = _memory(found, board)
    root = _root(found, board, notes)
    line, line_notes = _cmdline(found, board, root)
    if found.initramfs is None and root is None:
        unknown.append("what user space the kernel starts: neither an initramfs nor a root was given")
    if not found.kernel.config:
        unknown.append("the kernel's configuration: neither in the image nor beside it (kernel.config names it)")
    dtb = found.device_tree.path if found.device_tree is not None and not board.own_tree else None
    if dtb is None and not board.own_tree:
        unknown.append(f"the device tree of {machine}: name it as machine.dtb")
    return Proposal(
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
        cmdline=str(line),
        cmdline_notes=line_notes,
        cpus=board.processors_least,
        goals=Goals.guessed(found.root, found.log),
        notes=tuple(dict.fromkeys([*notes, *_mount_notes(found)])),
        unknown=tuple(unknown),
    )


def _name(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:_NAME_MAX]
    return plain if plain and plain[0].isalnum() else "system"


def _machine(found: Found, arch: Arch, notes: list[str]) -> tuple[Board, str, str]:
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


def _memory(found: Found, board: Board) -> tuple[int, str]:
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


def _root(found: Found, board: Board, notes: list[str]) -> RootProposal | None:
    disk = found.disk
    if disk is None and found.tree is None:
        return None
    part = disk.of(disk.root) if disk is not None and disk.root is not None else None
    fstype = part.file_system.fstype if part is not None and part.file_system is not None else "ext4"
    if fstype in _PUT_TOGETHER and found.initramfs is None:
        notes.append(f"the kernel alone does not put a root on {fstype} together: give its initrd (--from initrd.img)")
    medium, reason, lacking = _medium(found, board, fstype)
    if lacking:
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


def _medium(found: Found, board: Board, fstype: str) -> tuple[RootMedium, str, str]:
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


# Where the plugin bootlab-devices keeps them in step with the instructions (qemu-plugin/devices-pool.c).
_DISKS_ARE_EXACT = platform.machine() in {"x86_64", "AMD64"}
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


def _cmdline(found: Found, board: Board, root: RootProposal | None) -> tuple[CommandLine, tuple[str, ...]]:
    text, source = _given_line(found)
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


def _given_line(found: Found) -> tuple[str, str]:
    if found.entry is not None and found.entry.cmdline:
        title = f", entry {found.entry.title!r}" if found.entry.title else ""
        return found.entry.cmdline, f"{found.entry.source or 'the build system'}{title}"
    if found.log is not None and found.log.cmdline:
        return found.log.cmdline, str(found.log.path)
    if found.device_tree is not None and found.device_tree.bootargs:
        return found.device_tree.bootargs, "the device tree's bootargs"
    return "", ""


def _with_root(line: CommandLine, found: Found, board: Board, root: RootProposal, notes: list[str]) -> CommandLine:
    own_slot = root.medium == "sd" and not board.pci
    base = device(root.medium, root.partition)
    there = board.card_name + base.removeprefix("/dev/mmcblk0") if own_slot else base
    given = line.value("root")
    if given is not None and _keeps(given, found, root):
        pass
    elif given != there:
        line = line.with_param("root", there)
        if given is not None:
            notes.append(f"root={given} became root={there}, which is what this machine has")
        else:
            notes.append(f"root={there} was added")
    if root.medium == "sd" and found.initramfs is None and not line.has("rootwait"):
        line = line.with_param("rootwait")
        notes.append("rootwait was added: a card is found after the kernel looks for the root")
    if root.tree is not None:
        line = line.without("rootfstype").without("rootflags")
    return line


def _keeps(given: str, found: Found, root: RootProposal) -> bool:
    """Tell whether `root=` finds the root on any medium: by a UUID or label, if somebody there can read it."""
    if found.disk is None:
        return False
    own = found.disk.of(root.partition)
    if own is not None and own.file_system is not None and own.file_system.fstype in _PUT_TOGETHER:
        # The initrd makes the root of it: no partition holds a root.
        return found.initramfs is not None
    if "=" not in given:
        return False
    part = named_by(given, found.disk.partitions)
    if part is None or part.number != root.partition:
        return False
    # init/do_mounts.c: the kernel itself knows PARTUUID and PARTLABEL only.
    return found.initramfs is not None or given.startswith(("PARTUUID=", "PARTLABEL="))


def _with_console(line: CommandLine, board: Board, notes: list[str]) -> CommandLine:
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


def _initramfs_note(found: Found) -> str:
    facts = found.initramfs
    if facts is None:
        return ""
    maker = f" by {facts.maker}" if facts.maker else ""
    return f"made{maker}, {facts.compression}, {len(facts.modules)} modules" if maker else facts.compression


def _mount_notes(found: Found) -> list[str]:
    """Name the lines of fstab that systemd would wait 90 s for."""
    if found.root is None or found.disk is None:
        return []
    notes = []
    for line in found.root.mounts:
        waits = line.folder not in {"/", "none", "swap"} or line.fstype == "swap"
        if not waits or not {"noauto", "nofail"}.isdisjoint(line.options):
            continue
        on_disk = line.device.startswith(("/dev/", "UUID=", "LABEL=", "PARTUUID=", "PARTLABEL="))
        part = named_by(line.device, found.disk.partitions)
        by_name = line.device.startswith(("/dev/sd", "/dev/vd", "/dev/hd", "/dev/nvme"))
        if on_disk and (part is None or by_name):
            notes.append(
                f"fstab mounts {line.device} on {line.folder}, which this machine does not have under that name: "
                "systemd waits 90 s for it (nofail in fstab, or UUID=, ends that)"
            )
    return notes
