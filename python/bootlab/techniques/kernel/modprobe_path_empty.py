"""Build the kernel without a path to modprobe."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class ModprobePathEmpty(OptionTechnique):
    """Every early request for a module then ends at once."""

    id = "modprobe-path-empty"
    title = "No path to modprobe"
    stage = "kernel"
    what = "Sets CONFIG_MODPROBE_PATH to the empty string."
    why = "Every early request for a module waits for the initramfs and starts a program that is not there."
    when_not = "Something is loaded on demand."
    cost = "Modules must be loaded by name."
    risk = Risk(function="no module is loaded on demand")
    kernels = "5.13 and later"
    sets = (("MODPROBE_PATH", ""),)
    only_if = ("MODULES",)
    because = "the kernel calls modprobe on demand"
    references = ("init/Kconfig: MODPROBE_PATH", "init/initramfs.c: wait_for_initramfs()")
