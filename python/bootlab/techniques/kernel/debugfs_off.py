"""Build the kernel without debugfs."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class DebugfsOff(OptionTechnique):
    """Subsystems make their files there while booting."""

    id = "debugfs-off"
    title = "Kernel without debugfs"
    stage = "kernel"
    what = "Builds without CONFIG_DEBUG_FS."
    why = "Drivers and subsystems make directories and files there while the kernel boots."
    when_not = "Somebody reads /sys/kernel/debug."
    cost = "None otherwise."
    risk = Risk(debuggability="/sys/kernel/debug is gone")
    sets = (("DEBUG_FS", "n"),)
    # Debugging aids that select it. What else does (SUNRPC_DEBUG, drivers) is left to who configures the kernel.
    held_by = (
        "BLK_DEV_IO_TRACE",
        "DEBUG_KMEMLEAK",
        "PAGE_OWNER",
        "NOTIFIER_ERROR_INJECTION",
        "FAIL_FUTEX",
        "KCOV",
        "ARM_PTDUMP_DEBUGFS",
        "ZSMALLOC_STAT",
    )
    because = "debugfs is built in"
    references = ("lib/Kconfig.debug: DEBUG_FS",)
