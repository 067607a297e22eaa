"""What of a device tree cannot work, before a silent machine shows it: none at all, or that of another board."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError
from bootlab.sources import boards, device_tree
from bootlab.targets.base import BootPlan

# Since 4.0, the boards of this table are described by a device tree only (arch/arm/mach-*).
_SINCE = (4, 0)


def check(plan: BootPlan) -> tuple[str, str] | None:
    """Return what is wrong with the machine's device tree and the way out; None when nothing is certain to be."""
    launch, machine = plan.launch, plan.system.machine
    board = boards.of_machine(machine.type, machine.arch)
    if launch is None or board is None or board.own_tree or launch.extra or launch.kernel is None:
        return None
    if launch.dtb is None:
        return _none(plan, board)
    try:
        found = device_tree.facts_of(Path(launch.dtb))
    except UserError as error:
        return (
            f"the device tree cannot be read: {error.message}",
            "give a .dtb file, as `dtc` or the kernel's make dtbs writes",
        )
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


def _none(plan: BootPlan, board: boards.Board) -> tuple[str, str] | None:
    info, kernel = plan.info, plan.system.kernel
    # Behind a zImage may be a device tree; other kernels say nothing about one.
    sure = info.kind == "arm-zimage" and info.size_bytes and not info.behind_bytes and info.numbers >= _SINCE
    if not sure or kernel.build is not None or kernel.flash is not None or plan.system.loader is not None:
        return None
    return (
        f"{board.machine} has no device tree, and a kernel for it does not start without one",
        f'set machine.dtb to the kernel\'s .dtb file of the board ("{board.compatible[0]}")',
    )
