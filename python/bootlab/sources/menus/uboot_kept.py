# SPDX-License-Identifier: MIT
"""The variables that U-Boot keeps: in files, or in the medium's own bytes, where no file system lies.

Where they lie, Linux's tools must know too: /etc/fw_env.config (u-boot-tools). Without that, the checksum tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bootlab.formats import uboot_environment
from bootlab.formats.file_view import FileView
from bootlab.sources.medium import BootMedium

_FILES = ("uboot.env", "uboot-redund.env")
_CONFIG = "/etc/fw_env.config"
_LINE = re.compile(r"(?P<device>/dev/\S+)\s+(?P<offset>0x[0-9a-fA-F]+|\d+)\s+(?P<size>0x[0-9a-fA-F]+|\d+)")
_PARTITION = re.compile(r"/dev/(?:[shv]d[a-z]|(?:mmcblk|nvme\d+n)\d+p)(?P<number>\d+)$")
_WHOLE = re.compile(r"/dev/(?:[shv]d[a-z]|mmcblk\d+|nvme\d+n\d+)$")
_SIZE_MAX_BYTES = 1 << 20
_BUILT_IN = re.compile(rb"(?:[A-Za-z_][\w.#-]{0,63}=[\t\n\x20-\x7e]{0,4000}\0){5,1000}")
_VARIABLES_LEAST = 5
_SEARCHED_BYTES = 16 << 20
_STEP_BYTES = 512


def variables(view: FileView, medium: BootMedium | None) -> tuple[Mapping[str, str], str]:
    """Return the variables, and where they are kept."""
    for found in (_of_files(view), *_of_medium(view, medium)):
        if found is not None:
            return found
    return {}, ""


def built_in(medium: BootMedium) -> tuple[Mapping[str, str], int]:
    """Return the environment that a U-Boot before the first file system was built with, and at which byte it begins.

    Its program has it as plain text (include/env_default.h): `name=value`, each ended by a NUL.
    """
    known = [part.partition.start_bytes for part in medium.parts if part.file_system is not None]
    return built_in_of(medium.device.read(0, min([*known, _SEARCHED_BYTES])))


def built_in_of(data: bytes) -> tuple[Mapping[str, str], int]:
    """Return the environment that a U-Boot in some bytes was built with, and at which of them it begins."""
    for found in _BUILT_IN.finditer(data):
        pairs = [pair.partition(b"=") for pair in found[0].split(b"\0") if pair]
        variables = {name.decode("ascii"): value.decode("utf-8", "replace") for name, _, value in pairs}
        if "bootcmd" in variables and len(variables) >= _VARIABLES_LEAST:
            return variables, found.start()
    return {}, 0


def _of_files(view: FileView) -> tuple[Mapping[str, str], str] | None:
    for folder in ("/boot", "/boot/firmware", ""):
        places = [f"{folder}/{name}" for name in _FILES]
        copies = {
            place: data
            for place in places
            if (data := view.data(place, uboot_environment.SIZE_MAX_BYTES)) is not None
            and uboot_environment.read(data) is not None
        }
        if copies:
            place = list(copies)[uboot_environment.newest(list(copies.values()))]
            return uboot_environment.read(copies[place]) or {}, place
    return None


def _of_medium(view: FileView, medium: BootMedium | None) -> Iterator[tuple[Mapping[str, str], str] | None]:
    if medium is None:
        return
    configs = [text for own in (view, *medium.views.values()) if (text := own.text(_CONFIG)) is not None]
    for config in configs[:4]:
        copies = [data for data in _named(config, medium) if uboot_environment.read(data) is not None]
        if copies:
            yield uboot_environment.read(copies[uboot_environment.newest(copies)]) or {}, "U-Boot's environment"
    if not configs:
        yield _searched(medium)


def _named(config: str, medium: BootMedium) -> Iterator[bytes]:
    """Give what lies where a fw_env.config says."""
    for found in _LINE.finditer(re.sub(r"(?m)^\s*#.*$", "", config)):
        offset, size = int(found["offset"], 0), min(int(found["size"], 0), _SIZE_MAX_BYTES)
        device = found["device"]
        name = device.rpartition("/by-partlabel/")[2]
        named = _PARTITION.fullmatch(device)
        parts = [part for part in medium.parts if part.partition.name and part.partition.name == name]
        if named is not None:
            parts = [part for part in medium.parts if part.number == int(named["number"])]
        if parts:
            yield medium.window(parts[0]).read(offset, size)
        elif _WHOLE.fullmatch(device):
            yield medium.device.read(offset, size)


def _searched(medium: BootMedium) -> tuple[Mapping[str, str], str] | None:
    """Return the environment in the bytes before the first file system, or in a partition without one."""
    known = [part.partition.start_bytes for part in medium.parts if part.file_system is not None]
    ends = [(0, min([*known, _SEARCHED_BYTES]))]
    ends += [
        (part.partition.start_bytes, part.partition.start_bytes + min(part.partition.size_bytes, _SIZE_MAX_BYTES))
        for part in medium.parts
        if part.file_system is None
    ]
    for start, end in ends[:16]:
        data = medium.device.read(start, end - start)
        if b"bootcmd=" not in data:
            continue
        for at in range(0, len(data), _STEP_BYTES):
            if (found := uboot_environment.stored_in(data, at)) is not None:
                return found, "U-Boot's environment"
    return None
