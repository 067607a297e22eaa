# SPDX-License-Identifier: MIT
"""Systems with start scripts, and what a diagnostic boot said of them."""

import msgspec

from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, FileRead
from bootlab.model.root import Root
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry, FileTree
from bootlab.techniques.base import Evidence
from tests.techniques.recordings import diagnosis, evidence, recording_of

INIT = "#!/bin/sh\nmount -t proc proc /proc\n/etc/init.d/rcS\nexec /app\n"
RCS = '#!/bin/sh\nfor s in /etc/init.d/S??*; do\n\t"$s" start\ndone\n'
SCRIPTS = {
    "/init": INIT,
    "/etc/init.d/rcS": RCS,
    "/etc/init.d/S01log": "#!/bin/sh\nsyslogd -C64\nklogd\n",
    "/etc/init.d/S02net": "#!/bin/sh\ncd /etc\nip link set lo up\n",
}
_HEAD = "#!/bin/sh\n### BEGIN INIT INFO\n# Provides: {}\n# Required-Start: {}\n### END INIT INFO\necho {}\n"
LSB = {
    "/init": INIT,
    "/etc/init.d/rcS": RCS,
    "/etc/init.d/S01a": _HEAD.format("a", "", "a"),
    "/etc/init.d/S02b": _HEAD.format("b", "", "b"),
    "/etc/init.d/S03c": _HEAD.format("c", "a", "c"),
}
JOBS = {**LSB, "/etc/init.d/rcS": "#!/bin/sh\n/etc/init.d/S01a start &\nrc_job_1=$!\nwait $rc_job_1\n"}
MOUNTING = {"/init": "#!/bin/sh\nmount -t proc proc /proc\nmount -t tmpfs x /mnt/spool\ncat /proc/version\nexec /app\n"}
_TURN = '#!/bin/sh\nfor a in /sys/bus/*/devices/*/modalias; do\n\td={}\n\t[ -e "$d/driver" ] || n=1\ndone\n'
CUTTING = {**SCRIPTS, "/etc/init.d/S03dev": _TURN.format('$(dirname "$a")')}
CUT = {**SCRIPTS, "/etc/init.d/S03dev": _TURN.format("${a%/*}")}
CONSOLES = {
    "/etc/inittab": "::sysinit:/etc/init.d/rcS\ntty1::respawn:/sbin/getty -L tty1 0 linux\n::respawn:/app\n",
    "/init": "#!/bin/sh\nexec /bin/init\n",
}
GENERATOR = "/lib/systemd/system-generators/gpt-auto"
_WAITED = (
    "[    1.000000] systemd[1]: Reached target sysinit.target - x.",
    "[    1.500000] systemd[1]: Starting wait.service - Wait...",
    "[    3.500000] systemd[1]: Finished wait.service - Wait.",
    "[    3.600000] systemd[1]: Reached target net.target - Net.",
    "[    3.700000] systemd[1]: Started app.service - App.",
)


def tree(texts: dict[str, str], busybox: Entry | None = None) -> FileTree:
    """Return a tree of scripts, a BusyBox and its usual links."""
    links = ("sh", "mount", "syslogd", "klogd", "ip", "vi", "wget", "awk", "init", "getty")
    return FileTree.of(
        {path: Entry(kind="file", mode=0o755, text=text) for path, text in texts.items()}
        | {f"/bin/{name}": Entry(kind="symlink", target="busybox", mode=0o777) for name in links}
        | {"/bin/busybox": busybox or Entry(kind="file", source="/bin/busybox")}
        | {"/app": Entry(kind="file", text="#!/bin/sh\necho GOAL reached\n")}
    )


