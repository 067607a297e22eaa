"""Let the kernel's timer tick at another rate."""

from __future__ import annotations

from bootlab.model.change import Change, SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.option import value_of

# kernel/Kconfig.hz has 300 besides; arch/arm/Kconfig has its own choice, with 200 and 500 too.
_RATES = ("100", "250", "1000")


class TimerFrequency(Technique):
    """A tick bounds how fine a sleep in jiffies can be, and how long the delay loop is calibrated."""

    id = "timer-frequency"
    title = "Other tick rate (HZ)"
    stage = "kernel"
    what = "Builds with CONFIG_HZ of 100, 250 and 1000."
    why = "Waits of a tick or two, and the calibration of the delay loop, become shorter with more ticks a second."
    when_not = "Nothing in the boot waits in ticks; then more ticks only cost."
    cost = "More ticks cost power and time all the while the system runs."
    late = True
    proof = "recording"
    builds = True
    published = (Published("calibration 264 ms at HZ=100, 25 ms at HZ=1000", "Linux 2.6.6", "eLinux wiki: Preset LPJ"),)
    references = ("kernel/Kconfig.hz", "init/calibrate.c: calibrate_delay_converge()")

    def applies(self, context: Context) -> Applies:
        """Yes where the configuration tells the rate."""
        rate = value_of(context, "HZ")
        if not context.config:
            return Applies.unknown("the kernel's configuration is not known")
        if rate == "n":
            return Applies.no("the rate is fixed by the platform", "no CONFIG_HZ")
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
