# SPDX-License-Identifier: MIT
"""Devices in step with the instructions: the plugin that makes those exact which QEMU serves at the host's pace."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.launch import plugin
from bootlab.launch.emulator import Emulator
from bootlab.launch.exact_devices import device_table
from bootlab.launch.exactness import numbers_of
from bootlab.launch.machine_devices import parts_of, virtio_transports
from bootlab.model.launch import DEVICES_PLUGIN, Launch, LoadedPlugin

_NAME = "bootlab-devices"
_NO_EVENTS = ".ioeventfd=off"
_MACHINE = ("-machine", "none")


def in_step(launch: Launch, found: Emulator, cache_folder: Path) -> tuple[Launch, tuple[str, ...]]:
    """Return the launch with the plugin, if a device of it boots alike only with that, and why it cannot be had."""
    if launch.clock is None or not _needed(launch, found.version):
        return launch, ()
    loaded, reason = prepared(found, cache_folder)
    if loaded is None:
        return launch, (f"the plugin that makes such devices exact cannot be used: {reason}",)
    return with_plugin(launch, loaded), ()


def prepared(found: Emulator, cache_folder: Path) -> tuple[LoadedPlugin | None, str]:
    """Return the plugin for this emulator, tested in it; or None and the reason."""
    made = plugin.prepare_devices(found, cache_folder)
    if made.path is None:
        return None, made.reason
    if reason := plugin.refused(found.path, _MACHINE, made.path, _NAME):
        return None, reason
    return LoadedPlugin(file=made.path, digest=made.digest, carried_as=DEVICES_PLUGIN), ""


def with_plugin(launch: Launch, loaded: LoadedPlugin) -> Launch:
    """Return the launch with its devices in step."""
    # Else QEMU's main loop hears of a request from a file descriptor, when the host lets it.
    events = tuple(f"{kind}{_NO_EVENTS}" for kind in virtio_transports(launch))
    return msgspec.structs.replace(launch.with_plugin(loaded), properties=(*launch.properties, *events))


def without_plugin(launch: Launch) -> Launch:
    """Return the launch with its devices at the host's pace, as QEMU has them."""
    others = tuple(plugin for plugin in launch.plugins if plugin.carried_as != DEVICES_PLUGIN)
    properties = tuple(text for text in launch.properties if not text.endswith(_NO_EVENTS))
    return msgspec.structs.replace(launch, plugins=others, properties=properties)


def _needed(launch: Launch, version: str) -> bool:
    rows = (device_table().row(part.model) for part in parts_of(launch) if part.model)
    return any(row is not None and row.needs_step(numbers_of(version)) for row in rows)
