# SPDX-License-Identifier: MIT
"""The Raspberry Pi's firmware: config.txt with its sections, cmdline.txt, and the kernel that each model would take.

Rules: the documentation of config.txt (conditional filters, `kernel`, `initramfs`, `auto_initramfs`, `os_prefix`)
and of autoboot.txt (`boot_partition`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

import msgspec

from bootlab.sources.facts import BootEntry

_INCLUDES_MAX, _DIGITS_MAX = 10, 4


class RaspberryModel(msgspec.Struct, frozen=True):
    """A model: the sections that are its own, and the kernels that its firmware tries, the first that is there.

    `trees`: the device trees that its firmware takes, the first that is there.
    """

    name: str
    sections: frozenset[str]
    kernels: tuple[str, ...]
    trees: tuple[str, ...]


_MODELS = (
    RaspberryModel(
        "Raspberry Pi 4",
        frozenset({"pi4", "board-type=0x11"}),
        ("kernel8.img", "kernel7l.img"),
        ("bcm2711-rpi-4-b.dtb",),
    ),
    RaspberryModel(
        "Raspberry Pi 3",
        frozenset({"pi3", "board-type=0x8"}),
        ("kernel8.img", "kernel7.img"),
        ("bcm2710-rpi-3-b.dtb", "bcm2837-rpi-3-b.dtb"),
    ),
    RaspberryModel(
        "Raspberry Pi 5",
        frozenset({"pi5", "board-type=0x17"}),
        ("kernel_2712.img", "kernel8.img"),
        ("bcm2712-rpi-5-b.dtb",),
    ),
    RaspberryModel(
        "Raspberry Pi 3 B+",
        frozenset({"pi3", "pi3+", "board-type=0xd"}),
        ("kernel8.img", "kernel7.img"),
        ("bcm2710-rpi-3-b-plus.dtb", "bcm2837-rpi-3-b-plus.dtb"),
    ),
    RaspberryModel(
        "Raspberry Pi 400",
        frozenset({"pi4", "pi400", "board-type=0x13"}),
        ("kernel8.img", "kernel7l.img"),
        ("bcm2711-rpi-400.dtb",),
    ),
    RaspberryModel(
        "Compute Module 4",
        frozenset({"pi4", "cm4", "board-type=0x14"}),
        ("kernel8.img", "kernel7l.img"),
        ("bcm2711-rpi-cm4.dtb",),
    ),
    RaspberryModel(
        "Raspberry Pi 2", frozenset({"pi2"}), ("kernel7.img",), ("bcm2709-rpi-2-b.dtb", "bcm2836-rpi-2-b.dtb")
    ),
    RaspberryModel(
        "Raspberry Pi Zero 2 W",
        frozenset({"pi0", "pi02", "board-type=0x12"}),
        ("kernel8.img", "kernel7.img"),
        ("bcm2710-rpi-zero-2-w.dtb", "bcm2710-rpi-zero-2.dtb", "bcm2837-rpi-zero-2-w.dtb"),
    ),
    RaspberryModel(
        "Raspberry Pi 1",
        frozenset({"pi1"}),
        ("kernel.img",),
        ("bcm2708-rpi-b-plus.dtb", "bcm2835-rpi-b-plus.dtb", "bcm2708-rpi-b.dtb", "bcm2835-rpi-b.dtb"),
    ),
    RaspberryModel(
        "Raspberry Pi Zero W",
        frozenset({"pi0", "pi0w", "board-type=0xc"}),
        ("kernel.img",),
        ("bcm2708-rpi-zero-w.dtb", "bcm2835-rpi-zero-w.dtb"),
    ),
    RaspberryModel(
        "Raspberry Pi Zero",
        frozenset({"pi0", "board-type=0x9"}),
        ("kernel.img",),
        ("bcm2708-rpi-zero.dtb", "bcm2835-rpi-zero.dtb"),
    ),
)
"""In the order in which one is taken where nothing says which board it is: QEMU has the first two."""
_FAMILIES = frozenset({"pi0", "pi1", "pi2", "pi3", "pi4", "pi5"})
_OTHER_KERNELS = ("vmlinuz", "zImage", "Image")
Reads = Callable[[str], str | None]


class Settings(msgspec.Struct):
    """What config.txt says to one model. `initramfs`: the files' names; nothing where none is named.

    `overlays`: each `dtoverlay=` with its parameters, in their order. `parameters`: each `dtparam=`.
    """

    values: dict[str, str]
    initramfs: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


def settings_of(text: str, model: RaspberryModel, reads: Reads = lambda _name: None) -> Settings:
    """Return the settings that hold for a model: those of [all] and of its own sections."""
    found = Settings({})
    _read(text, model, reads, found, 0)
    return found


def boot_partition(text: str) -> int | None:
    """Return the number of the partition that autoboot.txt names for a plain start, not for `tryboot`; None: none."""
    number = settings_of(text, _MODELS[0]).values.get("boot_partition", "")
    return int(number) if number.isdecimal() and len(number) < _DIGITS_MAX else None


def _read(text: str, model: RaspberryModel, reads: Reads, found: Settings, depth: int) -> None:
    holds = True
    for raw in text.splitlines():
        line = raw.split("#", 1)[0].strip()
        section = re.fullmatch(r"\[([^\]]*)\]", line)
        if section is not None:
            holds = _holds(section[1].strip().casefold(), model)
        elif not holds or not line:
            continue
        elif line.startswith("include ") and depth < _INCLUDES_MAX:
            _read(reads(line.split()[1]) or "", model, reads, found, depth + 1)
        elif line.startswith("initramfs"):
            words = line.replace("=", " ", 1).split()
            # Several are put together, one behind the other.
            found.initramfs = tuple(name for name in words[1].split(",") if name) if len(words) > 1 else ()
        elif "=" in line:
            key, _, value = line.partition("=")
            if key.strip() == "dtoverlay" and value.strip():
                # An empty one only ends the parameters of the one before.
                found.overlays = (*found.overlays, value.strip())
            if key.strip() == "dtparam" and value.strip():
                found.parameters = (*found.parameters, value.strip())
            found.values[key.strip()] = value.strip()


def _holds(section: str, model: RaspberryModel) -> bool:
    """Tell whether a section is for a model. Those for serial numbers, screens and pins are for no known board."""
    return section == "all" or section in model.sections


def entries(folder: str, names: frozenset[str], reads: Reads) -> Iterator[BootEntry]:
    """Give what each model would start from a folder with its firmware's files; `names`: the files in it."""
    config = reads("config.txt") or ""
    given: dict[tuple[str, str], BootEntry] = {}
    trees: dict[tuple[str, str], list[str]] = {}
    named = _named_alone(config)
    # A card that has the trees of some models only is made for those.
    there = [name.rpartition("/")[2] for name in names]
    models = sorted(named or _MODELS, key=lambda model: not any(tree in there for tree in model.trees))
    for model in models:
        entry = _entry(folder, names, reads, settings_of(config, model, reads), model)
        if entry is None:
            continue
        same = (entry.kernel, entry.cmdline)
        if same in given and entry.device_tree and posixpath.basename(entry.device_tree) in model.trees:
            trees.setdefault(same, []).append(f"{entry.device_tree} ({model.name})")
        given.setdefault(same, msgspec.structs.replace(entry, default=not given))
    for same, entry in given.items():
        others = ", ".join(trees.get(same, ()))
        note = (f"other models start the same with another device tree: {others}; --from IMAGE:PATH takes one",)
        yield msgspec.structs.replace(entry, notes=entry.notes + note) if others else entry


