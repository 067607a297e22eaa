# SPDX-License-Identifier: MIT
"""Which serial port a board's device tree makes the console, and which of QEMU's ports that is.

A board that only shares its chip with the one that QEMU models often has its console elsewhere.
"""

from __future__ import annotations

import re

import msgspec

from bootlab.formats.device_tree import DeviceTreeFacts, TreeSerialPort
from bootlab.sources.boards import QemuBoard


class ConsolePort(msgspec.Struct, frozen=True):
    """A port: the kernel's name of it (`ttymxc0`), its number among QEMU's, and what says that it is the console."""

    name: str
    number: int
    reason: str


def of_tree(board: QemuBoard, tree: DeviceTreeFacts) -> ConsolePort | None:
    """Return the port that a device tree names; None where it names none, or none that the machine has."""
    for serial, reason in _named(board, tree):
        found = _on(board, serial)
        if found is not None:
            return ConsolePort(*found, reason)
    return None


def with_port(board: QemuBoard, tree: DeviceTreeFacts | None) -> QemuBoard:
    """Return the board with the console where its device tree has it."""
    found = of_tree(board, tree) if tree is not None and not board.own_tree else None
    return board if found is None else msgspec.structs.replace(board, port=found.name, console_port=found.number)


def number_of(board: QemuBoard, tree: DeviceTreeFacts, name: str) -> int | None:
    """Return the number among QEMU's ports of the one that the kernel calls by a name; None where nothing says it."""
    return next((found[1] for serial in tree.serials if (found := _on(board, serial)) and found[0] == name), None)


def _named(board: QemuBoard, tree: DeviceTreeFacts) -> list[tuple[TreeSerialPort, str]]:
    by_path = [(s, "stdout-path") for s in tree.serials if s.path == tree.stdout]
    names = re.findall(r"(?:^|\s)console=([^\s,]+)", tree.bootargs)
    by_words = [(s, "bootargs") for s in tree.serials if (_on(board, s) or ("",))[0] in names]
    if by_path or by_words:
        return [*by_path, *by_words]
    usual = board.ports[board.console_port].address if board.console_port < len(board.ports) else None
    if any(s.address == usual and s.enabled for s in tree.serials):
        return []
    return [(s, "the first port that is on") for s in tree.serials if s.enabled][:1]


def _on(board: QemuBoard, serial: TreeSerialPort) -> tuple[str, int] | None:
    found = next((i for i, port in enumerate(board.ports) if port.address == serial.address), None)
    return None if found is None else (f"{board.ports[found].name}{serial.number}", found)
