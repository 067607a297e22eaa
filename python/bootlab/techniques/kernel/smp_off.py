"""Build the kernel for one processor."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class SmpOff(OptionTechnique):
    """No bring-up of others, no locks, no per-processor data."""

    id = "smp-off"
    title = "Kernel for one processor"
    stage = "kernel"
    what = "Builds without CONFIG_SMP."
    why = "A kernel for several processors brings them up, carries locks and per-processor set-up, and is larger."
    when_not = "The machine has more than one processor to use."
    cost = "Other processors stay off."
    risk = Risk(function="only one processor is used")
    sets = (("SMP", "n"),)
    because = "the kernel is built for several processors"
    gone = r"smp: Brought up|SMP: Total of|Brought up \d+ CPU"
    published = (Published("-126 ms, -188 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),)
    references = ("init/Kconfig, arch/*/Kconfig: SMP",)
