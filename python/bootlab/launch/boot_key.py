# SPDX-License-Identifier: MIT
"""The key of a boot: the digest of everything that can change its recording."""

from __future__ import annotations

import hashlib

import msgspec

from bootlab.builders.artefacts import Artefacts
from bootlab.launch.boot_plan import Purpose
from bootlab.launch.qemu_command import words
from bootlab.model.launch import Launch, LoadedPlugin, Medium
from bootlab.model.system import CHECK_S, SystemDescription


def key_of(
    system: SystemDescription,
    launch: Launch,
    artefacts: Artefacts,
    disks: tuple[str, ...],
    version: str,
    purpose: Purpose,
) -> str:
    """Return the key of a launch. `disks`: digests of the files that the machine reads; `version`: the emulator's.

    Where a file lies does not count, what is in it does: kernel and initramfs go in by their digests, plugins by that
    of their sources; device tree, media and a boot loader with its parts by `disks`. The form of the text is that of
    the recordings already kept.
    """
    facts = _facts(launch, artefacts, disks, version)
    judged = (system.goal, system.check, system.marks, _limits(system), _clock(system), purpose)
    return hashlib.sha256(msgspec.json.encode((*facts, *judged))).hexdigest()[:32]


def machine_key_of(
    system: SystemDescription,
    launch: Launch,
    artefacts: Artefacts,
    disks: tuple[str, ...],
    version: str,
    purpose: Purpose,
) -> str:
    """Return the key of what is booted, whatever is looked for on its console."""
    facts = _facts(launch, artefacts, disks, version)
    return hashlib.sha256(msgspec.json.encode((*facts, _clock(system), purpose, "machine"))).hexdigest()[:32]


def _facts(launch: Launch, artefacts: Artefacts, disks: tuple[str, ...], version: str) -> tuple[object, ...]:
    named = msgspec.structs.replace(
        launch,
        kernel=artefacts.sha256["kernel"] if launch.kernel is not None else None,
        initramfs=artefacts.sha256["initramfs"] if launch.initramfs is not None else None,
        dtb="dtb" if launch.dtb is not None else None,
        media=tuple(_named(medium) for medium in launch.media),
        plugins=tuple(_digested(plugin) for plugin in launch.plugins),
        loader=None if launch.loader is None else launch.loader.renamed(dict.fromkeys(launch.loader.files, "loader")),
    )
    # The words do not say how fast the console is read.
    paced = (f"{launch.console_baud} baud",) if launch.console_baud else ()
    return (words(named), disks, version, *paced)


def _clock(system: SystemDescription) -> dict[str, object]:
    # Mode and quantum of several processors are a plugin with its arguments, or none.
    fields = msgspec.structs.asdict(system.clock)
    return {name: value for name, value in fields.items() if name not in {"processors", "quantum_ns"}}


def _limits(system: SystemDescription) -> dict[str, object]:
    # Recordings that were kept before know no such limit.
    fields = msgspec.structs.asdict(system.limits)
    return {name: value for name, value in fields.items() if name != "check_s" or value != CHECK_S}


def _named(medium: Medium) -> Medium:
    # What bootlab makes lies in its cache; an image of the user's is known by its path too.
    own = f"left-{medium.unit}" if medium.boots else medium.file
    place = {"root": "root", "start": "flash", "card": "card", None: own}[medium.holds]
    return msgspec.structs.replace(medium, file=place)


def _digested(plugin: LoadedPlugin) -> LoadedPlugin:
    first = "".join(plugin.arguments[:1])
    return msgspec.structs.replace(plugin, file=f"plugin:{plugin.digest}:{first}", arguments=plugin.arguments[1:])
