# SPDX-License-Identifier: MIT
"""Which devices a launch puts into the machine, under the names that QEMU has for their models."""

from __future__ import annotations

import re

import msgspec

from bootlab.launch.extra_words import valued
from bootlab.model.launch import Launch, MediumBus

_MEDIA: dict[MediumBus, tuple[str, ...]] = {
    "virtio": ("virtio-blk",),
    "virtio-mmio": ("virtio-blk-device",),
    "pflash": ("pflash",),
    "sd": ("sd-card",),
    "sd-device": ("sd-card",),
    "sdhci-pci": ("sdhci-pci", "sd-card"),
    "nvdimm": ("nvdimm",),
}
# -drive's interfaces (blockdev.c: if_name) and what stands behind each; `none` is taken up by a -device.
_INTERFACES = {
    "ide": "ide-hd",
    "virtio": "virtio-blk",
    "scsi": "scsi-hd",
    "sd": "sd-card",
    "pflash": "pflash",
    "floppy": "floppy",
    "mtd": "mtd",
    "none": "",
}
# Options that each stand for one device.
_FIXED = {
    "-sd": "sd-card",
    "-pflash": "pflash",
    "-mtdblock": "mtd",
    "-fda": "floppy",
    "-fdb": "floppy",
    "-virtfs": "virtio-9p",
    "-fw_cfg": "fw_cfg",
}
_USB = {"keyboard": "usb-kbd", "mouse": "usb-mouse", "tablet": "usb-tablet"}
# Objects through which the host decides what the guest sees, or when.
_HOST_OBJECTS = frozenset({"rng-random", "rng-egd", "iothread"})
_DISK_OPTIONS = ("-hda", "-hdb", "-hdc", "-hdd", "-cdrom")
# Default interfaces and network cards of machines (block_default_type, default_nic in hw/).
_VIRTIO_MACHINES = ("virt", "microvm")
_CARDS = {"q35": "e1000e", "pc": "e1000", "virt": "virtio-net-pci", "vexpress-a9": "lan9118", "vexpress-a15": "lan9118"}
_DISPLAYS = {"std": "VGA", "virtio": "virtio-vga", "cirrus": "cirrus-vga", "none": ""}
# Slots, ports and bridges: they hold other devices and do nothing by themselves.
_HOLDERS = frozenset(
    {
        "pcie-root-port",
        "pci-bridge",
        "pcie-pci-bridge",
        "ioh3420",
        "pxb",
        "pxb-pcie",
        "x3130-upstream",
        "xio3130-downstream",
        "usb-hub",
        "loader",
        "guest-loader",
    }
)


class MachinePart(msgspec.Struct, frozen=True):
    """Something of the machine: its model, and the option that put it there.

    `backend`: of what serves it on the host (`-netdev tap`, `-object rng-random`), its kind; then there is no model.
    """

    model: str
    option: str
    backend: str = ""


def parts_of(launch: Launch) -> tuple[MachinePart, ...]:
    """Return what a launch puts into the machine, each once, in its order: media, devices, the user's own words."""
    media = [MachinePart(model, medium.file) for medium in launch.media for model in _MEDIA[medium.bus]]
    found: dict[MachinePart, None] = dict.fromkeys(media)
    own = [("-device", device) for device in launch.devices]
    for option, value in (*own, *valued(launch.extra)):
        for part in _parts(option, value, launch.machine):
            found.setdefault(part)
    return tuple(found)


_OVER_PCI = {"virtio-blk": "virtio-blk-pci", "virtio-net": "virtio-net-pci", "virtio-scsi": "virtio-scsi-pci"}
_WITHOUT_EVENTS = frozenset({"virtio-keyboard-pci", "virtio-mouse-pci", "virtio-tablet-pci", "virtio-pmem-pci"})


def virtio_transports(launch: Launch) -> tuple[str, ...]:
    """Return the types that have `ioeventfd` among a launch's devices: virtio on PCI, and the board's own slots."""
    models = {_OVER_PCI.get(part.model, part.model) for part in parts_of(launch)}
    found = {model for model in models if re.fullmatch(r"virtio-\w+-pci", model)} - _WITHOUT_EVENTS
    if any(re.fullmatch(r"virtio-\w+-device", model) for model in models):
        found.add("virtio-mmio")
    return tuple(sorted(found))


def _parts(option: str, value: str, machine: str) -> tuple[MachinePart, ...]:
    text = f"{option} {value}"
    first, fields = _fields(value)
    if option in {"-nic", "-net", "-netdev"}:
        return _network(option, first, fields, machine)
    if option == "-object":
        from_host = first in _HOST_OBJECTS or first.startswith("cryptodev")
        return (MachinePart("", text, first),) if from_host else ()
    model = _model(option, first, fields, machine)
    return (MachinePart(model, text),) if model else ()


def _model(option: str, first: str, fields: dict[str, str], machine: str) -> str:
    if option == "-device":
        return "" if first in _HOLDERS else first
    if option == "-drive":
        return _INTERFACES.get(fields.get("if", _default_interface(machine)), "")
    if option in _DISK_OPTIONS:
        return _INTERFACES[_default_interface(machine)]
    if option == "-vga":
        return _DISPLAYS.get(first, first)
    if option == "-usbdevice":
        return _USB.get(first, f"usb-{first}")
    return first if option == "-watchdog" else _FIXED.get(option, "")


def _network(option: str, first: str, fields: dict[str, str], machine: str) -> tuple[MachinePart, ...]:
    text = f"{option} {','.join((first, *(f'{k}={v}' for k, v in fields.items() if k != first)))}"
    card = MachinePart(fields.get("model", _CARDS.get(machine, f"{machine}'s network card")), text)
    if option == "-net" and first == "nic":
        return (card,)
    cards = (card,) if option == "-nic" and first != "none" else ()
    return (*cards, *_network_backend(first, fields, text))


def _network_backend(kind: str, fields: dict[str, str], text: str) -> tuple[MachinePart, ...]:
    # The user network answers ARP, DHCP and TFTP by itself; a forwarded port brings in another process of the host.
    if kind == "user":
        forwarded = "hostfwd" in fields or "guestfwd" in fields
        return (MachinePart("", text, "user network with forwarded ports"),) if forwarded else ()
    return () if kind in {"none", "nic"} else (MachinePart("", text, f"network backend {kind}"),)


def _default_interface(machine: str) -> str:
    return "virtio" if machine.startswith(_VIRTIO_MACHINES) else "ide"


def _fields(value: str) -> tuple[str, dict[str, str]]:
    """Split an option's value into its first word and its fields; a value may be JSON."""
    if value.startswith("{"):
        try:
            found = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return "", {}
        fields = {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}
        return fields.get("driver", fields.get("type", fields.get("qom-type", ""))), fields
    words = value.replace(",,", "\0").split(",")
    fields = dict(word.partition("=")[::2] for word in words)
    first = words[0].partition("=")
    return (first[2] if first[0] in {"driver", "type", "qom-type"} else first[0]), fields
