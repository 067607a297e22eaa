"""Do not wait for suppliers that never come."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.evidence import KernelLog, either, interval_shrank, vanished
from bootlab.techniques.parameter import ParameterTechnique

_PENDING = r"deferred probe pending|deferred probe timeout, ignoring dependency"


class DeferredProbeTimeout(ParameterTechnique):
    """A kernel with modules waits 10 s for drivers that a deferred device depends on."""

    id = "deferred-probe-timeout"
    title = "No wait for deferred probes"
    stage = "kernel"
    what = "Sets `deferred_probe_timeout=0`: optional suppliers are given up when the initcalls are done."
    why = (
        "A device whose optional supplier has no driver stays deferred for the whole time-out, and what uses it waits."
    )
    when_not = "No device is deferred, or the supplier's driver comes later as a module."
    cost = "None where nothing is missing."
    risk = Risk(function="a device whose supplier's driver is a module comes up without it, or not at all")
    kernels = "4.19 and later; the default is 10 s with modules since 6.0, 0 without"
    proof = "kernel-log"
    sets = (Param("deferred_probe_timeout", "0"),)
    published = (Published("more than 0.5 s", "SDM845 (comma 3X)", "github.com/commaai/openpilot issue 30894"),)
    references = ("drivers/base/dd.c: driver_deferred_probe_timeout",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed that probes are pending or timed out."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(_PENDING):
            return Applies.yes("a probe is deferred until the time-out", line)
        if silent := log.why_silent():
            return Applies.unknown(silent)
        return Applies.no("no probe was pending when the recording ended", "no line about a deferred probe")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the message that does not come any more, or by coming at the end of the initcalls."""
        return either(
            vanished(before, after, _PENDING),
            interval_shrank(before, after, r"Run /\S+ as init", _PENDING, least_ns=1_000_000_000),
        )
