# SPDX-License-Identifier: MIT
"""Timers and clock sources: which are measured, checked and used."""

from __future__ import annotations

from bootlab.model.change import Change
from bootlab.model.cmdline import Param
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.evidence import KernelLog, appeared, interval_shrank, vanished
from bootlab.techniques.kernel.processors import ALLOWED
from bootlab.techniques.missing import NO_CONFIGURATION, NO_PROCESSOR_COUNT
from bootlab.techniques.option import value_of
from bootlab.techniques.parameter import ParameterRow, ParameterTechnique, Sign

_TIMER = r"\.\.TIMER: vector="


class NoApicTimer(ParameterTechnique):
    """The local APIC timer's frequency is measured over a tenth of a second at every boot."""

    id = "no-apic-timer"
    ends = ("setup_boot_APIC_clock", "calibrate_APIC_clock")
    title = "No calibration of the local APIC timer"
    what = "Sets `noapictimer`: the HPET, or the PIT where there is none, remains the source of timer interrupts."
    why = (
        "The calibration (calibrate_APIC_clock) counts the timer over LAPIC_CAL_LOOPS ticks: 100 ms of waiting "
        "before init, and as much again where no ACPI timer confirms the result."
    )
    when_not = (
        "There are several processors (each would wait for broadcast ticks), no other timer's interrupt reaches the "
        "processor, or the frequency is known without measuring (TSC deadline timer, hypervisor, CPUID)."
    )
    cost = "At run time each timer interrupt is set through the HPET or the PIT, which are slower than the local APIC."
    risk = Risk(runtime="each timer interrupt is set through the HPET or the PIT, which takes longer")
    architectures = ("x86_64",)
    conflicts = ("hpet-off",)
    sets = (Param("noapictimer"),)
    references = (
        "arch/x86/kernel/apic/apic.c: setup_boot_APIC_clock(), calibrate_APIC_clock()",
        "Documentation/admin-guide/kernel-parameters.txt: noapictimer",
    )

    def applies(self, context: Context) -> Applies:  # noqa: PLR0911 - one answer a reason
        """Yes with one possible processor, a HPET or PIT that interrupts, and no deadline timer."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(r"TSC deadline timer available|lapic timer already calibrated"):
            return Applies.no("the APIC timer is not calibrated here", line)
        if line := log.line(r"Booting paravirtualized kernel on (?:KVM|VMware)|Hypervisor detected: Microsoft"):
            return Applies.unknown("a hypervisor may give the timer's frequency; the log does not show it", line)
        cpus = log.match(ALLOWED)
        if cpus is not None and cpus[1] != "1":
            return Applies.no("several processors would share one broadcast timer", cpus.string)
        ticks = log.line(r"clocksource: hpet: mask|hpet0: at MMIO") or log.line(_TIMER)
        if not ticks:
            missing = "no hpet line, and no timer interrupt at the IO-APIC"
            return log.absent("no other timer is there to tick with", missing)
        if cpus is None and not log.match(r"Brought up 1 node, 1 CPU"):
            return Applies.unknown("it does not show how many processors are possible", ticks)
        return Applies.yes("one processor, another timer that ticks, and no deadline timer", ticks)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's own word in place of the calibration."""
        return appeared(before, after, r"Disabling APIC timer")


_HPET = r"clocksource: hpet: mask"


