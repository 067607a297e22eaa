"""Build the x86 kernel with a silent decompressor."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class VerboseBootupOff(OptionTechnique):
    """No line before the kernel proper."""

    id = "verbose-bootup-off"
    title = "Silent decompressor"
    stage = "image"
    what = "Builds without CONFIG_X86_VERBOSE_BOOTUP."
    why = "The decompressor writes to screen and serial line by polling."
    when_not = "It prints nothing already."
    cost = "None."
    risk = Risk(debuggability="the decompressor's errors are not shown")
    architectures = ("x86_64",)
    sets = (("X86_VERBOSE_BOOTUP", "n"),)
    because = "the decompressor prints"
    references = ("arch/x86/Kconfig.debug: X86_VERBOSE_BOOTUP",)
