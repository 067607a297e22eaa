# SPDX-License-Identifier: MIT
"""Kernel parameters compiled into the kernel (CONFIG_CMDLINE), and how they meet those of the boot loader.

Read in Linux 6.1. With a device tree, `drivers/of/fdt.c: early_init_dt_scan_chosen()` decides for ARM, AArch64 and
RISC-V: the compiled-in line is a fallback for a boot loader that passes none, or with CMDLINE_EXTEND it is appended to
the boot loader's line. The kernel takes the last of two equal parameters, so that an appended one wins, although
`arch/arm/Kconfig` says the reverse (true only of ATAGS, `arch/arm/kernel/atags_parse.c`). On x86
`arch/x86/kernel/setup.c: setup_arch()` puts the compiled-in line in front: the boot loader's wins.
"""

from __future__ import annotations

from typing import Literal

from bootlab.errors import UserError
from bootlab.model.architecture import Arch
from bootlab.model.kernel_change import SetKernelOptions

CompiledWay = Literal["in-front", "fallback", "appended"]
"""`in-front`: the boot loader's parameters follow and win. `fallback`: taken only when the boot loader passes no line.
`appended`: follows the boot loader's line and wins."""

WAYS: dict[Arch, tuple[CompiledWay, ...]] = {
    "x86_64": ("in-front",),
    "arm": ("fallback", "appended"),
    "arm64": ("fallback",),
    "riscv64": ("fallback", "appended"),
}
"""What each architecture offers, first the one that lets the boot loader's line win."""

_CHOICES: dict[tuple[Arch, CompiledWay], str] = {
    ("x86_64", "in-front"): "CMDLINE_BOOL",
    ("arm", "fallback"): "CMDLINE_FROM_BOOTLOADER",
    ("arm", "appended"): "CMDLINE_EXTEND",
    ("arm64", "fallback"): "CMDLINE_FROM_BOOTLOADER",
    ("riscv64", "fallback"): "CMDLINE_FALLBACK",
    ("riscv64", "appended"): "CMDLINE_EXTEND",
}


def compiled_in(arch: Arch, way: CompiledWay, line: str) -> SetKernelOptions:
    """Return the options that compile a command line in. Raise UserError for a way that the architecture has not."""
    choice = _CHOICES.get((arch, way))
    if choice is None:
        raise UserError(
            f"an {arch} kernel cannot take a compiled-in command line {way}", hint=f"it can: {', '.join(WAYS[arch])}"
        )
    quoted = line.replace("\\", "\\\\").replace('"', '\\"')
    return SetKernelOptions((("CMDLINE", f'"{quoted}"'), (choice, "y")))


def adding(arch: Arch) -> CompiledWay | None:
    """Return the way that adds a parameter to whatever the boot loader passes; None where there is none."""
    return next((way for way in WAYS[arch] if way != "fallback"), None)
