# SPDX-License-Identifier: MIT
"""What exact mode can do on a QEMU: not told from its version, but tried with tiny programs."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault
from bootlab.launch import devices, exactness, plugin, plugin_interface, self_test
from bootlab.launch.emulator import Emulator
from bootlab.launch.processors import two_processors
from bootlab.model.architecture import Architecture


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Why each part cannot be used; an empty text where it was tried and works."""

    interface: int = 0
    """The version of the plugin interface that the plugins are compiled for; 0: there is none."""
    stamps: str = ""
    devices: str = ""
    processors: str = ""
    disk_read: bool = False
    """A tiny program that reads a disk is among those that were tried; else the devices' plugin tested itself alone."""


def prove(found: Emulator, facts: Architecture, cache_folder: Path) -> Proof:
    """Try the plugins in this QEMU now, whatever is kept of earlier tries."""
    stamper = plugin.prepare(found, cache_folder)
    if stamper.path is None:
        return Proof(stamps=stamper.reason, devices=stamper.reason, processors=stamper.reason)
    try:
        interface = plugin_interface.ask(found, cache_folder)
        stamps = self_test.tried_now(found, cache_folder, stamper)
    except (OSError, EnvironmentFault) as fault:
        return Proof(stamps=str(fault), devices=str(fault), processors=str(fault))
    _, in_step = devices.prepared(found, cache_folder)
    if exactness.hangs_with_processors(found.version):
        several = "this version hangs when the second processor starts (QEMU 10 and later do not)"
    else:
        several = two_processors(found, facts.machine_type, facts.cpu, cache_folder)[1]
    return Proof(
        interface=interface.version,
        stamps=stamps,
        devices=in_step,
        processors=several,
        disk_read=self_test.reads_a_disk(interface.target),
    )
