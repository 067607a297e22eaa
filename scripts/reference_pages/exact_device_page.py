# SPDX-License-Identifier: MIT
# ruff: noqa: E501 - a paragraph of Markdown
"""`exact-devices.md`: which devices boot alike in exact mode, as boots showed."""

from __future__ import annotations

from bootlab.launch.exact_devices import DeviceRow, SeenBoots, device_table
from reference_pages.markdown import code, table

_INTRODUCTION = """\
# Devices in exact mode

Which QEMU devices give equal boots in [exact mode](../explanation/exact-mode.md): the same console, byte for byte, and the goal after
the same number of instructions. Each row is a machine with that device, a Debian kernel, and a guest that uses the device. It was
booted several times on each version of QEMU, also on a loaded machine. *Exact* means that all those boots were equal. They may have
missed a rare difference, so use `bootlab boot --repeat` to test a system of your own.

*With the plugin*: bootlab loads its plugin `bootlab-devices` when a machine has such a device. Without the plugin, the host decides when the
device answers. The plugin needs an x86-64 or AArch64 host and a QEMU that exports its functions, as Debian's does.

`benchmarks/exact_devices.py` makes the table. bootlab uses the same data to warn before a boot, if a device is not exact or was never
tried. For a version of QEMU that is not in the table, it uses the nearest version with the same major number.

"""
_REASONS = """
## Why some are exact

A device is exact if it does its work within the instruction that asks for it (an SD card, flash, NVDIMM, the user network's answers to
ARP, DHCP and TFTP), or at a time on the virtual clock. If QEMU's main loop or a thread of the host does the work, the host decides when
it finishes: every disk with asynchronous reads, and what virtio defers to the main loop. There the plugin has the processor's thread do
that work at once, before the guest's next instruction: a disk then answers in no time at all, as a card does here
([how](../explanation/exact-mode.md#devices-that-work-at-the-hosts-pace)). A network that reaches another process (`tap`, `socket`,
forwarded ports) is never exact, whatever the network card.
"""


def render() -> str:
    """Return the page."""
    rows = device_table().rows
    versions = sorted({s.qemu for row in rows for s in row.seen}, key=lambda v: [int(x) for x in v.split(".")])
    head = ("device", "names in QEMU", "machine", "the guest", *(f"QEMU {version}" for version in versions))
    return _INTRODUCTION + table(head, [_row(row, versions) for row in rows]) + _REASONS


def _row(row: DeviceRow, versions: list[str]) -> tuple[str, ...]:
    seen = {(s.qemu, s.in_step): s for s in row.seen}
    names = ", ".join(code(model) for model in row.models)
    return (
        row.id,
        names,
        row.machine,
        row.use,
        *(_cell(seen.get((version, False)), seen.get((version, True))) for version in versions),
    )


def _cell(bare: SeenBoots | None, in_step: SeenBoots | None) -> str:
    if in_step is None:
        return "not tried" if bare is None else _said(bare)
    helped = _said(in_step).replace("exact", "exact with the plugin", 1)
    return helped if bare is None else f"{helped}; without it {_said(bare)}"


def _said(seen: SeenBoots) -> str:
    boots = f"{seen.boots} boots, {seen.loaded} under load, {seen.date}"
    return f"exact ({boots})" if seen.exact else f"**not exact**: {seen.apart} ({boots})"
