# SPDX-License-Identifier: MIT
"""Marks of a boot: instructions of the kernel found by symbol, and console patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from bootlab.builders.kernelinfo import CHROOT, KEXEC, NULLFS, PIVOT, KernelInfo
from bootlab.launch import load_address, loader_marks
from bootlab.launch.open_line import OpenLine
from bootlab.model.recording import Line, Mark
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import USER_SPACE_MARKS, kernel_begin_ns
from bootlab.recordings.console import LINE_MAX_BYTES, length_in_bytes, lines_of, split_lines
from bootlab.recordings.stamps import KERNEL_2_MARK, MAX_MARKS, USER_2_MARK, USER_MARK, Stamps

_NO_SYMBOLS = (
    "the marks start-kernel and user-space: the image's symbols could not be read (name its System.map or vmlinux as "
    "kernel.symbols)"
)
CONSOLE_SOURCE = "console: "
"""How the source of a mark begins that a line of the console set."""
_SOURCES = {
    "kernel-copy": "the loader's first instruction that copies the kernel",
    "kernel-entry": "first instruction of the kernel's set-up code",
    "decompression": "first instruction of the decompressor",
    "kernel-image": "first instruction of the unpacked kernel",
    "start-kernel": "first instruction of start_kernel()",
    "run-init": "first instruction of run_init_process()",
    "switch-root": "first instruction of the chroot() system call",
    "pivot-root": "first instruction of the pivot_root() system call",
    "kexec": f"first instruction of {KEXEC}()",
}
_INIT = re.compile(r"\] Run \S+ as init process")
"""init/main.c, run_init_process()."""
_SWITCH_UNIT = re.compile(r"Starting [^\n]*?initrd-switch-root\.service")
_LOADER_SOURCES = {
    "spl": "the address at which the boot ROM enters the SPL",
    "spl-load": "first instruction of the SPL's board_init_r()",
    "u-boot": "the address at which U-Boot is entered",
    "tf-a": "first instruction of TF-A",
    "op-tee": "first instruction of OP-TEE",
    "opensbi": "first instruction of OpenSBI",
    "boot-sector": "the address at which the firmware enters the boot sector",
    "grub-unpack": "the address at which GRUB's core unpacks itself",
    "grub": "first instruction of the unpacked GRUB",
    "kernel-entry": "the address at which the boot loader enters the kernel",
    "efi-program": "first instruction of the EFI program",
    "efi-stub": "first instruction of the kernel's EFI stub",
}
# GRUB puts the kernel where that unpacks itself to: the first address is the decompressor's too.
_PC_SOURCES = {"kernel-image": "first function that the unpacked kernel calls"}


def kernel_marks(
    system: SystemDescription, info: KernelInfo, watch: tuple[str, ...] = (), of_loader: dict[str, int] | None = None
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the addresses to watch by mark name, and what is lacking.

    `watch`: kernel functions that get a mark under their own name, as proof that they ran. `of_loader`: the marks of a
    boot loader, and where that enters the kernel; None: the emulator loads the kernel.
    """
    if system.machine.architecture.kaslr and system.clock.mode != "exact" and not system.cmdline.has("nokaslr"):
        return {}, ("marks inside the kernel: its addresses are random without nokaslr",)
    marks = _entries(system, info) if of_loader is None else dict(of_loader)
    start = info.symbols.get("start_kernel")
    if start is None:
        return marks, (_NO_SYMBOLS,)
    marks["start-kernel"] = start
    if (run_init := info.symbols.get("run_init_process")) is not None:
        marks["run-init"] = run_init
    if (last := info.symbols.get(KEXEC)) is not None:
        marks["kexec"] = last
    if _switches_root(system):
        marks |= _switches(info)
    watched = {name: info.symbols[name] for name in watch if name in info.symbols}
    room = MAX_MARKS - len(marks)
    marks |= dict(list(watched.items())[:room])
    left = list(watched)[room:]
    return marks, (f"marks of {len(left)} functions: the plugin takes {MAX_MARKS} ({', '.join(left)})",) if left else ()


def _switches_root(system: SystemDescription) -> bool:
    """Tell whether an initramfs mounts another root: elsewhere, chroot() is what a service does.

    run-init of klibc, switch_root of BusyBox and util-linux, and systemd all move the mount and call chroot(). Before
    Linux 7.0 pivot_root() cannot leave an initramfs; since then systemd tries it first.
    """
    return (system.initramfs is not None or system.initrd is not None) and (
        system.root is not None or system.cmdline.has("root")
    )


def _switches(info: KernelInfo) -> dict[str, int]:
    """Return the system calls by which an initramfs may leave for another root."""
    found = {}
    calls = {"switch-root": CHROOT, "pivot-root": PIVOT if NULLFS in info.symbols else ()}
    for mark, names in calls.items():
        address = next((info.symbols[name] for name in names if name in info.symbols), None)
        if address is not None:
            found[mark] = address
    return found


def _entries(system: SystemDescription, info: KernelInfo) -> dict[str, int]:
    if system.kernel.flash is not None:
        return load_address.flash_entries(system)
    if system.machine.arch != "x86_64":
        return load_address.entries(system.machine, info)
    if system.kernel.form == "vmlinux":
        return {"kernel-entry": info.pvh_entry} if info.pvh_entry is not None else {}
    found = {
        "kernel-entry": load_address.X86_SETUP_ENTRY,
        "decompression": load_address.X86_PROTECTED_MODE_ENTRY,
    }
    return found | ({"kernel-image": info.unpacked_entry} if info.unpacked_entry is not None else {})


