"""Do not look for memory nodes."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence
from bootlab.techniques.evidence import KernelLog, appeared
from bootlab.techniques.parameter import ParameterTechnique


class NumaOff(ParameterTechnique):
    """One node is assumed without reading the tables."""

    id = "numa-off"
    title = "No search for memory nodes"
    stage = "kernel"
    what = "Sets `numa=off`."
    why = "The SRAT and the processor's own registers are not searched for nodes."
    when_not = "The machine has several nodes: memory would be allocated far from its user."
    cost = "None on a machine with one node."
    sets = (Param("numa", "off"),)
    architectures = ("x86_64",)
    references = ("arch/x86/mm/numa.c: dummy_numa_init(), x86_numa_init()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel searched and found nothing."""
        if answer := self.already(context):
            return answer
        if context.enabled("NUMA") is False:
            return Applies.no("the kernel knows no nodes", "CONFIG_NUMA is not set")
        log = KernelLog.of(context)
        if line := log.line(r"No NUMA configuration found"):
            return Applies.yes("the kernel looks for nodes and finds none", line)
        if line := log.line(r"NUMA: Node \d+ \[mem|SRAT: Node \d+ PXM"):
            return Applies.no("the machine has memory nodes", line)
        return Applies.unknown(log.why_silent()) if log.why_silent() else Applies.no("no search was printed", "NUMA")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's own word."""
        return appeared(before, after, r"NUMA turned off")
