# SPDX-License-Identifier: MIT
"""What of a machine does not repeat in exact mode: named before it boots, and as the cause when boots differ."""

from __future__ import annotations

import re

from bootlab.launch.exact_devices import DeviceRow, device_table
from bootlab.launch.extra_words import processors
from bootlab.launch.machine_devices import MachinePart, parts_of
from bootlab.model.launch import Launch
from bootlab.model.system import SystemDescription

# accel/tcg: up to 8.0 one processor takes the whole budget of instructions, and waits for the others for ever.
_SHARED_BUDGET = (8, 0)
# Equal on 10.0.2 and 10.0.13. Of what lies between nothing is known.
_UNEQUAL_SHARES = (11, 0)
_DISKS = frozenset(
    {
        *("virtio-blk", "virtio-blk-device", "nvme", "ahci", "ide", "usb-storage", "virtio-scsi", "lsi53c895a"),
        *("am53c974", "virtio-pmem", "floppy"),
    }
)
_NETWORKS = frozenset(
    {"virtio-net-pci", "e1000", "e1000e", "igb", "rtl8139", "pcnet", "i82557b", "ne2k_pci", "vmxnet3"}
)
_DISPLAYS = frozenset({"virtio-gpu", "vga", "cirrus-vga"})


_SEVERAL = {
    "shared": "the gain of several processors does not show: virtual time is the sum of what all of them execute, so "
    "work that runs in parallel takes as long as one after the other (clock.processors = "
    '"parallel" gives each its own time)',
    "parallel": "competition for caches and memory bandwidth is not modelled, and the processors' times may be "
    "{quantum_us:g} us apart: boot --quantum 2000,5000,20000 shows whether a result depends on that",
}


_WRONG_TIMERS = {
    "sabrelite": "its timer interrupts come late: a sleep of 0.2 s took 0.75 s of virtual time under Debian's 6.1 "
    "kernel on QEMU 7.2, so no wait is as long as on the board. boot --diagnostic measures a sleep of this system",
}
"""Machines whose emulated timers are known to be wrong."""


def inexact(launch: Launch, version: str) -> tuple[str, ...]:
    """Say which devices of a machine do not boot alike in exact mode, and what to take instead."""
    said: dict[str, None] = {}
    for part in parts_of(launch):
        row = device_table().row(part.model) if part.model else None
        if part.backend:
            said.setdefault(f"{part.backend} ({_short(part)}) answers at the host's pace: {_WAYS_OUT['backend']}")
        elif row is not None and row.exact(numbers_of(version), in_step=launch.devices_in_step) is False:
            seen = row.nearest(numbers_of(version), in_step=launch.devices_in_step)[0]
            said.setdefault(f"{part.model} is not exact (QEMU {seen.qemu}: {seen.apart}): {_way_out(row)}")
    return tuple(said)


def untested(launch: Launch, version: str) -> tuple[str, ...]:
    """Name the devices of a machine of which nobody knows whether they boot alike."""
    unknown = {part.model for part in parts_of(launch) if part.model and _is_exact(part.model, launch, version) is None}
    return tuple(sorted(unknown))


def _is_exact(model: str, launch: Launch, version: str) -> bool | None:
    row = device_table().row(model)
    return None if row is None else row.exact(numbers_of(version), in_step=launch.devices_in_step)


def notes(system: SystemDescription, launch: Launch, version: str) -> tuple[str, ...]:
    """Say before a boot what of the machine keeps exact mode from repeating; nothing in free mode."""
    if system.clock.mode != "exact":
        return ()
    said = list(inexact(launch, version))
    said += [
        f"{model} was never tested in exact mode: --repeat 3 shows whether its boots are equal"
        for model in untested(launch, version)
    ]
    if system.machine.type in _WRONG_TIMERS:
        said.append(f"{system.machine.type}: {_WRONG_TIMERS[system.machine.type]}")
    if processors(launch) > 1 and not one_runs(system):
        said.append(_SEVERAL[system.clock.processors].format(quantum_us=system.clock.quantum_ns / 1000))
    return tuple(said)


def one_runs(system: SystemDescription) -> bool:
    """Tell whether the command line leaves the machine's other processors off."""
    line = system.cmdline
    return line.has("nosmp") or line.value("maxcpus") in {"0", "1"} or line.value("nr_cpus") == "1"


def hangs_with_processors(version: str) -> bool:
    """Tell whether a version of QEMU hangs in exact mode when the kernel starts the second processor."""
    return bool(numbers := numbers_of(version)) and numbers <= _SHARED_BUDGET


def shares_unequally(version: str) -> bool:
    """Tell whether two boots with a shared clock differ: so seen on 11.1.3 (two processors, two boots, twice)."""
    return numbers_of(version) >= _UNEQUAL_SHARES


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the major and minor number of QEMU's version text (`7.2.22 (Debian …)`)."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else ()


_WAYS_OUT = {
    "disk": "boot from the initramfs, from an NVDIMM (`pmem`), or from an SD card (`sdhci-pci`)",
    "network": "e1000 with `-netdev user` is exact",
    "display": "VGA is exact",
    "backend": "input from another process does not repeat; leave it out, or use free mode",
    "other": "leave it out, or use free mode",
}


def _way_out(row: DeviceRow) -> str:
    kinds = (("disk", _DISKS), ("network", _NETWORKS), ("display", _DISPLAYS))
    return _WAYS_OUT[next((kind for kind, ids in kinds if row.id in ids), "other")]


def _short(part: MachinePart) -> str:
    return part.option if len(part.option) <= 60 else f"{part.option[:57]}…"
