# SPDX-License-Identifier: MIT
"""Where the memory of a board starts."""

from __future__ import annotations

from bootlab.model.system import Machine

# hw/arm of QEMU: what each board's file gives to arm_load_kernel() as the start of RAM (loader_start).
_ARM_RAM = {
    "virt": 0x40000000,
    "vexpress-a9": 0x60000000,
    "vexpress-a15": 0x80000000,
    "versatilepb": 0,
    "sabrelite": 0x10000000,
    "mcimx6ul-evk": 0x80000000,
    "mcimx7d-sabre": 0x80000000,
    "orangepi-pc": 0x40000000,
    "bpim2u": 0x40000000,
    "cubieboard": 0x40000000,
    "xilinx-zynq-a9": 0,
    "ast2600-evb": 0x80000000,
    **dict.fromkeys(("raspi0", "raspi1ap", "raspi2b", "raspi3ap", "raspi3b"), 0),
}
# hw/riscv/virt.c of QEMU.
_RISCV_RAM = {"virt": 0x80000000}
_RAM = {"arm": _ARM_RAM, "arm64": _ARM_RAM, "riscv64": _RISCV_RAM}


def board(machine: Machine) -> str:
    """Return the board's name without its version (`virt-7.2` is a `virt`)."""
    return machine.type.partition("-")[0] if machine.type.startswith("virt-") else machine.type


def ram_start(machine: Machine) -> int | None:
    """Return the physical address of the first byte of RAM; None for a board that is not known, and for PCs."""
    return _RAM.get(machine.arch, {}).get(board(machine))
