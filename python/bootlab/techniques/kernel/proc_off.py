"""Build the kernel without /proc."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class ProcOff(OptionTechnique):
    """Most programs expect it."""

    id = "proc-off"
    title = "Kernel without /proc"
    stage = "kernel"
    what = "Builds without CONFIG_PROC_FS."
    why = "Every subsystem registers files there; all of that goes."
    when_not = "Any program reads /proc: ps, mount, many libraries."
    cost = "A smaller kernel."
    risk = Risk(function="/proc is gone")
    sets = (("PROC_FS", "n"),)
    because = "/proc is built in"
    expert = True
    published = (Published("-48 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),)
    references = ("fs/proc/Kconfig: PROC_FS",)
