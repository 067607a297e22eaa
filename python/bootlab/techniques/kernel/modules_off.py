"""Build the kernel without loadable modules."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class ModulesOff(OptionTechnique):
    """What is a module now is left out, not built in."""

    id = "modules-off"
    title = "Kernel without modules"
    stage = "kernel"
    what = "Builds without CONFIG_MODULES; what was a module is left out."
    why = "The symbol tables and the loader go; the kernel becomes smaller."
    when_not = "A module is loaded on this system, ever."
    cost = "Drivers can only be built in."
    risk = Risk(function="no module can be loaded")
    sets = (("MODULES", "n"),)
    because = "the kernel can load modules"
    published = (Published("-20 ms, -82 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),)
    references = ("init/Kconfig: MODULES",)
