# SPDX-License-Identifier: MIT
"""An early console at an address where the machine has no port: the kernel stops before it prints a byte."""

from __future__ import annotations

from bootlab.launch.boot_plan import BootPlan
from bootlab.sources.early_console import foreign


def check(plan: BootPlan) -> tuple[str, str] | None:
    """Return why the early console stops the kernel, and the way out; None when it does not, or nobody knows."""
    machine = plan.system.machine
    wrong = foreign(plan.system.cmdline, machine.type, machine.arch)
    if not wrong:
        return None
    return (
        f"{wrong[0]} names a serial port that {machine.type} does not have: the kernel stops at its first word",
        "leave it out of kernel.cmdline, or write earlycon alone: the machine's device tree names the port",
    )
