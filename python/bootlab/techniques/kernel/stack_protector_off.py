"""Build the kernel without stack canaries."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class StackProtectorOff(OptionTechnique):
    """Every function with an array checks one."""

    id = "stack-protector-off"
    title = "Kernel without stack canaries"
    stage = "kernel"
    what = "Builds without CONFIG_STACKPROTECTOR."
    why = "Functions do not write and check a canary."
    when_not = "The system is exposed to anybody."
    cost = "A hardening measure less."
    risk = Risk(security="stack overflows in the kernel are not detected")
    sets = (("STACKPROTECTOR", "n"),)
    because = "functions check a canary"
    references = ("arch/Kconfig: STACKPROTECTOR",)
