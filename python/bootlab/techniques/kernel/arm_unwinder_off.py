"""Build the ARM kernel with frame pointers instead of unwind tables."""

from __future__ import annotations

from bootlab.techniques.option import OptionTechnique


class ArmUnwinderOff(OptionTechnique):
    """The tables are a good part of a small kernel."""

    id = "arm-unwinder-off"
    title = "ARM kernel without unwind tables"
    stage = "kernel"
    what = "Builds with CONFIG_UNWINDER_FRAME_POINTER instead of CONFIG_UNWINDER_ARM."
    why = "The unwind tables go from the image."
    when_not = "The compiler's code with frame pointers is slower than the tables cost to load."
    cost = "One register less for the compiler; not with Thumb-2."
    architectures = ("arm",)
    conflicts = ("thumb2-kernel",)
    sets = (("UNWINDER_FRAME_POINTER", "y"), ("UNWINDER_ARM", "n"))
    because = "unwind tables are in the image"
    references = ("arch/arm/Kconfig.debug: UNWINDER_FRAME_POINTER",)
