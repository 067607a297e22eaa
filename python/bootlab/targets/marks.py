"""Marks of a boot: instructions of the kernel found by symbol, and console patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bootlab.builders.kernelinfo import CHROOT, KernelInfo
from bootlab.model.recording import Mark
from bootlab.model.system import System
from bootlab.targets import load_address, loader_marks
from bootlab.targets.console import split_lines
from bootlab.targets.stamps import MAX_MARKS, USER_MARK, Stamps

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
}
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
    system: System, info: KernelInfo, watch: tuple[str, ...] = (), of_loader: dict[str, int] | None = None
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
    chroot = next((info.symbols[name] for name in CHROOT if name in info.symbols), None)
    if chroot is not None and _switches_root(system):
        marks["switch-root"] = chroot
    watched = {name: info.symbols[name] for name in watch if name in info.symbols}
    room = MAX_MARKS - len(marks)
    marks |= dict(list(watched.items())[:room])
    left = list(watched)[room:]
    return marks, (f"marks of {len(left)} functions: the plugin takes {MAX_MARKS} ({', '.join(left)})",) if left else ()


def _switches_root(system: System) -> bool:
    """Tell whether an initramfs mounts another root: elsewhere, chroot() is what a service does.

    run-init of klibc, switch_root of BusyBox and util-linux, and systemd all move the mount and call chroot():
    pivot_root() cannot leave an initramfs.
    """
    return (system.initramfs is not None or system.initrd is not None) and (
        system.root is not None or system.cmdline.has("root")
    )


def _entries(system: System, info: KernelInfo) -> dict[str, int]:
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


def read_marks(system: System, names: tuple[str, ...], stamps: Stamps, console: bytes) -> tuple[Mark, ...]:
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
    found += console_marks(system, stamps, console, {mark.name: mark.ns for mark in found})
    return tuple(sorted(found, key=lambda m: m.ns))


def console_marks(system: System, stamps: Stamps, console: bytes, known: Mapping[str, int]) -> list[Mark]:
    """Return the marks that lines of the console set: a boot loader's, but for those `known`, the system's.

    `known`: the times of marks that addresses set.
    """
    spoken = loader_marks.speaks(console)
    lines = split_lines(console, stamps) if system.marks or spoken else ()
    found = list(loader_marks.line_marks(lines, known)) if spoken else []
    for name, pattern in system.marks:
        compiled = re.compile(pattern)
        line = next((x for x in lines if compiled.search(x.text)), None)
        if line is not None and line.first_ns is not None:
            found.append(Mark(name, line.first_ns, line.insns, f"{CONSOLE_SOURCE}{pattern}"))
    return found
