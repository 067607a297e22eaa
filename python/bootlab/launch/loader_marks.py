# SPDX-License-Identifier: MIT
"""Marks of a boot loader: where the boot ROM enters it and it enters the kernel; and what its parts print."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.builders.loader import grub
from bootlab.builders.loader.built import BuiltLoader
from bootlab.builders.loader.started import CardStart
from bootlab.launch import load_address
from bootlab.model.board import ram_start
from bootlab.model.boot_loader import Loader, LoaderBoard
from bootlab.model.recording import Line, Mark
from bootlab.recordings.console import of_the_kernel, split_lines

# What U-Boot (common/, boot/), TF-A and OpenSBI print at the start of a line.
_LINES = (
    ("tf-a", re.compile(r"NOTICE: +BL1: |NOTICE: +Booting Trusted Firmware")),
    ("opensbi", re.compile(r"OpenSBI v\d")),
    ("spl", re.compile(r"U-Boot SPL \d{4}\.")),
    ("spl-load", re.compile(r"Trying to boot from ")),
    ("u-boot", re.compile(r"U-Boot \d{4}\.")),
    ("autoboot", re.compile(r"Hit any key to stop autoboot|Autoboot in ")),
    ("boot-command", re.compile(r".")),
    ("kernel-loaded", re.compile(r"(?:Kernel image @ 0x|## Booting kernel from |## Loading kernel from )")),
    ("starting-kernel", re.compile(r"Starting kernel \.\.\.")),
)
# common/autoboot.c, abortboot_single_key(): the line stays open while it counts.
_COUNTDOWN = re.compile(r"Hit any key to stop autoboot")
# arch/x86/kernel/head_64.S: called before the kernel runs at the addresses that it is linked to.
_FIRST_OF_X86 = ("startup_64_setup_env", "startup_64_setup_gdt_idt")
# common/spl/spl.c: what comes once memory works, up to U-Boot or the kernel.
_SPL_LOADS = "board_init_r"
# Between escapes that move the cursor (GRUB on a serial line): anywhere in one, which may be all that GRUB prints.
_MENU_LINES = (
    ("grub-menu", re.compile(r"highlighted entry will be executed automatically in")),
    ("grub-load", re.compile(r"\bLoading Linux \.\.\.")),
)
_NAMES = (b"U-Boot", b"NOTICE:  BL1:", b"GRUB")
_AFTER = {"boot-command": "autoboot", "kernel-loaded": "u-boot", "starting-kernel": "u-boot"}
_BANNER = "Linux version "
_FALLBACK = re.compile(r".*[Tt]rying to start U-[Bb]oot")


def entries(loader: Loader, started: CardStart, info: KernelInfo) -> dict[str, int]:
    """Return the addresses of the boot loader's first instruction and of the kernel as it enters it."""
    place, ram = started.board, ram_start(started.system.machine)
    if started.entries is not None:
        return started.entries
    if started.system.machine.arch == "x86_64":
        return _of_a_pc(loader, info, started.kernel_address)
    if place is None:
        return {}
    found = {"spl": place.spl_entry}
    # Where a ready card's boot loader puts the kernel, nobody said.
    if loader.card is not None or ram is None:
        return found
    if started.built is not None:
        found |= _parts_entries(started.built, place)
    return found | kernel_entries(place, info, ram, started.kernel_address)


def _of_a_pc(loader: Loader, info: KernelInfo, entry: int | None) -> dict[str, int]:
    """Return where the firmware enters the boot sector, GRUB its parts and then the kernel.

    GRUB puts the kernel where that unpacks itself to: so the unpacked kernel is known by the function after its first
    instructions, which it calls where it was unpacked or where it is linked.
    """
    found = {"boot-sector": grub.BOOT_SECTOR}
    if loader.grub is not None:
        found |= {"grub-unpack": grub.DECOMPRESSOR, "grub": grub.UNPACKED}
    if entry is not None and entry != grub.UNPACKED:
        found |= {"kernel-entry": entry, "decompression": entry}
    for name in _FIRST_OF_X86:
        if name in info.symbols:
            return found | {"kernel-image": info.symbols[name] - load_address.link_offset("x86_64", info, None)}
    late = info.symbols.get("x86_64_start_kernel")
    return found if late is None else found | {"kernel-image": late}


