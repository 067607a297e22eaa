# SPDX-License-Identifier: MIT
"""What of a device tree cannot work, before a silent machine shows it: none at all, or that of another board."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats import device_tree, foreign_file
from bootlab.formats.device_tree import DeviceTreeFacts
from bootlab.launch.boot_plan import BootPlan
from bootlab.sources import boards, console_port

# Since 4.0, the boards of this table are described by a device tree only (arch/arm/mach-*).
_SINCE = (4, 0)
_BLOB = "give a .dtb file, as `dtc` or the kernel's make dtbs writes"


def check(plan: BootPlan) -> tuple[str, str] | None:
    """Return what is wrong with the machine's device tree and the way out; None when nothing is certain to be."""
    launch, machine = plan.launch, plan.system.machine
    board = boards.of_machine(machine.type, machine.arch)
    if launch is None or board is None or board.own_tree or launch.extra or launch.kernel is None:
        return None
    if launch.dtb is None:
        return _none(plan, board)
    found = _read(launch.dtb)
    if isinstance(found, tuple):
        return found
    own = {*board.compatible, *board.family}
    if not found.compatible or own.intersection(found.compatible):
        return None
    others = (other for other in boards.BOARDS if {*other.compatible, *other.family}.intersection(found.compatible))
    other = next(others, None)
    if other is None:
        return None
    return (
        f"{launch.dtb} describes {found.model or found.compatible[0]}; the machine is {board.machine}",
        f'set machine.type = "{other.machine}", or give the device tree of {board.compatible[0]}',
    )


def number_of_port(plan: BootPlan, name: str, number: int) -> int:
    """Return which of QEMU's ports a name of the kernel's is: the device tree numbers them; else the name's number."""
    machine = plan.system.machine
    board = boards.of_machine(machine.type, machine.arch)
    dtb = plan.launch.dtb if plan.launch is not None else None
    if board is None or dtb is None or not board.ports:
        return number
    found = _read(dtb)
    place = None if isinstance(found, tuple) else console_port.number_of(board, found, name)
    return number if place is None else place


def _read(path: str) -> DeviceTreeFacts | tuple[str, str]:
    """Return what a board's device tree says, or what is wrong with the file."""
    try:
        found = device_tree.facts_of(Path(path))
    except UserError as error:
        other = foreign_file.named(Path(path))
        if other is None or other.kind == "device tree":
            return f"machine.dtb: {error.message}", _BLOB
        return f"{path} is {other.what}, not a device tree", other.hint(path) or _BLOB
    if not found.overlay:
        return found
    return (
        f"{path} is an overlay: it changes a board's device tree and describes no board",
        f"join them: fdtoverlay -i board.dtb -o joined.dtb {path}",
    )


def _none(plan: BootPlan, board: boards.QemuBoard) -> tuple[str, str] | None:
    info, kernel = plan.info, plan.system.kernel
    # Behind a zImage may be a device tree; other kernels say nothing about one.
    sure = info.kind == "arm-zimage" and info.size_bytes and not info.behind_bytes and info.numbers >= _SINCE
    if not sure or kernel.build is not None or kernel.flash is not None or plan.system.loader is not None:
        return None
    return (
        f"{board.machine} has no device tree, and a kernel for it does not start without one",
        f'set machine.dtb to the kernel\'s .dtb file of the board ("{board.compatible[0]}")',
    )
