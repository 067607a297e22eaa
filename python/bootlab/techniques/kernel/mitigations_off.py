"""Switch the processor's mitigations off."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, vanished
from bootlab.techniques.parameter import ParameterTechnique

_MITIGATION = r"^[\w ]{2,40}: (?:Mitigation: |Spectre v2 / )"


class MitigationsOff(ParameterTechnique):
    """Retpolines, page table isolation and their like cost every system call."""

    id = "mitigations-off"
    title = "Processor mitigations off"
    stage = "kernel"
    what = "Sets `mitigations=off`."
    why = "System calls, interrupts and indirect calls get cheaper, which user space start-up makes many of."
    when_not = "Any code that is not trusted runs on the machine. Nobody has published a boot that got faster by it."
    cost = "None but security."
    risk = Risk(
        security="other programs, guests or web pages can read memory through Spectre, Meltdown, MDS and their kin"
    )
    kernels = "5.2 and later"
    sets = (Param("mitigations", "off"),)
    references = ("kernel/cpu.c: mitigations_parse_cmdline()", "arch/x86/kernel/cpu/bugs.c: cpu_select_mitigations()")

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed a mitigation that it uses."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(_MITIGATION):
            return Applies.yes(f"{log.count(_MITIGATION)} mitigations are in use", line)
        return (
            Applies.unknown(log.why_silent())
            if log.why_silent()
            else Applies.no("none is in use", "no Mitigation: line")
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the mitigations that are not printed any more."""
        return vanished(before, after, _MITIGATION)
