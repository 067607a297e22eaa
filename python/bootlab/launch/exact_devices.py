# SPDX-License-Identifier: MIT
"""Which device models boot alike in exact mode, as benchmarks/exact_devices.py saw it."""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec

_FILE = "exact_devices.json"


class SeenBoots(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What boots on one version of QEMU showed. `loaded`: how many of them ran beside a busy loop.

    `apart`: in what they differed; empty when they were equal byte for byte and to the instruction. `in_step`: they ran
    with the plugin that keeps devices in step with the instructions (:mod:`bootlab.launch.devices`).
    """

    qemu: str
    boots: int
    loaded: int
    exact: bool
    apart: str = ""
    date: str
    in_step: bool = False


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One device: QEMU's names of it, the machine that had it, what the guest did with it, and what was seen."""

    id: str
    models: tuple[str, ...]
    machine: str
    use: str
    seen: tuple[SeenBoots, ...] = ()

    def exact(self, numbers: tuple[int, ...], *, in_step: bool = False) -> bool | None:
        """Tell whether boots were equal on a version of QEMU; None when nothing was seen.

        `in_step`: with the plugin. A device that was never booted with it is taken to be as without: the plugin only
        does earlier what is done anyway.
        """
        near = self.nearest(numbers, in_step=in_step)
        return all(s.exact for s in near) if near else None

    def nearest(self, numbers: tuple[int, ...], *, in_step: bool = False) -> tuple[SeenBoots, ...]:
        """Return what was seen on the same major version of QEMU, else on any; what differed stands first."""
        alike = [s for s in self.seen if s.in_step] if in_step else []
        seen = alike or [s for s in self.seen if not s.in_step]
        same = [s for s in seen if numbers and _numbers(s.qemu)[:1] == numbers[:1]]
        return tuple(sorted(same or seen, key=lambda s: s.exact))

    def needs_step(self, numbers: tuple[int, ...]) -> bool:
        """Tell whether boots are equal with the plugin only."""
        return self.exact(numbers) is not True and self.exact(numbers, in_step=True) is True


class DeviceTable(msgspec.Struct, frozen=True, kw_only=True):
    """Every device that was tried."""

    format: str = "bootlab-exact-devices"
    version: int = 1
    rows: tuple[DeviceRow, ...] = ()

    def row(self, model: str) -> DeviceRow | None:
        """Return the row of a device model, or None when it was never tried."""
        return next((row for row in self.rows if model in row.models), None)


@functools.cache
def device_table() -> DeviceTable:
    """Return the table that the package carries."""
    return msgspec.json.decode(Path(__file__).with_name(_FILE).read_bytes(), type=DeviceTable)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
