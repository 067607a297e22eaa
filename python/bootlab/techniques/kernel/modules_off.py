"""Build the kernel without loadable modules."""

from __future__ import annotations

from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence, Published, Risk
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

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration of the image that booted; say how much was a module, and what no longer is."""
        effect = super().took_effect(before, after)
        was = [name for name, value in before.recording.kernel_config.items() if value == "m"]
        if not effect.shown or not was:
            return effect
        built_in = [name for name in was if after.recording.kernel_config.get(name) == "y"]
        now = f", built in now: {', '.join(built_in[:4])}" if built_in else ""
        return Effect(True, f"{effect.evidence}; modules left out: {len(was) - len(built_in)}{now}")