def _named_alone(config: str) -> list[RaspberryModel]:
    """Return the models for which alone a kernel is named, where all are of one family: it is made for them."""
    named = [model for model in _MODELS if "kernel" in settings_of(config, model).values]
    families = {section for model in named for section in model.sections if section in _FAMILIES}
    return named if len(families) == 1 and len(named) < len(_MODELS) else []


def _entry(folder: str, names: frozenset[str], reads: Reads, said: Settings, model: RaspberryModel) -> BootEntry | None:
    prefix = said.values.get("os_prefix", "")
    named = said.values.get("kernel", "")
    kernel = named or next((name for name in (*model.kernels, *_OTHER_KERNELS) if f"{prefix}{name}" in names), "")
    if not kernel:
        return None
    initramfs = said.initramfs
    if not initramfs and said.values.get("auto_initramfs") == "1":
        # kernel8.img takes initramfs8, kernel_2712.img initramfs_2712.
        own = re.sub(r"^kernel([^.]*)\.img$", r"initramfs\1", kernel)
        initramfs = (own,) if f"{prefix}{own}" in names else ()
    line = reads(prefix + said.values.get("cmdline", "cmdline.txt"))
    notes = ["the firmware adds to the command line and to the device tree what it knows of the board: that is lacking"]
    if line is None:
        notes.append(f"{folder}/{prefix}{said.values.get('cmdline', 'cmdline.txt')} is not there")
    if said.parameters:
        notes.append(
            f"the firmware sets parameters in the device tree (dtparam={', dtparam='.join(said.parameters)}), which is "
            "not done here: dtmerge BOARD.dtb set.dtb - NAME=VALUE sets one, then --from set.dtb"
        )
    tree = next((name for name in model.trees if f"{prefix}{name}" in names), "")
    # An empty one switches the device tree off.
    tree = said.values.get("device_tree", tree)
    return BootEntry(
        title=f"{model.name}, {prefix}{kernel}",
        kernel=f"{folder}/{prefix}{kernel}",
        initrds=tuple(f"{folder}/{prefix}{name}" for name in initramfs),
        device_tree=f"{folder}/{prefix}{tree}" if tree else "",
        cmdline=" ".join((line or "").split()),
        source=f"{folder}/config.txt" if config_there(names) else f"{folder}/cmdline.txt",
        overlays=said.overlays,
        is_partial=True,
        notes=tuple(notes),
    )


def config_there(names: frozenset[str]) -> bool:
    """Tell whether the firmware's configuration is there."""
    return "config.txt" in names