class HpetOff(ParameterTechnique):
    """A machine with a good TSC and a local APIC timer does not need a third clock."""

    id = "hpet-off"
    title = "HPET not used"
    what = "Sets `hpet=disable`."
    why = "The HPET is not mapped, compared with another clock, or registered."
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
            return log.absent("no HPET is used", "no hpet line")
        if bad := log.line(r"tsc: Marking TSC unstable|TSC found unstable|Switched to clocksource hpet"):
            return Applies.no("the HPET is the clock that this machine runs on", bad)
        return Applies.yes("the HPET is set up beside the TSC", line)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the clock source that is not registered."""
        return vanished(before, after, _HPET)


# kernel/Kconfig.hz has 300 besides; arch/arm/Kconfig has its own choice, with 200 and 500 too.
_RATES = ("100", "250", "1000")


class TimerFrequency(Technique):
    """A tick bounds how fine a sleep in jiffies can be, and how long the delay loop is calibrated."""

    id = "timer-frequency"
    title = "Other tick rate (HZ)"
    stage = "kernel"
    what = "Builds with CONFIG_HZ of 100, 250 and 1000."
    why = "Waits of a tick or two, and the calibration of the delay loop, become shorter with more ticks a second."
    when_not = "Nothing in the boot waits in ticks: then more ticks only cost."
    cost = "More ticks cost power and processor time as long as the system runs."
    risk = Risk(runtime=("more ticks cost power and processor time; fewer make short sleeps and time slices coarser"))
    late = True
    proof = "recording"
    builds = True
    published = (Published("calibration 264 ms at HZ=100, 25 ms at HZ=1000", "Linux 2.6.6", "eLinux wiki: Preset LPJ"),)
    references = ("kernel/Kconfig.hz", "init/calibrate.c: calibrate_delay_converge()")

    def applies(self, context: Context) -> Applies:
        """Yes where the configuration tells the rate."""
        rate = value_of(context, "HZ")
        if not context.config:
            return NO_CONFIGURATION
        if rate == "n":
            return Applies.no("the rate is fixed by the platform", "no CONFIG_HZ", options=("HZ",))
        return Applies.yes(f"the timer ticks {rate} times a second", f"CONFIG_HZ={rate}")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the other rates."""
        now = value_of(context, "HZ")
        return tuple(
            Change(technique=self.id, ops=(SetKernelOptions(((f"HZ_{rate}", "y"),)),), label=rate)
            for rate in _RATES
            if rate != now
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the rate in the configuration of the image that booted."""
        now = after.recording.kernel_config.get("CONFIG_HZ")
        if now is None:
            return Effect(False, "the recording does not say the rate of the kernel that booted")
        return built_with(before, after, (("HZ", now),))


TECHNIQUES: tuple[Technique, ...] = (
    NoApicTimer(),
    # The IO-APIC code waits ten ticks to see whether the timer interrupt comes.
    ParameterRow(
        id="no-timer-check",
        title="No test of the timer interrupt",
        what="Sets `no_timer_check`.",
        why=(
            "The check (timer_irq_works) spins for ten ticks. It is meant for old boards whose tables name the wrong "
            "pin."
        ),
        when_not="KVM, VMware and Hyper-V guests skip it already. A board with wrong tables would not boot.",
        cost="None.",
        architectures=("x86_64",),
        sets=(Param("no_timer_check"),),
        references=("arch/x86/kernel/apic/io_apic.c: timer_irq_works(), check_timer()",),
        signs=(
            Sign(
                "no",
                r"Booting paravirtualized kernel on (?:KVM|VMware)|Hypervisor detected: (?:KVM|VMware|Microsoft)",
                "the hypervisor's guest code skips it already",
            ),
            Sign("yes", _TIMER, "the timer's pin is tried out"),
        ),
        otherwise=("no IO-APIC timer is set up", f"no line with {_TIMER!r}"),
        # The kernel prints nothing about a trial that worked: the wait after the timer's line shows it.
        shows=lambda before, after: interval_shrank(before, after, _TIMER, "", least_ns=1_000_000, at_most_ns=500_000),
    ),
    # Each further processor's counter is compared with the first one's for 2 or 20 milliseconds.
    ParameterRow(
        id="tsc-reliable",
        title="Time stamp counter taken as reliable",
        what="Sets `tsc=reliable`.",
        why="When a processor comes up, a loop (check_tsc_sync_source) compares its counter with another's.",
        when_not=(
            "There is only one processor: nothing is compared at boot, and the rest of the parameter works after boot."
        ),
        cost="A counter that drifts is not noticed, and time goes wrong.",
        risk=Risk(function="a counter that drifts is not noticed, and time goes wrong"),
        architectures=("x86_64",),
        sets=(Param("tsc", "reliable"),),
        references=(
            "arch/x86/kernel/tsc_sync.c: check_tsc_sync_source()",
            "arch/x86/kernel/tsc.c: check_system_tsc_reliable()",
        ),
        signs=(
            Sign("no", r"tsc: Marking TSC unstable", "the counter is known to be unusable"),
            Sign(
                "no",
                r"smp: Brought up \d+ nodes?, 1 CPU\b",
                "one processor: there is no second counter to compare",
            ),
            Sign("yes", r"smp: Brought up \d+ nodes?, \d+ CPUs?", "each further processor's counter is compared"),
        ),
        otherwise=NO_PROCESSOR_COUNT,
        # The comparison prints nothing: the time that bringing the others up takes shows it.
        shows=lambda before, after: interval_shrank(
            before, after, r"smp: Bringing up secondary CPUs", r"smp: Brought up", least_ns=15_000_000
        ),
    ),
    HpetOff(),
    TimerFrequency(),
)
