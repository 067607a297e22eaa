"""Build the kernel without tracers."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class TracingOff(OptionTechnique):
    """Call sites, event tables and tracefs all go."""

    id = "tracing-off"
    title = "Kernel without tracing"
    stage = "kernel"
    what = "Builds without CONFIG_FTRACE."
    why = "The boot patches or lists every traced call site, makes the event tables and allocates ring buffers."
    when_not = "Somebody traces this system."
    cost = "No ftrace, no trace events, no perf probes."
    risk = Risk(debuggability="no ftrace and no kprobe events on this kernel")
    sets = (("FTRACE", "n"),)
    because = "tracers are built in"
    gone = r"ftrace: allocating"
    published = (
        Published("-550 ms, -217 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),
        Published("maybe 0.5 s with other debugging", "SDM845", "comma.ai: fast boot"),
    )
    references = ("kernel/trace/Kconfig: FTRACE",)
