# SPDX-License-Identifier: MIT
"""A virtual machine's configuration: what Firecracker, cloud-hypervisor or libvirt would start of it."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Protocol

import msgspec

from bootlab.errors import UserError
from bootlab.formats import foreign_file
from bootlab.sources import unbootable
from bootlab.sources.facts import BootEntry, SourceFacts
from bootlab.sources.merge import merged

_TEXT_MAX_BYTES = 1 << 20
# A build system's folder has hundreds of other texts.
_FILES_MAX = 20
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# src/vmm/src/vmm_config/boot_source.rs: DEFAULT_KERNEL_CMDLINE.
_FIRECRACKERS_LINE = "reboot=k panic=1 nomodule 8250.nr_uarts=0 i8042.noaux i8042.nomux i8042.dumbkbd swiotlb=noforce"
_XML_DISK = re.compile(r"<disk\b(?P<words>[^>]*)>(?P<body>.*?)</disk>", re.DOTALL)
_XML_SOURCE = re.compile(r"<source\b[^>]*\b(?:file|dev)=['\"](?P<path>[^'\"]+)")


class GuestConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a configuration names: paths as they stand in it. `left`: what of it is not taken."""

    maker: str
    kernel: str = ""
    initrd: str = ""
    cmdline: str = ""
    disk: str = ""
    left: str = ""


class Looks(Protocol):
    """Who looks at a file."""

    def look(self, path: Path) -> SourceFacts:
        """Return what a file holds."""


def of(path: Path) -> GuestConfig | None:
    """Return what a text says of a guest; None for another text."""
    with path.open("rb") as file:
        text = file.read(_TEXT_MAX_BYTES).decode("utf-8", "replace")
    start = _COMMENT.sub("", text).lstrip()
    if start.startswith("{"):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return _firecracker(document) or _cloud_hypervisor(document)
    # Some write `<?xml …?>` before it.
    if re.match(r"(?:<\?xml[^>]*>\s*)?<domain\b", start):
        return _libvirt(start)
    return None


def of_folder(folder: Path, looker: Looks) -> SourceFacts | None:
    """Look at a folder with the one description of a guest with a kernel; None where there is none, or are several."""
    files = [path for path in sorted(folder.iterdir()) if path.suffix in {".json", ".xml"} and path.is_file()]
    guests = [path for path in files[:_FILES_MAX] if (config := of(path)) is not None and config.kernel]
    if len(guests) != 1:
        return None
    found = looker.look(guests[0])
    note = f"{guests[0].name} says what is started of this folder"
    return msgspec.structs.replace(found, source=folder, notes=(*found.notes, note))


def text_of(path: Path, other: foreign_file.Named | None, looker: Looks) -> SourceFacts:
    """Look at a text: a guest's configuration, or else a boot log. Raise UserError for neither."""
    config = of(path)
    return look(path, config, looker) if config is not None else unbootable.log_of(path, other)


def look(path: Path, config: GuestConfig, looker: Looks) -> SourceFacts:
    """Look at the files that a configuration names. Raise UserError for one that is not there."""
    disk = _there(path, config, config.disk)
    if not config.kernel:
        if disk is None:
            what = f"{path} is a virtual machine of {config.maker}'s, and names neither a kernel nor a disk"
            raise UserError(what, hint="give its kernel and its disk")
        found = looker.look(disk)
        return msgspec.structs.replace(found, notes=(*found.notes, f"{path.name}: {config.maker} starts its disk"))
    files = [file for name in (config.kernel, config.initrd) if (file := _there(path, config, name)) is not None]
    parts = [looker.look(file) for file in ([disk] if disk is not None else []) + files]
    whole = merged(parts)
    early = parts[-1].initramfs if config.initrd else None
    return msgspec.structs.replace(
        whole,
        source=path,
        what=f"a guest of {config.maker}: {whole.what}",
        initramfs=early,
        entry=BootEntry(cmdline=config.cmdline, source=path.name),
        entries=(),
        notes=(*whole.notes, *([f"{path.name}: {config.left}"] if config.left else [])),
    )


def _there(path: Path, config: GuestConfig, name: str) -> Path | None:
    """Return where a file lies that a configuration names: there, or beside the configuration."""
    if not name:
        return None
    for place in (path.parent / name, path.parent / Path(name).name):
        if place.exists():
            return place
    raise UserError(
        f"{path}, a guest of {config.maker}, names {name}, which is not there", hint=f"copy it to {path.parent}"
    )


def _table(value: object, key: str) -> dict[str, object]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _tables(value: object, key: str) -> list[dict[str, object]]:
    found = value.get(key) if isinstance(value, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _text(value: dict[str, object], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _firecracker(document: object) -> GuestConfig | None:
    """Firecracker's configuration file (docs/getting-started.md, src/vmm/src/vmm_config)."""
    source, drives = _table(document, "boot-source"), _tables(document, "drives")
    if not _text(source, "kernel_image_path"):
        return None
    root = next((drive for drive in drives if drive.get("is_root_device") is True), {})
    # src/vmm/src/builder.rs: the monitor itself adds the root to the line.
    where = f"root=PARTUUID={_text(root, 'partuuid')}" if _text(root, "partuuid") else "root=/dev/vda"
    words = [_text(source, "boot_args") or _FIRECRACKERS_LINE]
    words += [where, "ro" if root.get("is_read_only") is True else "rw"] if root else []
    size, others = _table(document, "machine-config"), len(drives) - bool(root)
    left = f"its memory ({size.get('mem_size_mib', 128)} MiB), processors ({size.get('vcpu_count', 1)})"
    return GuestConfig(
        maker="Firecracker",
        kernel=_text(source, "kernel_image_path"),
        initrd=_text(source, "initrd_path"),
        cmdline=" ".join(words),
        disk=_text(root, "path_on_host"),
        left=f"{left}{f', {others} other drives' if others else ''} and network are not taken from it",
    )


def _cloud_hypervisor(document: object) -> GuestConfig | None:
    """cloud-hypervisor's `VmConfig` (vmm/src/api/openapi)."""
    payload = _table(document, "payload")
    if not _text(payload, "kernel"):
        return None
    return GuestConfig(
        maker="cloud-hypervisor",
        kernel=_text(payload, "kernel"),
        initrd=_text(payload, "initramfs"),
        cmdline=_text(payload, "cmdline"),
        disk=next((_text(disk, "path") for disk in _tables(document, "disks")), ""),
        left="memory, processors, network and other disks are not taken from it",
    )


def _libvirt(text: str) -> GuestConfig:
    """Return what a domain of libvirt names (formatdomain: direct kernel boot, or its first disk)."""
    disks = [m for m in _XML_DISK.finditer(text) if not re.search(r"device=['\"](?!disk)", m["words"])]
    source = next((found["path"] for m in disks if (found := _XML_SOURCE.search(m["body"]))), "")
    return GuestConfig(
        maker="libvirt",
        kernel=_element(text, "kernel"),
        initrd=_element(text, "initrd"),
        cmdline=_element(text, "cmdline"),
        disk=html.unescape(source),
        left="memory, processors, network and other disks are not taken from it",
    )


def _element(text: str, name: str) -> str:
    found = re.search(rf"<{name}>(?P<text>[^<]*)</{name}>", text)
    return html.unescape(found["text"]).strip() if found is not None else ""
