# SPDX-License-Identifier: MIT
"""A root tree looked at: whose it is, what it starts, what it mounts, which kernels it brings."""

from __future__ import annotations

import posixpath
import re

from bootlab.formats import magics, os_release, processor
from bootlab.formats.file_view import FileView
from bootlab.model import fstab
from bootlab.model.architecture import Arch
from bootlab.sources import deployed
from bootlab.sources.facts import BootEntry, InitKind, MappedLine, RootFacts, UnitFacts
from bootlab.sources.initramfs import module_name
from bootlab.sources.medium import BootMedium
from bootlab.sources.menus import by_name
from bootlab.sources.menus.versions import version_of

_INITS = ("/sbin/init", "/etc/init", "/bin/init", "/init", "/bin/sh")
# e_machine and EI_CLASS of an ELF file (include/uapi/linux/elf-em.h).
_MACHINES: dict[tuple[int, int], Arch] = {(62, 2): "x86_64", (40, 1): "arm", (183, 2): "arm64", (243, 2): "riscv64"}
_ELF_LITTLE, _ELF_HEAD_BYTES = 1, 20
_BUILT_IN_MAX_BYTES = 4 << 20
_LINES_MAX = 1000


def is_root(view: FileView) -> bool:
    """Tell whether a file system holds a root tree: a first program, and /etc or /bin beside it; or deployed ones."""
    if deployed.is_hidden(view) or deployed.first_program(view):
        return True
    if (below := deployed.tree_of(view)) is not None:
        view = below
    return any(_init_of(view, path) for path in _INITS[:4]) and (view.exists("/etc") or view.exists("/bin"))


def look(view: FileView, medium: BootMedium | None = None) -> RootFacts:
    """Return what a tree says of itself. What cannot be read is as if it were not there.

    `medium`: the one that it lies on.
    """
    entries = entries_of(view, medium)
    if (below := deployed.tree_of(view)) is not None:
        view = below
    release = _release(view)
    init = _first_program(view)
    found = view.find(init) if init else None
    kind = _kind(view, found[2] if found else "")
    releases = tuple(name for name in view.names("/lib/modules") if view.kind(f"/lib/modules/{name}") == "dir")
    mounts = fstab.read(view.text("/etc/fstab") or "")
    return RootFacts(
        name=release.get("PRETTY_NAME", release.get("NAME", "")),
        version=release.get("VERSION_ID", ""),
        hostname=((view.text("/etc/hostname") or "").split() or [""])[0],
        init=init,
        init_kind=kind,
        mounts=mounts,
        mapped=_mapped(view.text("/etc/crypttab") or ""),
        units=_units(view) if kind == "systemd" else (),
        gettys=_gettys(view),
        scripts=tuple(name for name in view.names("/etc/init.d") if re.match(r"S\d\d", name)),
        releases=releases,
        entries=entries,
        arch=arch_of(view),
        foreign=processor.without_machine(_program_head(view)),
        built_in=_built_in(view, releases),
    )


def entries_of(view: FileView, medium: BootMedium | None = None) -> tuple[BootEntry, ...]:
    """Return what a boot loader would start: the entries of its menu, and at last the newest kernel in /boot."""
    from bootlab.sources import boot_entries, partition_menus  # noqa: PLC0415 - readers of ten boot loaders
    from bootlab.sources.menus import boot_guard  # noqa: PLC0415 - as they

    found = partition_menus.by_flag(medium) if medium is not None else ()
    found = found or boot_entries.read(view, medium)
    if medium is not None and not any(boot_entries.place_in(view, entry) or entry.inside for entry in found):
        # Each loader reads its own partition, whatever is mounted where.
        said = tuple(entry for entry in found if not entry.kernel)
        found = (*said, *own) if (own := boot_guard.entries(medium) or partition_menus.own(medium)) else found
    return (*found, *by_name.newest(view))


def _mapped(text: str) -> tuple[MappedLine, ...]:
    lines = (line.split() for line in text.splitlines()[:_LINES_MAX] if not line.lstrip().startswith("#"))
    return tuple(
        MappedLine(
            name=words[0],
            device=words[1].replace('"', ""),
            key=words[2] if len(words) > 2 else "",
            options=tuple(option.partition("=")[0] for option in words[3].split(",")) if len(words) > 3 else (),
        )
        for words in lines
        if len(words) > 1
    )


