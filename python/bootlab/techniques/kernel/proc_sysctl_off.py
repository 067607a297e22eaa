"""Build the kernel without /proc/sys."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class ProcSysctlOff(OptionTechnique):
    """No parameter can be set at run time."""

    id = "proc-sysctl-off"
    title = "Kernel without sysctl"
    stage = "kernel"
    what = "Builds without CONFIG_PROC_SYSCTL."
    why = "The tables of run-time parameters need not be registered."
    when_not = "A program or script sets a parameter (sysctl, /proc/sys)."
    cost = "None otherwise."
    risk = Risk(function="/proc/sys is gone")
    sets = (("PROC_SYSCTL", "n"),)
    only_if = ("PROC_FS",)
    because = "run-time parameters are built in"
    expert = True
    references = ("fs/proc/Kconfig: PROC_SYSCTL",)
