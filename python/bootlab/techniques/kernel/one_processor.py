"""Boot on one processor."""

from __future__ import annotations

from bootlab.model.change import Change, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog, appeared, differs, either


class OneProcessor(Technique):
    """Bringing a processor up takes milliseconds; one that is never used need not be."""

    id = "one-processor"
    title = "One processor only"
    stage = "kernel"
    what = "Sets `nr_cpus=1`, or `nosmp`, which also leaves the IO-APIC off on x86."
    why = (
        "Each processor is woken, calibrated and synchronised; `nosmp` also skips the set-up of interrupts for several."
    )
    when_not = "The application uses the other processors."
    cost = "Interrupts go through the old PIC with `nosmp` on x86."
    risk = Risk(
        function="the other processors are never used; with `nosmp` devices that need MSI or IO-APIC lines may fail"
    )
    proof = "kernel-log"
    published = (
        Published("-126 ms with CONFIG_SMP=n", "BeagleBone Black", "Bootlin boot-time training"),
        Published("about 8 ms a processor", "x86", "Linux Plumbers 2019, F. Tang"),
    )
    references = ("kernel/smp.c: nosmp(), nrcpus()", "arch/x86/kernel/smpboot.c: native_smp_prepare_cpus()")

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel brings up several processors, or sets up interrupts for several."""
        cmdline = context.system.cmdline
        if cmdline.has("nosmp") or cmdline.value("maxcpus") == "0":
            return Applies.no("SMP is switched off already", "nosmp")
        if context.enabled("SMP") is False:
            return Applies.no("the kernel is built for one processor", "CONFIG_SMP is not set")
        log = KernelLog.of(context)
        cpus = log.match(r"smp: Brought up \d+ nodes?, (\d+) CPUs?")
        if cpus is None:
            return Applies.unknown(log.why_silent() or "it does not show how many processors are brought up")
        if cpus[1] != "1":
            return Applies.yes("several processors are brought up", cpus.string)
        if line := log.line(r"\.\.TIMER: vector=|APIC: Switch to symmetric I/O mode setup$"):
            return Applies.yes("one processor, set up as one of several", line)
        return Applies.no("there is one processor", cpus.string)

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose both parameters: they do different things to interrupts."""
        return (
            Change(technique=self.id, ops=(SetParam("nr_cpus", "1"),), label="nr_cpus"),
            Change(technique=self.id, ops=(SetParam("nosmp"),), label="nosmp"),
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by SMP mode that is deactivated, or by the number of processors."""
        return either(
            appeared(before, after, r"APIC: SMP mode deactivated|smpboot: SMP disabled"),
            differs(before, after, r"smp: Brought up \d+ nodes?, (\d+) CPUs?"),
            differs(before, after, r"smpboot: Allowing (\d+) CPUs"),
        )
