"""Leave the local APIC timer alone and tick with the HPET."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence
from bootlab.techniques.evidence import KernelLog, appeared
from bootlab.techniques.parameter import ParameterTechnique


class NoApicTimer(ParameterTechnique):
    """The local APIC timer's frequency is measured over a tenth of a second at every boot."""

    id = "no-apic-timer"
    title = "No calibration of the local APIC timer"
    stage = "kernel"
    what = "Sets `noapictimer`: the HPET stays the source of timer interrupts."
    why = "It (calibrate_APIC_clock) counts the timer over LAPIC_CAL_LOOPS ticks: 100 ms of waiting before init."
    when_not = (
        "There are several processors (each then waits for broadcast ticks), there is no HPET, or the frequency is "
        "known without measuring (TSC deadline timer, hypervisor, CPUID)."
    )
    cost = "Setting the next timer interrupt at run time goes to the HPET, which is slower than the local APIC."
    architectures = ("x86_64",)
    conflicts = ("hpet-off",)
    proof = "kernel-log"
    sets = (Param("noapictimer"),)
    references = (
        "arch/x86/kernel/apic/apic.c: setup_boot_APIC_clock(), calibrate_APIC_clock()",
        "Documentation/admin-guide/kernel-parameters.txt: noapictimer",
    )

    def applies(self, context: Context) -> Applies:  # noqa: PLR0911 - one answer a reason
        """Yes with one possible processor, an HPET, and no deadline timer."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(r"TSC deadline timer available|lapic timer already calibrated"):
            return Applies.no("the APIC timer is not calibrated here", line)
        if line := log.line(r"Booting paravirtualized kernel on (?:KVM|VMware)|Hypervisor detected: Microsoft"):
            return Applies.unknown("a hypervisor may give the timer's frequency; the log does not tell", line)
        cpus = log.match(r"smpboot: Allowing (\d+) CPUs")
        if cpus is not None and cpus[1] != "1":
            return Applies.no("several processors would share one broadcast timer", cpus.string)
        hpet = log.line(r"clocksource: hpet: mask|hpet0: at MMIO")
        if not hpet:
            silent = log.why_silent()
            return Applies.unknown(silent) if silent else Applies.no("there is no HPET to tick with", "no hpet line")
        if cpus is None and not log.match(r"Brought up 1 node, 1 CPU"):
            return Applies.unknown("it does not show how many processors are possible", hpet)
        return Applies.yes("one processor, an HPET, and no deadline timer", hpet)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's own word in place of the calibration."""
        return appeared(before, after, r"Disabling APIC timer")
