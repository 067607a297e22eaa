"""Leave the HPET alone."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, vanished
from bootlab.techniques.parameter import ParameterTechnique

_HPET = r"clocksource: hpet: mask"


class HpetOff(ParameterTechnique):
    """A machine with a good TSC and a local APIC timer does not need a third clock."""

    id = "hpet-off"
    title = "HPET not used"
    stage = "kernel"
    what = "Sets `hpet=disable`."
    why = "The HPET is not mapped, counted against another clock or registered."
    when_not = "The TSC is unstable, or `noapictimer` leaves the HPET as the only timer."
    cost = "The TSC's early calibration falls back to the PIT or the ACPI timer."
    risk = Risk(function="/dev/hpet is gone, and so is the clock that a bad TSC is checked against")
    architectures = ("x86_64",)
    conflicts = ("no-apic-timer",)
    sets = (Param("hpet", "disable"),)
    references = ("arch/x86/kernel/hpet.c: hpet_enable()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel registered the HPET and also has a TSC."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        line = log.line(_HPET)
        if not line:
            return (
                Applies.unknown(log.why_silent()) if log.why_silent() else Applies.no("no HPET is used", "no hpet line")
            )
        if bad := log.line(r"tsc: Marking TSC unstable|TSC found unstable|Switched to clocksource hpet"):
            return Applies.no("the HPET is the clock that this machine runs on", bad)
        return Applies.yes("the HPET is set up beside the TSC", line)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the clock source that is not registered."""
        return vanished(before, after, _HPET)
