# SPDX-License-Identifier: MIT
"""A shutdown as what is measured: how a system is asked to go down; the keys of `[shutdown]`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bootlab.model.key import Range, key

Ask = Literal["power-button", "ctrl-alt-del", "typed"]
"""How a system is asked to go down."""

Until = Literal["off", "goal"]
"""Where it ends: the machine is off or restarts, or the goal comes once more with the power on."""

TYPED = "what is typed on the console, as one line, where it is `typed`: a shell must wait there (`poweroff`)"


class Shutdown(msgspec.Struct, frozen=True, kw_only=True):
    """How the system is asked to go down, and when."""

    ask: Annotated[
        Ask,
        key(
            "how it is asked. `power-button`: the board's button is pressed (ACPI, or a GPIO key). `ctrl-alt-del`: "
            "these keys, on a PC's keyboard. `typed`: `typed` is written on the console"
        ),
    ] = "power-button"
    typed: Annotated[str, key(TYPED)] = ""
    after_goal_s: Annotated[
        int,
        key(
            "virtual seconds between the goal and that, in which what the boot started comes to rest; 1 to 86400",
            within=Range(1, 86_400, "virtual seconds: 10"),
        ),
    ] = 10

    until: Annotated[
        Until,
        key(
            "where it ends. `off`: the kernel's last function. `goal`: the goal once more, for restarts that keep the "
            "power on: kexec (`systemctl kexec`), systemd's soft reboot (`systemctl soft-reboot`)"
        ),
    ] = "off"


OFF_FUNCTIONS = ("machine_power_off", "machine_restart", "machine_halt")
"""The kernel's last: none of its code runs behind them (kernel/reboot.c)."""

DOWN_FUNCTIONS = ("kernel_power_off", "kernel_restart", "kernel_halt", "kernel_kexec", *OFF_FUNCTIONS)
"""Functions of the kernel that a shutdown comes to, and whose first instruction is a mark."""

_LAST_PROCESSES = (
    r"Sending SIGTERM to remaining processes",
    r"Sent SIGTERM to all processes",
    r"The system is going down NOW",
    r"[Aa]sking all remaining processes to terminate",
)
SOFT_REBOOT = r"\bSoft-rebooting\b|Reached target .*Reboot System Userspace"
"""systemd's src/core/main.c, and before it its unit soft-reboot.target: the last of these lines counts."""
DOWN_PATTERNS = (
    ("last-processes", "|".join(_LAST_PROCESSES)),
    ("unmounting", r"Unmounting file systems|Unmounting local filesystems"),
)
"""Lines that begin a stage: systemd's src/shutdown/shutdown.c, BusyBox's init/init.c, the scripts of sysvinit."""