def read_marks(system: SystemDescription, names: tuple[str, ...], stamps: Stamps, console: bytes) -> tuple[Mark, ...]:
    """Return every mark that was reached, in the order of time; power-on is 0."""
    found = [Mark("power-on", 0, 0, "reset"), Mark("firmware", 0, 0, "first instruction at the reset vector")]
    sources = _SOURCES | _LOADER_SOURCES if system.loader is not None else _SOURCES
    if system.loader is not None and system.loader.uefi is None and system.machine.arch == "x86_64":
        sources = sources | _PC_SOURCES
    for number, name in enumerate(names):
        if (seen := stamps.marks.get(number)) is not None:
            found.append(Mark(name, seen.ns, seen.insns, sources.get(name, f"first instruction of {name}()")))
    if (user := stamps.marks.get(USER_MARK)) is not None:
        found.append(Mark("user-space", user.ns, user.insns, "first instruction in user space"))
    found += _second_kernel(console, stamps)
    if "pivot-root" in names:
        found = with_real_switch(found, console, stamps)
    found += console_marks(system, stamps, console, {mark.name: mark.ns for mark in found})
    return tuple(sorted(found, key=lambda m: m.ns))


def _second_kernel(console: bytes, stamps: Stamps) -> list[Mark]:
    """Return the marks of a kernel that the first one started by kexec.

    Where the second kernel names the program that it runs as init, its helpers (modprobe) ran before.
    """
    found = []
    if (kernel := stamps.marks.get(KERNEL_2_MARK)) is not None:
        source = "first instruction at the kernel's addresses behind kexec"
        found.append(Mark("kernel-2", kernel.ns, kernel.insns, source))
    user = stamps.marks.get(USER_2_MARK)
    said = _first_match(_INIT, "user-space-2", console, stamps, kernel.ns) if kernel is not None else None
    if user is not None and (said is None or user.ns >= said.ns):
        found.append(Mark("user-space-2", user.ns, user.insns, "first instruction in user space behind kexec"))
    elif said is not None:
        found.append(said)
    return found


def with_real_switch(found: list[Mark], console: bytes, stamps: Stamps) -> list[Mark]:
    """Return the marks of a kernel whose initramfs can be left by pivot_root(), which sandboxed services call too.

    systemd's own line says when it leaves. A chroot() behind the first pivot_root() may be any service's, and tells
    nothing.
    """
    known = {mark.name: mark.ns for mark in found}
    own = _first_match(_SWITCH_UNIT, "switch-root", console, stamps)
    if own is None and known.get("switch-root", 0) <= known.get("pivot-root", known.get("switch-root", 0)):
        return found
    return [mark for mark in found if mark.name != "switch-root"] + ([own] if own is not None else [])


def _first_match(pattern: re.Pattern[str], name: str, console: bytes, stamps: Stamps, from_ns: int = 0) -> Mark | None:
    for offset, raw in lines_of(console):
        line = OpenLine([pattern])
        line.grow(raw)
        match = line.find(0)
        at = stamps.at(offset + match.end_bytes - 1) if match is not None else None
        if at is not None and at[0] >= from_ns:
            return Mark(name, *_ns_and_insns(at), f"{CONSOLE_SOURCE}{pattern.pattern}")
    return None


def console_marks(system: SystemDescription, stamps: Stamps, console: bytes, known: Mapping[str, int]) -> list[Mark]:
    """Return the marks that lines of the console set: a boot loader's, but for those `known`, the system's.

    `known`: the times of marks that addresses set.
    """
    found: list[Mark] = []
    if loader_marks.speaks(console):
        found += loader_marks.line_marks(split_lines(console, stamps), known, partial(stamp_in, console, stamps))
    kernel_ns = kernel_begin_ns(known)
    # What an initrd's own systemd starts is no stage of the system behind it.
    return found + pattern_marks(system.marks, console, stamps, max(kernel_ns, known.get("switch-root", 0)))


def stamp_in(console: bytes, stamps: Stamps, line: Line, char: int) -> tuple[int, int | None]:
    """Return the time and the instructions at the byte that completes a character of a line."""
    raw = console[line.offset_bytes : line.offset_bytes + LINE_MAX_BYTES]
    at = stamps.at(line.offset_bytes + length_in_bytes(raw, char + 1) - 1)
    return (line.first_ns or 0, line.insns) if at is None else _ns_and_insns(at)


def _ns_and_insns(at: tuple[int, int]) -> tuple[int, int | None]:
    return at[0], at[1] if at[1] >= 0 else None


def pattern_marks(named: tuple[tuple[str, str], ...], console: bytes, stamps: Stamps, kernel_ns: int) -> list[Mark]:
    """Return the marks of the patterns that were printed, at the byte that completes the text.

    `named`: each mark's name and pattern. `kernel_ns`: when the kernel had begun, or the initrd had been left. What was
    printed before it does not begin a stage of user space, whatever it says: firmware, boot loaders and initrds say
    much.
    """
    patterns = [re.compile(pattern) for _, pattern in named]
    found: dict[int, Mark] = {}
    for offset, raw in lines_of(console) if patterns else ():
        line = OpenLine(patterns)
        line.grow(raw)
        for number, (name, pattern) in enumerate(named):
            match = line.find(number) if number not in found else None
            at = stamps.at(offset + match.end_bytes - 1) if match is not None else None
            if at is not None and (name not in USER_SPACE_MARKS or at[0] >= kernel_ns):
                found[number] = Mark(name, *_ns_and_insns(at), f"{CONSOLE_SOURCE}{pattern}")
        if len(found) == len(patterns):
            break
    return [found[number] for number in sorted(found)]