def booted(
    texts: dict[str, str],
    *,
    unread: tuple[str, ...] = (),
    processes: int | None = None,
    sizes: dict[str, int] | None = None,
    diagnosed: bool = True,
    links: tuple[str, ...] = (),
    mounts: str = "",
    **replace,
) -> Evidence:
    """Return a boot of a system with these scripts, all of them read but for some, and its diagnosis."""
    found = evidence(
        "base",
        initramfs=Initramfs(tree=tree(texts, replace.pop("busybox", None))),
        cmdline=CommandLine.parse("console=ttyS0 rdinit=/init"),
        **replace,
    )
    sizes = sizes or {}
    files = tuple(
        FileRead(path=path, read=path not in unread, size_bytes=sizes.get(path, 100))
        for path, entry in found.system.tree.entries
        if entry.kind == "file"
    )
    base = diagnosis("diagnostic")
    proc = {"mounts": mounts} | ({"stat": f"processes {processes}"} if processes is not None else {})
    said = Diagnosis(recording=base.recording, log=base.log, files=files, links=links, proc=proc)
    return msgspec.structs.replace(found, diagnosis=said if diagnosed else None)


def systemd(
    *,
    early: bool = False,
    masked: bool = False,
    crowded: bool = False,
    reduced: bool = False,
    later: bool = False,
    diagnosed: bool = True,
    unread: tuple[str, ...] = (),
) -> Evidence:
    """Return a boot of a system whose unit waits for another one, is started early, or does not wait any more.

    `crowded`: with a service and a generator more; `reduced`: booted to a target of the application's own; `later`:
    everything else is started behind it.
    """
    unit = "[Unit]\nDefaultDependencies=no\n" if early else "[Unit]\nAfter=net.target\nWants=net.target\n"
    log = _WAITED
    if masked:
        log = tuple(line for line in log if "wait.service" not in line)
    if early:
        log = (log[0], "[    1.100000] systemd[1]: Started app.service - App.", *log[1:4])
    texts = {
        "/lib/systemd/systemd": "\x7fELF",
        "/etc/systemd/system/app.service": f"{unit}[Service]\nExecStart=/app\n",
        "/lib/systemd/system/net.target": "[Unit]\nAfter=wait.service\n",
        "/lib/systemd/system/wait.service": "[Unit]\nDefaultDependencies=no\nAfter=sysinit.target\n",
    }
    if crowded:
        texts[GENERATOR] = "#!/bin/sh\n"
        texts["/lib/systemd/system-generators/systemd-fstab-generator"] = "#!/bin/sh\n"
        texts["/etc/fstab"] = ""
        texts["/lib/systemd/system/multi-user.target"] = "[Unit]\nWants=app.service other.service\n"
    if reduced:
        log = (*log[:1], *log[3:], "[    3.800000] systemd[1]: Reached target application.target - The application.")
    if later:
        first = "[    1.200000] systemd[1]: Reached target application-first.target - The application."
        log = (log[4].replace("3.7", "1.1"), first, *log[:4])
    found = booted(texts, diagnosed=diagnosed, unread=unread)
    system = msgspec.structs.replace(found.system, cmdline=CommandLine.parse("rdinit=/lib/systemd/systemd"))
    if masked:
        system = system.with_tree(
            system.tree.put("/etc/systemd/system/wait.service", Entry(kind="symlink", target="/dev/null"))
        )
    diagnosed_log = msgspec.structs.replace(found.diagnosis, log=log) if found.diagnosis is not None else None
    return msgspec.structs.replace(found, system=system, diagnosis=diagnosed_log)


MODULES = ("sdhci-pci", "mlx5", "megaraid", "dm-mod", "raid1", "nvme", "xfs")


def with_modules(
    *, loaded: tuple[str, ...] = ("sdhci-pci",), keep: tuple[str, ...] = (), left_out: tuple[str, ...] = ()
) -> Evidence:
    """Return a boot whose initrd has these modules, of which the diagnostic boot loaded some."""
    entries = {
        f"/usr/lib/modules/6.1.0/kernel/{'net' if name == 'mlx5' else 'x'}/{name}.ko": Entry(kind="file", text=name)
        for name in MODULES
        if name not in left_out
    }
    entries |= dict(tree({"/init": INIT}).entries)
    found = evidence("base", initramfs=Initramfs(tree=FileTree.of(entries), keep=keep))
    base = diagnosis("diagnostic")
    proc = {"modules": "\n".join(f"{name.replace('-', '_')} 16384 0 - Live 0x0" for name in loaded)}
    size = {"initramfs": 1000 * (len(MODULES) - len(left_out))}
    meta = msgspec.structs.replace(found.recording.meta, artefact_bytes=size)
    return msgspec.structs.replace(
        found,
        recording=msgspec.structs.replace(found.recording, meta=meta),
        diagnosis=Diagnosis(recording=base.recording, proc=proc),
    )


