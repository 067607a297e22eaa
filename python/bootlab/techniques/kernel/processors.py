# SPDX-License-Identifier: MIT
"""Processors and nodes: how many are brought up, and what that sets up."""

from __future__ import annotations

from bootlab.model.change import Change, SetParam
from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog, appeared, differs, either, never_called, quote
from bootlab.techniques.missing import NO_PROCESSOR_COUNT
from bootlab.techniques.parameter import ParameterRow, ParameterTechnique, Sign

_PATCHING = "alternatives_smp_module_add"

BROUGHT_UP = r"smp: Brought up \d+ nodes?, (\d+) CPUs?"
"""kernel/smp.c: smp_init()."""

ALLOWED = r"smpboot: Allowing (\d+) CPUs"
"""arch/x86/kernel/smpboot.c: prefill_possible_map()."""

_FREEING = r"Freeing SMP alternatives memory"


class NoreplaceSmp(ParameterTechnique):
    """A kernel for several processors that finds one removes the lock prefix in thousands of places."""

    id = "noreplace-smp"
    title = "Lock prefixes left in place"
    what = "Sets `noreplace-smp`."
    why = "On one processor the kernel patches the lock prefixes out, place by place, and synchronises each cache line."
    when_not = "Several processors are present: then nothing is patched."
    cost = "Atomic operations keep their lock prefix: slightly slower at run time on one processor."
    risk = Risk(runtime="atomic operations keep a lock prefix that one processor does not need")
    architectures = ("x86_64",)
    proof = "recording"
    proof_symbols = (_PATCHING,)
    sets = (Param("noreplace-smp"),)
    references = ("arch/x86/kernel/alternative.c: alternative_instructions(), alternatives_smp_module_add()",)

    def applies(self, context: Context) -> Applies:
        """Yes when an SMP kernel found one processor."""
        if answer := self.already(context):
            return answer
        if context.enabled("SMP") is False:
            return Applies.no("the kernel is built for one processor", "CONFIG_SMP is not set", options=("SMP",))
        log = KernelLog.of(context)
        cpus = log.match(BROUGHT_UP)
        if cpus is None:
            return log.unknown(NO_PROCESSOR_COUNT)
        if cpus[1] != "1":
            return Applies.no("several processors: nothing is patched", cpus.string)
        line = log.line(_FREEING)
        if not line:
            return Applies.no("the kernel has no SMP alternatives", f"no {_FREEING!r}")
        return Applies.yes("an SMP kernel is patched for one processor", line)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the function that does the patching: nothing is printed, and the time varies with the ticks."""
        return never_called(before, after, _PATCHING)


class OneProcessor(Technique):
    """Bringing a processor up takes milliseconds; one that is never used need not be."""

    id = "one-processor"
    title = "One processor only"
    addresses = ("secondary-processors",)
    stage = "kernel"
    what = "Sets `nr_cpus=1`, or `nosmp`, which on x86 also leaves the IO-APIC off."
    why = (
        "Each processor has to be woken, calibrated and synchronised. `nosmp` also skips setting up interrupts for "
        "several processors."
    )
    when_not = "The application uses the other processors."
    conflicts = ("processors-later",)
    cost = "On x86, `nosmp` sends interrupts through the old PIC."
    risk = Risk(
        function=("the other processors are never used; with `nosmp`, devices that need MSI or IO-APIC lines may fail"),
        runtime="one processor does all work",
    )
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
            return Applies.no("the kernel is built for one processor", "CONFIG_SMP is not set", options=("SMP",))
        log = KernelLog.of(context)
        cpus = log.match(BROUGHT_UP)
        if cpus is None:
            return log.unknown(NO_PROCESSOR_COUNT)
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
            differs(before, after, BROUGHT_UP),
            differs(before, after, ALLOWED),
        )


class ProcessorsLater(Technique):
    """A processor that the goal does not need can be brought up behind it."""

    id = "processors-later"
    title = "Other processors brought up after the goal"
    stage = "kernel"
    what = "Sets `maxcpus=1`; on machines with more than two processors also `maxcpus=2`."
    why = (
        "Processors are brought up one after the other before init: each is woken, calibrated and compared with the "
        "first. With `maxcpus=` the kernel sets them up, but leaves them off until user space asks for them."
    )
    when_not = "The start-up has parallel work: it then takes longer on fewer processors."
    cost = "One line at the end of the start-up: `for c in /sys/devices/system/cpu/cpu*/online; do echo 1 > $c; done`."
    risk = Risk(
        function="the other processors stay off until something writes 1 to /sys/devices/system/cpu/cpuN/online"
    )
    conflicts = ("one-processor",)
    references = (
        "kernel/cpu.c: bringup_nonboot_cpus()",
        "Documentation/core-api/cpu_hotplug.rst: maxcpus=n",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel brings up several processors."""
        cmdline = context.system.cmdline
        for key in ("maxcpus", "nosmp"):
            if cmdline.has(key):
                return Applies.no("the number of processors is limited already", str(cmdline.get(key)))
        if context.enabled("SMP") is False:
            return Applies.no("the kernel is built for one processor", "CONFIG_SMP is not set", options=("SMP",))
        if context.enabled("HOTPLUG_CPU") is False:
            return Applies.no(
                "processors cannot be brought up later", "CONFIG_HOTPLUG_CPU is not set", options=("HOTPLUG_CPU",)
            )
        log = KernelLog.of(context)
        cpus = log.match(BROUGHT_UP)
        if cpus is None:
            return log.unknown(NO_PROCESSOR_COUNT)
        if cpus[1] == "1":
            return Applies.no("there is one processor", cpus.string)
        return Applies.yes("several processors are brought up before init", cpus.string)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one processor, and two of more."""
        found = KernelLog.of(context).match(BROUGHT_UP)
        several = found is not None and int(found[1][:4]) > 2
        return tuple(
            Change(technique=self.id, ops=(SetParam("maxcpus", number),), label=number)
            for number in (("1", "2") if several else ("1",))
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the number of processors that were brought up."""
        return differs(before, after, BROUGHT_UP)


