"""Build the kernel without messages."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class PrintkOff(OptionTechnique):
    """No message is made, kept or sent."""

    id = "printk-off"
    title = "Kernel without printk"
    stage = "kernel"
    what = "Builds without CONFIG_PRINTK."
    why = "No message is formatted or sent, and all their texts go from the image."
    when_not = "Anybody will ever look for a fault in the field, or the goal or check is a kernel message."
    cost = "No kernel log at all; times must be taken from outside."
    risk = Risk(
        function="dmesg and the system log hold nothing from the kernel",
        debuggability="no messages, not even of a panic",
    )
    sets = (("PRINTK", "n"),)
    because = "the kernel has its messages"
    expert = True
    gone = r"Linux version \d"
    published = (Published("-767 ms, -11 % kernel size", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),)
    references = ("init/Kconfig: PRINTK",)
