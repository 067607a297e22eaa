"""Build the ARM kernel in Thumb-2."""

from __future__ import annotations

from bootlab.techniques.base import Published
from bootlab.techniques.option import OptionTechnique


class Thumb2Kernel(OptionTechnique):
    """Shorter instructions."""

    id = "thumb2-kernel"
    title = "Thumb-2 kernel"
    stage = "image"
    what = "Builds with CONFIG_THUMB2_KERNEL."
    why = "Thumb-2 code is shorter, so that there is less to load and unpack."
    when_not = "More instructions are executed than loading saves."
    cost = "Another instruction set; some old compilers and assembly do not have it."
    architectures = ("arm",)
    kernels = "2.6.32 and later"
    conflicts = ("arm-unwinder-off",)
    sets = (("THUMB2_KERNEL", "y"),)
    because = "the kernel is built in ARM instructions"
    published = (Published("user space 19 % smaller, 2 % faster", "ARM", "Bootlin boot-time training"),)
    references = ("arch/arm/Kconfig: THUMB2_KERNEL",)