def _init_of(view: FileView, path: str) -> bool:
    # A link whose target is not in this tree (an absolute one into another partition) still says what it is.
    return view.kind(path) == "file"


def _first_program(view: FileView) -> str:
    return next((path for path in _INITS if _init_of(view, path)), "") or deployed.first_program(view)


def _release(view: FileView) -> dict[str, str]:
    return os_release.read(view.text("/etc/os-release") or view.text("/usr/lib/os-release") or "")


# Names of the program that /sbin/init leads to.
_BY_NAME: tuple[tuple[str, InitKind], ...] = (
    ("systemd", "systemd"),
    ("openrc-init", "openrc"),
    ("runit", "runit"),
    ("s6-", "s6"),
    ("dinit", "dinit"),
    ("finit", "finit"),
    ("upstart", "upstart"),
)


def _kind(view: FileView, real: str) -> InitKind:
    """Return who starts services: BusyBox's or System V's init may leave that to OpenRC, as in Alpine and Debian."""
    name = posixpath.basename(real)
    found = next((kind for start, kind in _BY_NAME if name.startswith(start)), None)
    openrc = view.exists("/etc/runlevels") and any(view.exists(f"{folder}/openrc") for folder in ("/sbin", "/usr/sbin"))
    if found is not None or openrc:
        return found or "openrc"
    if name.startswith("busybox"):
        return "busybox"
    # NixOS' first program is a script beside the systemd that it starts.
    if view.exists(f"{posixpath.dirname(real)}/systemd/lib/systemd/systemd"):
        return "systemd"
    if any(view.exists(path) for path in ("/system/etc/init", "/init.rc", "/system/bin/init")):
        return "android"
    head = view.data(real, 256) or b""
    if head.startswith(b"#!") and b"s6-linux-init" in head:
        return "s6"
    jobs = any(name.endswith(".conf") for name in view.names("/etc/init"))
    return "sysvinit" if view.exists("/etc/inittab") else "upstart" if jobs else "other"


def _units(view: FileView) -> tuple[UnitFacts, ...]:
    from bootlab.sources.installed_units import installed_units  # noqa: PLC0415 - a boot asks for no units

    return installed_units(view)


def _gettys(view: FileView) -> tuple[str, ...]:
    """Return the ports that init's table starts a login on (/etc/inittab of SysV and of BusyBox)."""
    ports: dict[str, None] = {}
    for line in (view.text("/etc/inittab") or "").splitlines()[:1000]:
        if line.lstrip().startswith("#") or not re.search(r"\b(?:getty|login|askfirst)\b|-/bin/sh|/bin/sh", line):
            continue
        for port in re.findall(r"\b(tty[A-Za-z]*\d+|console|hvc\d)\b", line):
            ports.setdefault(port)
    return tuple(ports)


def arch_of(view: FileView) -> Arch | None:
    """Return the processor that a tree's first program is for; None where it does not tell."""
    head = _program_head(view)
    little = head[5:6] == bytes([_ELF_LITTLE])
    return _MACHINES.get((int.from_bytes(head[18:20], "little"), head[4])) if little else None


def _program_head(view: FileView) -> bytes:
    """Return the head of the ELF file that a tree's first program is, or its shell; nothing where there is none."""
    view = deployed.tree_of(view) or view
    init = _first_program(view)
    found = view.find(init) if init else None
    for path in (found[2] if found else "/bin/sh", "/bin/sh", "/bin/busybox", "/usr/bin/env"):
        head = view.data(path, _ELF_HEAD_BYTES) or b""
        if head[:4] == magics.ELF and len(head) == _ELF_HEAD_BYTES:
            return head
    return b""


def _built_in(view: FileView, releases: tuple[str, ...]) -> frozenset[str]:
    if not releases:
        return frozenset()
    newest = max(releases, key=version_of)
    data = view.data(f"/lib/modules/{newest}/modules.builtin", _BUILT_IN_MAX_BYTES) or b""
    return frozenset(module_name(line) for line in data.decode("ascii", "replace").splitlines() if line.strip())