LEAST_USER_SPACE_NS = 10_000_000


class RcuExpedited(ParameterTechnique):
    """Mounts, network devices and module loading wait for grace periods."""

    id = "rcu-expedited"
    title = "Expedited RCU grace periods"
    what = "Sets `rcupdate.rcu_expedited=1`."
    why = (
        "A wait for a grace period (synchronize_rcu) ends after microseconds instead of ticks, also when user "
        "space waits."
    )
    when_not = (
        "It never helps the kernel's own part: until just before init (rcu_end_inkernel_boot), grace periods are "
        "expedited anyway."
    )
    cost = "More wake-ups of other processors at run time; set /sys/kernel/rcu_expedited to 0 after the boot."
    risk = Risk(
        runtime=("each grace period interrupts the other processors until /sys/kernel/rcu_expedited is set to 0")
    )
    kernels = "3.9 and later; a kernel with TINY_RCU ignores it"
    sets = (Param("rcupdate.rcu_expedited", "1"),)
    published = (
        Published("none: Kata Containers, Clear Linux and Android set it without a number", "-", "their command lines"),
    )
    references = ("kernel/rcu/update.c: rcu_expedited_nesting, rcu_end_inkernel_boot()",)

    def applies(self, context: Context) -> Applies:
        """Yes when user space takes noticeable time before the goal."""
        if answer := self.already(context):
            return answer
        if context.enabled("TINY_RCU"):
            return Applies.no(
                "one processor's tiny RCU has no grace period to wait for", "CONFIG_TINY_RCU=y", options=("TINY_RCU",)
            )
        start, goal = context.recording.mark("user-space"), context.recording.meta.goal_ns
        if start is None or goal is None:
            return Applies.unknown("it is not known when user space started; the kernel's own part cannot gain")
        span = f"user space runs {(goal - start.ns) / 1e6:.1f} ms before the goal"
        if goal - start.ns < LEAST_USER_SPACE_NS:
            return Applies.no("the kernel's own part is expedited anyway, and there is little else", span)
        return Applies.yes("user space may wait for grace periods", quote(span))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by RCU's own word, where there is a user space part that could gain."""
        effect = appeared(before, after, r"All grace periods are expedited \(rcu_expedited\)")
        start, goal = after.recording.mark("user-space"), after.recording.meta.goal_ns
        if effect.shown and start is not None and goal is not None and goal - start.ns < LEAST_USER_SPACE_NS:
            told = KernelLog.of(after).line(r"All grace periods are expedited")
            return Effect(False, f"it is set ({told}), but the kernel's part is expedited without it")
        return effect


TECHNIQUES: tuple[Technique, ...] = (
    NoreplaceSmp(),
    OneProcessor(),
    ProcessorsLater(),
    ParameterRow(
        id="numa-off",
        title="No search for memory nodes",
        what="Sets `numa=off`.",
        why="The kernel does not search the SRAT and the processor's registers for memory nodes.",
        when_not="The machine has several nodes: memory would be allocated far from the processor that uses it.",
        cost="None on a machine with one node.",
        sets=(Param("numa", "off"),),
        architectures=("x86_64",),
        references=("arch/x86/mm/numa.c: dummy_numa_init(), x86_numa_init()",),
        without=(("NUMA", "the kernel knows no nodes"),),
        signs=(
            Sign("yes", r"No NUMA configuration found", "the kernel looks for nodes and finds none"),
            Sign("no", r"NUMA: Node \d+ \[mem|SRAT: Node \d+ PXM", "the machine has memory nodes"),
        ),
        otherwise=("no search was printed", "NUMA"),
        shows=("appears", r"NUMA turned off"),
    ),
    RcuExpedited(),
)