CARD = (
    "ahci 49152 0 - Live 0x0",
    "libata 40960 1 ahci, Live 0x0",
    "sdhci_pci 16384 0 - Live 0x0",
    "mmc_block 16384 1 - Live 0x0",
    "mmc_core 16384 2 mmc_block,sdhci_pci, Live 0x0",
    "ext4 16384 1 - Live 0x0",
    "jbd2 16384 1 ext4, Live 0x0",
    "crc32c_intel 16384 2 - Live 0x0",
)


def mounting(
    *,
    root: str = "UUID=1-2",
    kind: str = "ext4",
    end: str = ".ko",
    direct: bool = False,
    diagnosed: bool = True,
    place: str = "/lib/modules/6",
    dtb: str | None = None,
    early: str = INIT,
) -> Evidence:
    """Return a boot whose initrd mounts a root on a card; `direct`: by bootlab's own program.

    `place`: the folder of its modules. `dtb`: the machine is described by a device tree. `early`: the initrd's /init.
    """
    names = [line.split()[0] for line in CARD]
    entries = {f"{place}/{name.replace('_', '-')}{end}": Entry(kind="file", text=name) for name in names}
    entries |= dict(tree({"/init": early}).entries)
    if direct:
        entries = {"/init": Entry(kind="file", own="mount-root")}
    found = evidence("base", initramfs=Initramfs(tree=FileTree.of(entries)), root=Root(medium="sd", file_system="ext4"))
    said = diagnosis("diagnostic")
    lines = ("mount-root: /dev/mmcblk0p1 mounted as the root (ext4), 6 modules loaded",) if direct else ()
    proc = {"modules": "\n".join(CARD), "mounts": f"proc /proc proc rw 0 0\n/dev/mmcblk0p1 / {kind} rw 0 0"}
    shown = Diagnosis(recording=said.recording, log=(*said.log, *lines), proc=proc)
    meta = msgspec.structs.replace(found.recording.meta, artefact_bytes={"initramfs": 100 if direct else 1000})
    return msgspec.structs.replace(
        found,
        system=msgspec.structs.replace(
            found.system,
            cmdline=CommandLine.parse(f"root={root} ro"),
            machine=msgspec.structs.replace(found.system.machine, dtb=dtb),
        ),
        recording=msgspec.structs.replace(found.recording, meta=meta),
        diagnosis=shown if diagnosed else None,
    )


def updating(*, ran: bool = True, diagnosed: bool = True) -> Evidence:
    """Return a boot of a system whose linker cache is older than its libraries."""
    found = systemd(diagnosed=diagnosed)
    unit = Entry(kind="file", text="[Unit]\nConditionNeedsUpdate=/etc\n[Service]\nExecStart=/sbin/ldconfig -X\n")
    tree_ = found.system.tree
    system = found.system.with_tree(tree_.put("/lib/systemd/system/ldconfig.service", unit))
    lines = (
        "[    1.600000] systemd[1]: Starting ldconfig.service - Rebuild Dynamic Linker Cache...",
        "[    1.900000] systemd[1]: Finished ldconfig.service - Rebuild Dynamic Linker Cache.",
    )
    said_ = found.diagnosis
    if said_ is not None:
        said_ = msgspec.structs.replace(said_, log=(*said_.log, *(lines if ran else ())))
    return msgspec.structs.replace(found, system=system, diagnosis=said_)


def said(texts: dict[str, str], *lines: str) -> Evidence:
    """Return a boot of scripts that printed these lines."""
    found = booted(texts)
    return msgspec.structs.replace(found, recording=recording_of("\n".join([*lines, "GOAL reached"]) + "\n"))
