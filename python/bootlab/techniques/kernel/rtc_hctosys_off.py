"""Build the kernel so that it does not read the clock."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class RtcHctosysOff(OptionTechnique):
    """The boot waits for the clock's next second on some boards."""

    id = "rtc-hctosys-off"
    title = "Hardware clock not read by the kernel"
    stage = "kernel"
    what = "Builds without CONFIG_RTC_HCTOSYS."
    why = "The kernel reads the hardware clock while it boots; some drivers wait for it."
    when_not = "The wall-clock time must be right before user space sets it."
    cost = "User space sets the time (hwclock -s)."
    risk = Risk(function="the time starts in 1970 until user space sets it")
    sets = (("RTC_HCTOSYS", "n"),)
    only_if = ("RTC_CLASS",)
    because = "the kernel sets the time from the hardware clock"
    gone = r"setting system clock to"
    references = ("drivers/rtc/Kconfig: RTC_HCTOSYS", "drivers/rtc/class.c: rtc_hctosys()")
