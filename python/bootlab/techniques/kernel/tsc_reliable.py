"""Take the time stamp counters of all processors for synchronous."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence
from bootlab.techniques.evidence import KernelLog, interval_shrank
from bootlab.techniques.parameter import ParameterTechnique


class TscReliable(ParameterTechnique):
    """Each further processor's counter is compared with the first one's for 2 or 20 milliseconds."""

    id = "tsc-reliable"
    title = "Time stamp counter taken as reliable"
    stage = "kernel"
    what = "Sets `tsc=reliable`."
    why = "A measuring loop (check_tsc_sync_source) runs against every processor that is brought up."
    when_not = "There is one processor: nothing is compared, and what is left of the parameter works after boot."
    cost = "A counter that drifts is not noticed any more: time goes wrong."
    architectures = ("x86_64",)
    proof = "kernel-log"
    sets = (Param("tsc", "reliable"),)
    references = (
        "arch/x86/kernel/tsc_sync.c: check_tsc_sync_source()",
        "arch/x86/kernel/tsc.c: check_system_tsc_reliable()",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when several processors are brought up by the kernel."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(r"tsc: Marking TSC unstable"):
            return Applies.no("the counter is known to be unusable", line)
        found = log.match(r"smp: Brought up \d+ nodes?, (\d+) CPUs?")
        if found is None:
            return Applies.unknown(log.why_silent() or "it does not show how many processors are brought up")
        if found[1] == "1":
            return Applies.no("one processor: there is no second counter to compare", found.string)
        return Applies.yes("each further processor's counter is compared", found.string)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the time that bringing up the other processors takes: the comparison prints nothing."""
        return interval_shrank(
            before, after, r"smp: Bringing up secondary CPUs", r"smp: Brought up", least_ns=15_000_000
        )
