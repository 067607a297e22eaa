"""Keep the kernel's messages off the console."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.console_lines import fewer_kernel_lines, kernel_lines, level_of
from bootlab.techniques.parameter import ParameterTechnique


class Quiet(ParameterTechnique):
    """Only errors and worse go to the console."""

    id = "quiet"
    title = "Quiet console"
    stage = "kernel"
    what = "Sets `quiet`: the console's level becomes CONFIG_CONSOLE_LOGLEVEL_QUIET (4 unless configured otherwise)."
    why = "The boot waits for every character that a serial console sends: at 115200 baud 87 us each."
    when_not = "The console is fast and prints little, or the goal or check is a kernel message."
    cost = "None; `dmesg` still holds every message."
    risk = Risk(debuggability="a boot that stops shows no messages before it")
    conflicts = ("loglevel",)
    rests_on = ("console",)
    proof = "recording"
    sets = (Param("quiet"),)
    published = (
        Published("2.352 s -> 1.285 s", "SAMA5D3, Linux 3.10", "Bootlin boot-time training"),
        Published("551.7 -> 280.7 ms start_kernel to user space", "OMAP1510 168 MHz, serial console", "eLinux wiki"),
        Published("4.05 -> 2.39 s", "Atom N450", "Yocto wiki: Linux Kernel/Boot Time"),
        Published("4.7 s -> 3.2 s at 115200 baud with loglevel=1", "Raspberry Pi 3B+", "thegoodpenguin.co.uk"),
    )
    references = ("init/main.c: quiet_kernel()", "lib/Kconfig.debug: CONSOLE_LOGLEVEL_QUIET")

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed to the recorded console and is not told to be quiet."""
        if answer := self.already(context):
            return answer
        level = level_of(context.system.cmdline)
        if level is not None and level <= 4:
            return Applies.no("loglevel= is as quiet already", f"loglevel={level}")
        lines = kernel_lines(context.recording)
        if lines:
            return Applies.yes(
                "the kernel prints to the console", f"{len(lines)} lines, {sum(map(len, lines))} characters"
            )
        return Applies.no("the kernel printed nothing to the recorded console", "no line with printk's stamp")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's lines that the console carried before and does not any more."""
        return fewer_kernel_lines(before, after)
