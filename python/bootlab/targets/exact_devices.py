"""Which device models boot alike in exact mode, as benchmarks/exact_devices.py saw it."""

from __future__ import annotations

import functools
from importlib.resources import files

import msgspec

_FILE = "exact_devices.json"


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What boots on one version of QEMU showed. `loaded`: how many of them ran beside a busy loop.

    `apart`: in what they differed; empty when they were equal byte for byte and to the instruction.
    """

    qemu: str
    boots: int
    loaded: int
    exact: bool
    apart: str = ""
    date: str


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One device: QEMU's names of it, the machine that had it, what the guest did with it, and what was seen."""

    id: str
    models: tuple[str, ...]
    machine: str
    use: str
    seen: tuple[Seen, ...] = ()

    def exact(self, numbers: tuple[int, ...]) -> bool | None:
        """Tell whether boots were equal on a version of QEMU; None when nothing was seen."""
        near = self.nearest(numbers)
        return all(s.exact for s in near) if near else None

    def nearest(self, numbers: tuple[int, ...]) -> tuple[Seen, ...]:
        """Return what was seen on the same major version of QEMU, else on any; what differed stands first."""
        same = [s for s in self.seen if numbers and _numbers(s.qemu)[:1] == numbers[:1]]
        return tuple(sorted(same or self.seen, key=lambda s: s.exact))


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
    return msgspec.json.decode(files("bootlab.targets").joinpath(_FILE).read_bytes(), type=DeviceTable)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
