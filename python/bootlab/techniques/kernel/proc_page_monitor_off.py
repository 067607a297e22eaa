"""Build the kernel without page monitoring."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class ProcPageMonitorOff(OptionTechnique):
    """smaps, pagemap and kpageflags go."""

    id = "proc-page-monitor-off"
    title = "Kernel without page monitoring"
    stage = "kernel"
    what = "Builds without CONFIG_PROC_PAGE_MONITOR."
    why = "Less code in the image."
    when_not = "Memory use is watched through smaps or pagemap."
    cost = "None otherwise."
    risk = Risk(debuggability="/proc/PID/smaps and pagemap are gone")
    sets = (("PROC_PAGE_MONITOR", "n"),)
    held_by = ("MEM_SOFT_DIRTY", "HWPOISON_INJECT")
    only_if = ("PROC_FS",)
    because = "page monitoring is built in"
    expert = True
    references = ("fs/proc/Kconfig: PROC_PAGE_MONITOR",)
