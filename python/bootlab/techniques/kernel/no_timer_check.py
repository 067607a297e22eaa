"""Trust the timer interrupt without a trial."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence
from bootlab.techniques.evidence import KernelLog, interval_shrank
from bootlab.techniques.parameter import ParameterTechnique

_TIMER = r"\.\.TIMER: vector="


class NoTimerCheck(ParameterTechnique):
    """The IO-APIC code waits ten ticks to see whether the timer interrupt comes."""

    id = "no-timer-check"
    title = "No trial of the timer interrupt"
    stage = "kernel"
    what = "Sets `no_timer_check`."
    why = "The trial (timer_irq_works) spins for ten ticks. It looks for old boards whose tables lie about the pin."
    when_not = "KVM, VMware and Hyper-V guests skip it already; a board with broken tables would not boot."
    cost = "None."
    architectures = ("x86_64",)
    proof = "kernel-log"
    sets = (Param("no_timer_check"),)
    references = ("arch/x86/kernel/apic/io_apic.c: timer_irq_works(), check_timer()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the IO-APIC timer is set up and no hypervisor has switched the trial off."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(
            r"Booting paravirtualized kernel on (?:KVM|VMware)|Hypervisor detected: (?:KVM|VMware|Microsoft)"
        ):
            return Applies.no("the hypervisor's guest code skips it already", line)
        if line := log.line(_TIMER):
            return Applies.yes("the timer's pin is tried out", line)
        if silent := log.why_silent():
            return Applies.unknown(silent)
        return Applies.no("no IO-APIC timer is set up", f"no line with {_TIMER!r}")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the wait after the timer's line: the kernel prints nothing about a trial that worked."""
        return interval_shrank(before, after, _TIMER, "", least_ns=1_000_000, at_most_ns=500_000)
