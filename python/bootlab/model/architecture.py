# SPDX-License-Identifier: MIT
"""What an architecture brings along: its emulator, usual machine and processor, and the limits of its kernels."""

from __future__ import annotations

from typing import Literal

import msgspec

Arch = Literal["x86_64", "arm", "arm64", "riscv64"]


class Architecture(msgspec.Struct, frozen=True, kw_only=True):
    """One architecture, under the names that Linux, QEMU and Debian have for it.

    `cmdline_bytes`: COMMAND_LINE_SIZE, its closing NUL included. `kaslr`: whether the kernel can move itself, which
    `nokaslr` forbids. `image_kinds`: kernel images that QEMU's `-kernel` loads, in bootlab._core's words.
    """

    name: Arch
    emulator: str
    emulator_package: str
    machine_type: str
    cpu: str
    cmdline_bytes: int
    cmdline_source: str
    kaslr: bool
    kernel_archs: frozenset[str]
    image_kinds: frozenset[str]
    console: str
    compiler: str
    compiler_packages: str
    host_names: frozenset[str]


ARCHITECTURES: dict[str, Architecture] = {
    a.name: a
    for a in (
        Architecture(
            name="x86_64",
            emulator="qemu-system-x86_64",
            emulator_package="qemu-system-x86",
            machine_type="q35",
            cpu="max",
            cmdline_bytes=2048,
            cmdline_source="arch/x86/include/asm/setup.h",
            kaslr=True,
            kernel_archs=frozenset({"x86", "x86_64"}),
            image_kinds=frozenset({"bz-image", "elf"}),
            console="ttyS0",
            compiler="x86_64-linux-gnu-gcc",
            compiler_packages="gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
            host_names=frozenset({"x86_64"}),
        ),
        Architecture(
            name="arm",
            emulator="qemu-system-arm",
            emulator_package="qemu-system-arm",
            machine_type="virt",
            # The newest 32-bit core of which Debian's armhf kernel knows every register.
            cpu="cortex-a15",
            cmdline_bytes=1024,
            cmdline_source="arch/arm/include/uapi/asm/setup.h",
            kaslr=False,
            kernel_archs=frozenset({"arm"}),
            image_kinds=frozenset({"arm-zimage", "uimage"}),
            console="ttyAMA0",
            compiler="arm-linux-gnueabihf-gcc",
            compiler_packages="gcc-arm-linux-gnueabihf libc6-dev-armhf-cross",
            host_names=frozenset({"armv7l", "armv8l"}),
        ),
        Architecture(
            name="arm64",
            emulator="qemu-system-aarch64",
            emulator_package="qemu-system-arm",
            machine_type="virt",
            # Not max: its pointer authentication costs the emulator half of its speed, and its RNDR is random.
            cpu="cortex-a72",
            cmdline_bytes=2048,
            cmdline_source="arch/arm64/include/uapi/asm/setup.h",
            kaslr=True,
            kernel_archs=frozenset({"arm64"}),
            image_kinds=frozenset({"arm64-image", "compressed", "uimage"}),
            console="ttyAMA0",
            compiler="aarch64-linux-gnu-gcc",
            compiler_packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            host_names=frozenset({"aarch64"}),
        ),
        Architecture(
            name="riscv64",
            emulator="qemu-system-riscv64",
            # Debian 12 has it in qemu-system-misc, later ones in qemu-system-riscv; both provide this name.
            emulator_package="qemu-system-riscv64",
            machine_type="virt",
            cpu="rv64",
            cmdline_bytes=1024,
            cmdline_source="arch/riscv/include/uapi/asm/setup.h",
            # Kernels since 6.6 can move, by a seed in the device tree that QEMU's machine does not have.
            kaslr=False,
            kernel_archs=frozenset({"riscv"}),
            image_kinds=frozenset({"riscv-image", "uimage"}),
            console="ttyS0",
            compiler="riscv64-linux-gnu-gcc",
            compiler_packages="gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
            host_names=frozenset({"riscv64"}),
        ),
    )
}
