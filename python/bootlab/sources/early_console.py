# SPDX-License-Identifier: MIT
"""`earlycon=` and `earlyprintk=`: an address of one board's port, which another machine does not have.

A kernel that writes to an address where nothing is stops there, before it has printed a byte.
"""

from __future__ import annotations

import re

import msgspec

from bootlab.model.cmdline import CommandLine
from bootlab.sources.boards import QemuBoard

_KEYS = ("earlycon", "earlyprintk")
_ADDRESS = re.compile(r"(?:^|,)(0x[0-9a-fA-F]{4,16})")
# QEMU hw/arm/virt.c, hw/riscv/virt.c: the first serial port.
_VIRT_PORTS = {"arm": 0x09000000, "arm64": 0x09000000, "riscv64": 0x10000000}


def foreign(line: CommandLine, machine: str, arch: str) -> tuple[str, ...]:
    """Return the parameters that name an address at which a machine has no serial port; () where that is not known."""
    port = _VIRT_PORTS.get(arch) if machine.startswith("virt") else None
    found = []
    for param in line.params if port is not None else ():
        address = _ADDRESS.search(param.value or "") if param.key in _KEYS else None
        if address is not None and int(address[1], 16) != port:
            found.append(f"{param.key}={param.value}")
    return tuple(found)


def translated(line: CommandLine, board: QemuBoard) -> tuple[CommandLine, str]:
    """Return the command line with the early console of the machine instead of the board's, and what was changed."""
    wrong = foreign(line, board.machine, board.arch)
    if not wrong:
        return line, ""
    kept = tuple(param for param in line.params if f"{param.key}={param.value}" not in wrong)
    line = msgspec.structs.replace(line, params=kept).with_param("earlycon")
    old = " ".join(wrong)
    return line, f"{old} became earlycon: {board.machine} has no port at that address; its device tree names one"