def _parts_entries(built: BuiltLoader, place: LoaderBoard) -> dict[str, int]:
    """Return where the SPL begins to load and where it enters U-Boot, by the symbols of what was built."""
    found = {"u-boot": place.u_boot_entry}
    load = built.spl_symbols().get(_SPL_LOADS)
    return found if load is None else {"spl-load": load, **found}


def kernel_entries(place: LoaderBoard, info: KernelInfo, ram: int, entry: int | None = None) -> dict[str, int]:
    """Return where the kernel is entered, and where it is once unpacked. `entry` None: the board's usual place."""
    text = load_address.arm_text(info)
    image = None if text is None else ram + text - load_address.user_half_end(info)
    if info.kind == "uimage":
        return {} if image is None else dict.fromkeys(("kernel-entry", "kernel-image"), image)
    start = place.kernel_address if entry is None else entry
    found = {"kernel-entry": start, "decompression": start}
    return found | ({"kernel-image": image} if image is not None and image != start else {})


def speaks(console: bytes) -> bool:
    """Tell whether a boot loader that is known printed anything; OpenSBI alone is a machine's firmware."""
    return any(name in console for name in _NAMES)


StampInLine = Callable[[Line, int], tuple[int, int | None]]
"""When a character of a line was printed, by its number in the text: ns, and the instructions up to then."""


def line_marks(lines: tuple[Line, ...], seen: Mapping[str, int], stamp_in: StampInLine | None = None) -> list[Mark]:
    """Return the marks that boot loaders' lines set; those `seen` by their address already are not set again.

    A mark is where the text that sets it begins. `stamp_in`: needed where that is in the midst of a line; the line's
    first byte counts where it is absent.
    A line that arrives after the kernel was entered waited in a serial port that was behind: when it was printed is
    not known, and it sets no mark.
    """
    found: dict[str, Mark] = {}
    entered_ns = seen.get("kernel-entry")
    for line in lines:
        late = line.first_ns is not None and entered_ns is not None and line.first_ns > entered_ns
        if line.first_ns is None or late or of_the_kernel(line.text) or line.text.startswith(_BANNER):
            if line.first_ns is None:
                continue
            break
        set_here = _beginnings(line, found)
        for name, begin in set_here:
            ns, insns = (line.first_ns, line.insns) if stamp_in is None or not begin else stamp_in(line, begin)
            if entered_ns is None or ns <= entered_ns:
                found[name] = Mark(name, ns, insns, f"console: {line.text[begin : begin + 80]}")
        if ("autoboot", 0) in set_here and line.last_ns is not None and _COUNTDOWN.match(line.text):
            # A boot command may load for long before it prints.
            found["boot-command"] = Mark("boot-command", line.last_ns, line.last_insns, "console: the countdown's end")
    return [mark for name, mark in found.items() if name not in seen]


def _beginnings(line: Line, found: Mapping[str, Mark]) -> list[tuple[str, int]]:
    """Return the marks that a line sets, and at which of its characters the text begins that sets them."""
    for name, pattern in _LINES:
        after = _AFTER.get(name)
        if name not in found and (after is None or after in found) and pattern.match(line.text) is not None:
            return [(name, 0)]
    seen = [(name, pattern.search(line.text)) for name, pattern in _MENU_LINES if name not in found]
    return [(name, match.start()) for name, match in seen if match is not None]


def fallback_note(loader: Loader | None, console: bytes, marks: tuple[Mark, ...]) -> str:
    """Say that falcon mode was left for U-Boot, and why; "" when it was not."""
    if loader is None or loader.start != "falcon" or not any(mark.name == "u-boot" for mark in marks):
        return ""
    lines = split_lines(console)
    said = next((line.text for line in lines if _FALLBACK.match(line.text)), "")
    why = f"the SPL said: {said.strip()[:120]}" if said else "the SPL did not say why"
    return f"falcon mode fell back to U-Boot, which booted in its place ({why})"
