"""Do not start the lockup detectors."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, vanished
from bootlab.techniques.parameter import ParameterTechnique

_ENABLED = r"NMI watchdog: Enabled\. Permanently consumes one hw-PMU counter"


class Nowatchdog(ParameterTechnique):
    """The hard lockup detector takes a counter of the performance unit on each processor."""

    id = "nowatchdog"
    title = "Lockup detectors off"
    stage = "kernel"
    what = "Sets `nowatchdog`."
    why = "Each processor gets a performance event and a timer when it comes up."
    when_not = "There is no usable performance unit: then only a timer is left to save."
    cost = "None at run time."
    risk = Risk(function="a processor that hangs is not noticed and not reported")
    kernels = "2.6.36 and later"
    sets = (Param("nowatchdog"),)
    references = ("kernel/watchdog.c: nowatchdog_setup()", "kernel/watchdog_hld.c: hardlockup_detector_perf_enable()")

    def applies(self, context: Context) -> Applies:
        """Yes when the hard lockup detector was enabled."""
        if answer := self.already(context):
            return answer
        if context.enabled("LOCKUP_DETECTOR") is False:
            return Applies.no("the kernel has no lockup detectors", "CONFIG_LOCKUP_DETECTOR is not set")
        log = KernelLog.of(context)
        if line := log.line(_ENABLED):
            return Applies.yes("the hard lockup detector takes a counter", line)
        if line := log.line(r"Perf NMI watchdog permanently disabled"):
            return Applies.no("the hard lockup detector found no counter: there is only a timer left", line)
        return Applies.unknown(log.why_silent() or "the kernel did not print whether a detector was started")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the detector that is not enabled. The soft lockup detector says nothing either way."""
        return vanished(before, after, _ENABLED)
